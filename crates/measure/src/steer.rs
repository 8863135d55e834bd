//! The plans of a campaign that steers itself: each launch measures what the launches before it
//! leave uncertain.
//!
//! # Method
//! 1. The scout, a short launch: a ping-pong and a few exchanges, which show the speed.
//! 2. Launches over all wanted sizes, both sides of the eager limit, and counts from a few processes
//!    to the most. From the second one on, sizes around the first retransmissions are added: a port
//!    overflows from a number of bytes x = (n−1)·m on, so a loss among n processes places a size at
//!    every other count (`seen`).
//! 3. Short launches of what is left open: sizes among the most processes that may overflow a port or
//!    not, by the fit so far, and the cells where some repetitions stall and others do not. Each
//!    launch has connections of its own, and the chance of a stall differs between launches.
//!
//! Within a launch the repetitions of a cell are proportional to s/√T, which makes the sum of the
//! variances s²/R least for a given time (Neyman 1934); s is the scatter of ln T and T the expected
//! time. If the time does not suffice for one repetition of each cell, sizes and counts are thinned
//! out evenly (`grid`).
//!
//! # Source
//! netsig.

mod counts;
mod grid;
mod seen;

use netsig_base::algorithm::{Collective, Method};
use netsig_base::units::{Bytes, Procs, Seconds};

use self::grid::{Grid, Level};
pub use self::seen::Seen;
use crate::budget::TooLittle;
use crate::estimate::Rates;
use crate::plan::{Cell, Operation, PLogPSettings, Plan, SizeRange, Synchronisation};
use crate::trials;

/// Operations to predict, and the means to measure them.
#[derive(Debug, Clone)]
pub struct Target {
    /// The collective.
    pub collective: Collective,
    /// Its algorithms.
    pub methods: Vec<Method>,
    /// The most processes to measure, at least 3.
    pub most: Procs,
    /// The sizes to predict, ascending, at least one.
    pub sizes: Vec<Bytes>,
    /// How the ranks start together.
    pub synchronisation: Synchronisation,
}

/// A part of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The speed of the network.
    Scout,
    /// All cells.
    Survey,
    /// Sizes that may overflow a port or not, and cells of which some repetitions stall.
    Open,
}

/// Number of launches over all cells.
pub const SURVEYS: u32 = 3;

/// Most launches of what is left open.
pub const OPEN: u32 = 3;

/// Repetitions of a cell in one launch.
const MOST_REPETITIONS: f64 = 40.0;

/// Repetitions of a cell of which some stall.
const OF_MIXTURE: u32 = 8;

/// Repetitions of a cell that may overflow a port or not.
const OF_ONSET: u32 = 4;

/// Parts, in ln m, of the sizes that may overflow a port, the first to be measured first.
const PARTS: [f64; 3] = [0.5, 0.25, 0.75];

/// Least ratio between a size and the next that is worth measuring.
const APART: f64 = 1.12;

/// Repetitions of the scout.
const OF_SCOUT: u32 = 3;

/// Largest share of a launch's time for measurements between two ranks.
const PAIRS: f64 = 0.1;

/// The stage of a launch, from 0.
pub fn stage(launch: u32) -> Stage {
    match launch {
        0 => Stage::Scout,
        1..=SURVEYS => Stage::Survey,
        _ => Stage::Open,
    }
}

impl Target {
    /// The plan of the scout.
    pub fn scout(&self) -> Plan {
        let largest = self.largest().min(Bytes(64 << 10));
        let pairs = [Bytes(1), Bytes(1024), largest];
        let pairs = pairs.map(|size| Cell::of_two(Operation::PingPong, size, 1, OF_SCOUT));
        let sizes = [self.sizes[0], self.sizes[0].max(largest.min(Bytes(16 << 10)))];
        let exchanges = self
            .methods
            .iter()
            .flat_map(|&method| sizes.map(|size| self.cell(method, self.most, size, OF_SCOUT)));
        let mut cells: Vec<Cell> = pairs.into_iter().chain(exchanges).collect();
        dedup(&mut cells);
        plan_of(cells, None)
    }

    /// The plan of a launch over all cells that takes about `time` besides the start of its jobs.
    ///
    /// # Errors
    /// If even a thin grid of single repetitions takes longer.
    pub fn survey(&self, seen: &Seen, rates: &Rates, time: Seconds) -> Result<Plan, TooLittle> {
        let pairs = self.pairs(rates, time * PAIRS);
        let left = time - pairs.cost;
        let mut least = Seconds(f64::INFINITY);
        for level in Level::ALL {
            let grid = Grid::new(self, seen, rates, level);
            least = grid.least();
            if least <= left {
                let mut cells = pairs.cells;
                cells.extend(grid.within(left));
                return Ok(plan_of(cells, pairs.plogp));
            }
        }
        Err(TooLittle {
            least: least + pairs.cost,
        })
    }

    /// A plan of all launches over all cells for a network of these rates, within `budget`.
    ///
    /// # Errors
    /// If even a thin grid of single repetitions takes longer.
    pub fn proposal(&self, rates: &Rates, budget: Seconds) -> Result<Plan, TooLittle> {
        let launches = f64::from(SURVEYS);
        let starts = rates.launch_overhead * self.jobs();
        let time = budget * (1.0 / launches) - starts;
        let plan = self.survey(&Seen::default(), rates, time);
        let whole = |least: Seconds| (least + starts) * launches;
        let plan = plan.map_err(|TooLittle { least }| TooLittle { least: whole(least) })?;
        Ok(Plan {
            launches: SURVEYS,
            ..plan
        })
    }

    /// The plan of a launch of what is left open, `onsets` the sizes of a method among the most processes
    /// between which the first overflow lies; `None` if nothing is, or if it does not fit into `time`.
    pub fn open(&self, seen: &Seen, onsets: &[(Method, [Bytes; 2])], time: Seconds) -> Option<Plan> {
        let between = onsets.iter().flat_map(|onset| self.between(seen, *onset));
        let mut open: Vec<(Cell, Seconds)> = between.chain(seen.mixed()).collect();
        let cost = |open: &[(Cell, Seconds)]| -> f64 {
            let one = |(cell, time): &(Cell, Seconds)| self.cost(*time, cell.repetitions.into()).0;
            open.iter().map(one).sum()
        };
        while cost(&open) > time.0 {
            open.pop()?;
        }
        let mut cells: Vec<Cell> = open.into_iter().map(|(cell, _)| cell).collect();
        dedup(&mut cells);
        (!cells.is_empty()).then(|| plan_of(cells, None))
    }

    /// Cells between two sizes, as far as they are wanted, that are worth it, with the time at the larger one.
    fn between(&self, seen: &Seen, (method, [low, high]): (Method, [Bytes; 2])) -> Vec<(Cell, Seconds)> {
        let [low, high] = [low, high].map(|size| size.clamp(self.sizes[0], self.largest()));
        let low = low.as_f64().max(1.0);
        let ratio = high.as_f64() / low;
        let parts = PARTS.into_iter();
        let parts = parts.filter(|part| ratio.powf(part.min(1.0 - part)) >= APART);
        let cell = |size| self.cell(method, self.most, size, OF_ONSET);
        let time = seen.time(&cell(high), method, Seconds(0.0));
        let sizes = parts.map(|part| Bytes::rounded(low * ratio.powf(part)));
        sizes.map(|size| (cell(size), time)).collect()
    }

    /// Number of jobs of a launch: one, and one for each forced algorithm of the library.
    pub fn jobs(&self) -> f64 {
        let is_forced = |method: &&Method| matches!(method, Method::Library(choice) if choice.is_forced());
        1.0 + self.methods.iter().filter(is_forced).count() as f64
    }

    /// True if an algorithm depends on the clusters of the ranks.
    pub fn follows_clusters(&self) -> bool {
        self.methods.iter().any(Method::follows_clusters)
    }

    /// Duration of so many repetitions that take `once` each, after a warm-up or trials.
    fn cost(&self, once: Seconds, repetitions: f64) -> Seconds {
        match self.synchronisation {
            Synchronisation::Barrier => once * (repetitions + 1.0),
            Synchronisation::Window => trials::with_repetitions(once, repetitions),
        }
    }

    fn largest(&self) -> Bytes {
        self.sizes.last().copied().unwrap_or_default()
    }

    fn cell(&self, method: Method, procs: Procs, size: Bytes, repetitions: u32) -> Cell {
        Cell {
            operation: Operation::Collective(self.collective, method),
            procs,
            size,
            warmup: 1,
            repetitions,
        }
    }

    /// The measurements between two ranks: a ping-pong, and pLogP if it fits into `time` too.
    fn pairs(&self, rates: &Rates, time: Seconds) -> Pairs {
        let largest = self.largest().max(Bytes(64 << 10));
        let doubling = |size: &Bytes| Some(Bytes(size.0 << 1)).filter(|size| *size < largest);
        let sizes = std::iter::successors(Some(Bytes(1)), doubling).chain([largest]);
        let cells = sizes.map(|size| Cell::of_two(Operation::PingPong, size, 1, OF_SCOUT));
        let cells: Vec<Cell> = cells.collect();
        let cost = |cell: &Cell| rates.repetition(cell).0 * f64::from(cell.repetitions + 1);
        let cost = Seconds(cells.iter().map(cost).sum());
        let settings = PLogPSettings {
            sizes: SizeRange {
                smallest: Bytes(1),
                largest,
            },
            most: OF_SCOUT,
            ..PLogPSettings::default()
        };
        let tables = rates.plogp(&settings).high;
        if cost + tables > time {
            return Pairs {
                cells,
                plogp: None,
                cost,
            };
        }
        Pairs {
            cells: [cells, vec![Cell::of_plogp(&settings)]].concat(),
            plogp: Some(settings),
            cost: cost + tables,
        }
    }
}

/// Measurements between two ranks, with their duration.
struct Pairs {
    cells: Vec<Cell>,
    plogp: Option<PLogPSettings>,
    cost: Seconds,
}

/// The plan of one launch.
fn plan_of(cells: Vec<Cell>, plogp: Option<PLogPSettings>) -> Plan {
    Plan {
        seed: 1,
        launches: 1,
        precision: None,
        synchronisation: Synchronisation::default(),
        plogp,
        network: None,
        grid: None,
        cells,
    }
}

/// Removes cells that repeat the work of an earlier one.
fn dedup(cells: &mut Vec<Cell>) {
    let mut kept: Vec<Cell> = Vec::new();
    for cell in cells.drain(..) {
        if !kept.iter().any(|other| other.work() == cell.work()) {
            kept.push(cell);
        }
    }
    *cells = kept;
}
