//! Proposes the measurements between two ranks that precede those of a collective: a ping-pong for
//! β and for V(w) below the eager limit, and pLogP if time remains.
//!
//! # Method
//! The sizes of the ping-pong double from 1 byte to the largest wanted size, at least 64 KiB. With
//! little time it measures only every second or third doubling, and down to four repetitions. pLogP
//! uses the rest of the share.

use netsig_core::predict::design::allocation::{REPETITIONS, WARM_UP};
use netsig_core::units::{Bytes, Seconds};

use crate::estimate::Rates;
use crate::plan::{Cell, LARGEST_MESSAGE, Operation, PLogPSettings, SizeRange};

/// Share of the time for measurements between two ranks.
const SHARE: f64 = 0.1;

/// Lower bound of the largest size; eager limits lie below it.
const LEAST_LARGEST: Bytes = Bytes(64 << 10);

/// Numbers of doublings between two sizes, from the most expensive choice to the cheapest.
const DOUBLINGS: [usize; 3] = [1, 2, 3];

/// Time for measurements between two ranks in a launch: a share, limited from below by the minimal
/// and from above by the complete measurement. The remaining time thus never falls as the total
/// grows.
pub(super) struct Share {
    least: Seconds,
    most: Seconds,
}

/// The measurements of a plan between two ranks.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    pub cells: Vec<Cell>,
    pub plogp: Option<PLogPSettings>,
    pub cost: Seconds,
}

impl Share {
    pub fn new(rates: &Rates, largest: Bytes) -> Self {
        let of = |time| Pairs::within(Seconds(time), rates, largest).cost;
        Self {
            least: of(0.0),
            most: of(f64::INFINITY),
        }
    }

    /// The part of `time` for measurements between two ranks.
    pub fn of(&self, time: Seconds) -> Seconds {
        Seconds((time.0 * SHARE).min(self.most.0).max(self.least.0))
    }

    /// The total time of which `others` remains for the other measurements.
    pub fn with(&self, others: Seconds) -> Seconds {
        let shared = (others.0 / (1.0 - SHARE)).min(others.0 + self.most.0);
        Seconds(shared.max(others.0 + self.least.0))
    }
}

impl Pairs {
    /// The most measurements that fit into `time` of a launch, but at least the minimal ones.
    pub fn within(time: Seconds, rates: &Rates, largest: Bytes) -> Self {
        let largest = largest.max(LEAST_LARGEST).min(Bytes(LARGEST_MESSAGE));
        let counts = REPETITIONS.rev();
        let drafts = DOUBLINGS.iter().flat_map(|doublings| {
            let sizes = sizes(*doublings, largest);
            counts.clone().map(move |repetitions| {
                let cell = |&size| Cell::of_two(Operation::PingPong, size, WARM_UP, repetitions);
                sizes.iter().map(cell).collect::<Vec<_>>()
            })
        });
        let cost = |cells: &[Cell]| {
            let cell =
                |cell: &Cell| rates.repetition(cell).0 * f64::from(cell.warmup + cell.repetitions);
            Seconds(cells.iter().map(cell).sum())
        };
        let mut cells = Vec::new();
        for draft in drafts {
            cells = draft;
            if cost(&cells) <= time {
                break;
            }
        }
        let cost = cost(&cells);
        let settings = PLogPSettings {
            sizes: SizeRange {
                smallest: Bytes(1),
                largest,
            },
            ..PLogPSettings::default()
        };
        let tables = rates.plogp(&settings).high;
        if cost + tables > time {
            return Self {
                cells,
                plogp: None,
                cost,
            };
        }
        cells.push(Cell::of_plogp(&settings));
        Self {
            cells,
            plogp: Some(settings),
            cost: cost + tables,
        }
    }
}

/// Sizes from 1 byte up to and including `largest`.
fn sizes(doublings: usize, largest: Bytes) -> Vec<Bytes> {
    let double = |size: &Bytes| Some(Bytes(size.0 << 1)).filter(|size| *size < largest);
    let below = std::iter::successors(Some(Bytes(1)), double);
    below.step_by(doublings).chain([largest]).collect()
}
