//! Plans of a campaign that steers itself: each launch measures the cells that earlier launches left uncertain.
//!
//! # Method
//! 1. The probe, a short launch: a ping-pong and a few exchanges, which show the speed.
//! 2. Launches over all wanted sizes, both sides of the eager limit, and counts from a few processes to the most.
//!    From the second launch on, sizes around the first retransmissions are added. A port overflows from a number of
//!    bytes x = (n−1)·m on, so a loss among n processes places a size at every other count (`collective_cells`).
//! 3. Short launches of open cells. These are sizes at the most processes for which the fit so far cannot tell
//!    whether a port overflows, and cells in which only some repetitions stall. Each launch has connections of its
//!    own, and the chance of a stall differs between launches.
//!
//! Within a launch the repetitions of a cell are proportional to s/√T, which makes the sum of the
//! variances s²/R least for a given time (Neyman 1934); s is the scatter of ln T and T the expected
//! time. If the time does not suffice for one repetition of each cell, sizes and counts are thinned
//! out evenly (`grid`).
//!
//! # Source
//! netsig.

mod collective_cells;
mod counts;
mod grid;

use netsig_base::algorithm::{Collective, CollectiveMethod, ReductionOperands};
use netsig_base::units::{Bytes, Procs, Seconds};

pub use self::collective_cells::CollectiveCells;
use self::grid::{GridDensity, LaunchGrid};
use crate::budget::BudgetTooSmall;
use crate::estimate::NetworkRates;
use crate::plan::{MeasurementPlan, PLogPSettings, PlanCell, SizeRange, Synchronisation, TimedOperation};
use crate::trials;

/// Operations to predict, and the limits of their measurement.
#[derive(Debug, Clone)]
pub struct SteerTarget {
    /// The collective.
    pub collective: Collective,
    /// Its algorithms.
    pub methods: Vec<CollectiveMethod>,
    /// The most processes to measure, at least 3.
    pub most_procs: Procs,
    /// The sizes to predict, ascending, at least one.
    pub sizes: Vec<Bytes>,
    /// Method of the common start of the ranks.
    pub synchronisation: Synchronisation,
    /// Operation and type of the elements of a reduction.
    pub operands: ReductionOperands,
}

/// A part of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignStage {
    /// The probe of the network's speed.
    NetworkProbe,
    /// All wanted cells.
    AllCells,
    /// Sizes that may or may not overflow a port, and cells in which only some repetitions stall.
    OpenCells,
}

/// Number of launches over all cells.
pub const ALL_CELLS_LAUNCHES: u32 = 3;

/// Most launches of open cells.
pub const MOST_OPEN_LAUNCHES: u32 = 3;

/// Repetitions of a cell in one launch.
const MOST_REPETITIONS: f64 = 40.0;

/// Repetitions of a cell in which only some stall.
const MIXTURE_REPETITIONS: u32 = 8;

/// Repetitions of a cell that may or may not overflow a port.
const ONSET_REPETITIONS: u32 = 4;

/// Places of the measured sizes, as parts in ln m of the range in which a port may overflow, in order of measurement.
const SIZE_PARTS: [f64; 3] = [0.5, 0.25, 0.75];

/// Least ratio between neighbouring sizes that are worth measuring.
const LEAST_SIZE_RATIO: f64 = 1.12;

/// Repetitions of the probe.
const PROBE_REPETITIONS: u32 = 3;

/// Sizes and repetitions of local reductions: vectors that fit into a processor's caches, and one that may not.
const LOCAL_SIZES: [Bytes; 6] = [
    Bytes(1 << 10),
    Bytes(4 << 10),
    Bytes(16 << 10),
    Bytes(64 << 10),
    Bytes(256 << 10),
    Bytes(1 << 20),
];
const LOCAL_REPETITIONS: u32 = 10;

/// Largest share of a launch's time for measurements between two ranks.
const POINT_TO_POINT_SHARE: f64 = 0.1;

/// The stage of a launch, from 0.
pub fn stage(launch: u32) -> CampaignStage {
    match launch {
        0 => CampaignStage::NetworkProbe,
        1..=ALL_CELLS_LAUNCHES => CampaignStage::AllCells,
        _ => CampaignStage::OpenCells,
    }
}

impl SteerTarget {
    /// The plan of the probe.
    pub fn probe_plan(&self) -> MeasurementPlan {
        let largest = self.largest().min(Bytes(64 << 10));
        let pair_sizes = [Bytes(1), Bytes(1024), largest];
        let pairs = pair_sizes.map(|size| PlanCell::of_two(TimedOperation::PingPong, size, 1, PROBE_REPETITIONS));
        let sizes = [self.sizes[0], self.sizes[0].max(largest.min(Bytes(16 << 10)))];
        let exchanges = self
            .methods
            .iter()
            .flat_map(|&method| sizes.map(|size| self.cell(method, self.most_procs, size, PROBE_REPETITIONS)));
        let mut cells: Vec<PlanCell> = pairs.into_iter().chain(exchanges).collect();
        dedup(&mut cells);
        self.plan_of(cells, None)
    }

    /// The plan of a launch over all cells that takes about `time` besides the start of its jobs.
    ///
    /// # Errors
    /// If even a thin grid of single repetitions takes longer.
    pub fn all_cells_plan(
        &self,
        seen: &CollectiveCells,
        rates: &NetworkRates,
        time: Seconds,
    ) -> Result<MeasurementPlan, BudgetTooSmall> {
        let pairs = self.point_to_point(rates, time * POINT_TO_POINT_SHARE);
        let left = time - pairs.cost;
        let mut least = Seconds(f64::INFINITY);
        for density in GridDensity::ALL {
            let grid = LaunchGrid::new(self, seen, rates, density);
            least = grid.least_duration();
            if least <= left {
                let mut cells = pairs.cells;
                cells.extend(grid.cells_within(left));
                return Ok(self.plan_of(cells, pairs.plogp));
            }
        }
        Err(BudgetTooSmall {
            least: least + pairs.cost,
        })
    }

    /// A plan of all launches over all cells for a network of these rates, within `budget`.
    ///
    /// # Errors
    /// If even a thin grid of single repetitions takes longer.
    pub fn proposal(&self, rates: &NetworkRates, budget: Seconds) -> Result<MeasurementPlan, BudgetTooSmall> {
        let launches = f64::from(ALL_CELLS_LAUNCHES);
        let starts = rates.launch_overhead * self.jobs();
        let time = budget * (1.0 / launches) - starts;
        let launch_plan = self.all_cells_plan(&CollectiveCells::default(), rates, time);
        let whole = |least: Seconds| (least + starts) * launches;
        let plan = launch_plan.map_err(|BudgetTooSmall { least }| BudgetTooSmall { least: whole(least) })?;
        Ok(MeasurementPlan {
            launches: ALL_CELLS_LAUNCHES,
            ..plan
        })
    }

    /// The plan of a launch of open cells; `None` if there are none, or if they do not fit into `time`. `onsets`
    /// gives the sizes of a method, at the most processes, between which the first overflow lies.
    pub fn open_cells_plan(
        &self,
        seen: &CollectiveCells,
        onsets: &[(CollectiveMethod, [Bytes; 2])],
        time: Seconds,
    ) -> Option<MeasurementPlan> {
        let between = onsets
            .iter()
            .flat_map(|(method, onset)| self.cells_between(seen, *method, *onset));
        let mut open: Vec<(PlanCell, Seconds)> = between.chain(seen.mixed_cells()).collect();
        let cost = |open: &[(PlanCell, Seconds)]| -> f64 {
            let one = |(cell, time): &(PlanCell, Seconds)| self.cost(*time, cell.repetitions.into()).0;
            open.iter().map(one).sum()
        };
        while cost(&open) > time.0 {
            open.pop()?;
        }
        let mut cells: Vec<PlanCell> = open.into_iter().map(|(cell, _)| cell).collect();
        dedup(&mut cells);
        (!cells.is_empty()).then(|| self.plan_of(cells, None))
    }

    /// Cells worth measuring between the two sizes of `onset`, within the wanted sizes, with the time at the larger
    /// one.
    fn cells_between(
        &self,
        seen: &CollectiveCells,
        method: CollectiveMethod,
        onset: [Bytes; 2],
    ) -> Vec<(PlanCell, Seconds)> {
        let [low, high] = onset.map(|size| size.clamp(self.sizes[0], self.largest()));
        let low = low.as_f64().max(1.0);
        let ratio = high.as_f64() / low;
        let all_parts = SIZE_PARTS.into_iter();
        let parts = all_parts.filter(|part| ratio.powf(part.min(1.0 - part)) >= LEAST_SIZE_RATIO);
        let cell = |size| self.cell(method, self.most_procs, size, ONSET_REPETITIONS);
        let time = seen.time(&cell(high), method, Seconds(0.0));
        let sizes = parts.map(|part| Bytes::rounded(low * ratio.powf(part)));
        sizes.map(|size| (cell(size), time)).collect()
    }

    /// Number of jobs of a launch: one, and one for each forced algorithm of the library.
    pub fn jobs(&self) -> f64 {
        let is_forced =
            |method: &&CollectiveMethod| matches!(method, CollectiveMethod::Library(choice) if choice.is_forced());
        1.0 + self.methods.iter().filter(is_forced).count() as f64
    }

    /// True if an algorithm depends on the clusters of the ranks.
    pub fn follows_clusters(&self) -> bool {
        self.methods.iter().any(CollectiveMethod::follows_clusters)
    }

    /// The plan of one launch.
    fn plan_of(&self, cells: Vec<PlanCell>, plogp: Option<PLogPSettings>) -> MeasurementPlan {
        MeasurementPlan {
            seed: 1,
            launches: 1,
            precision: None,
            synchronisation: Synchronisation::default(),
            operands: self.operands,
            plogp,
            network: None,
            grid: None,
            cells,
        }
    }

    /// Duration of `repetitions` that take `once` each, after a warm-up or trials.
    fn cost(&self, once: Seconds, repetitions: f64) -> Seconds {
        match self.synchronisation {
            Synchronisation::Barrier => once * (repetitions + 1.0),
            Synchronisation::Window => trials::with_repetitions(once, repetitions),
        }
    }

    fn largest(&self) -> Bytes {
        self.sizes.last().copied().unwrap_or_default()
    }

    fn cell(&self, method: CollectiveMethod, procs: Procs, size: Bytes, repetitions: u32) -> PlanCell {
        PlanCell {
            operation: TimedOperation::Collective(self.collective, method),
            procs,
            size: self.possible_size(method, procs, size),
            warmup: 1,
            repetitions,
        }
    }

    /// The size nearest to `size` that can be measured among `procs`: of whole elements, for equal blocks in each
    /// block.
    fn possible_size(&self, method: CollectiveMethod, procs: Procs, size: Bytes) -> Bytes {
        if self.collective == Collective::Barrier {
            return Bytes(0);
        }
        let element = self.operands.element().bytes();
        let unit = method.size_unit(self.collective, procs, element).0;
        if size == Bytes(0) {
            // The check of the plan refuses it.
            return size;
        }
        let below = size.0 / unit;
        let nearest = below + u64::from(size.0 % unit > unit / 2);
        Bytes(nearest.max(1) * unit)
    }

    /// The local operation of a reduction.
    fn local_reductions(&self) -> impl Iterator<Item = PlanCell> {
        let sizes = LOCAL_SIZES.into_iter().filter(|_| self.collective.is_reduction());
        sizes.map(|size| PlanCell::of_local_reduction(size, 1, LOCAL_REPETITIONS))
    }

    /// The measurements between two ranks, and of local operations: a ping-pong, and pLogP if it fits into `time` too.
    fn point_to_point(&self, rates: &NetworkRates, time: Seconds) -> PointToPointCells {
        let largest = self.largest().max(Bytes(64 << 10));
        let doubling = |size: &Bytes| Some(Bytes(size.0 << 1)).filter(|size| *size < largest);
        let sizes = std::iter::successors(Some(Bytes(1)), doubling).chain([largest]);
        let ping_pongs = sizes.map(|size| PlanCell::of_two(TimedOperation::PingPong, size, 1, PROBE_REPETITIONS));
        let cells: Vec<PlanCell> = ping_pongs.chain(self.local_reductions()).collect();
        let cell_cost = |cell: &PlanCell| rates.repetition(cell).0 * f64::from(cell.repetitions + 1);
        let cost = Seconds(cells.iter().map(cell_cost).sum());
        let settings = PLogPSettings {
            sizes: SizeRange {
                smallest: Bytes(1),
                largest,
            },
            most: PROBE_REPETITIONS,
            ..PLogPSettings::default()
        };
        let tables = rates.plogp(&settings).high;
        if cost + tables > time {
            return PointToPointCells {
                cells,
                plogp: None,
                cost,
            };
        }
        PointToPointCells {
            cells: [cells, vec![PlanCell::of_plogp(&settings)]].concat(),
            plogp: Some(settings),
            cost: cost + tables,
        }
    }
}

/// Measurements on one rank and between two, with their duration.
struct PointToPointCells {
    cells: Vec<PlanCell>,
    plogp: Option<PLogPSettings>,
    cost: Seconds,
}

/// Removes cells that repeat the work of an earlier one.
fn dedup(cells: &mut Vec<PlanCell>) {
    let mut kept: Vec<PlanCell> = Vec::new();
    for cell in cells.drain(..) {
        if !kept.iter().any(|other| other.timed_case() == cell.timed_case()) {
            kept.push(cell);
        }
    }
    *cells = kept;
}
