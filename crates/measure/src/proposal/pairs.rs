//! What pairs are to tell before a collective is predicted: V(w) below the eager limit and β
//! from a ping-pong, and pLogP where there is time.
//!
//! # Method
//! The ping-pong doubles from 1 byte to the largest wanted size, 64 KiB at least; with little
//! time every second or third doubling is left out, down to four repetitions, which are always
//! there. pLogP takes what remains of the share.

use netsig_core::predict::design::allocation::{REPETITIONS, WARM_UP};
use netsig_core::units::{Bytes, Seconds};

use crate::estimate::Rates;
use crate::plan::{Cell, LARGEST_MESSAGE, Operation, PLogPSettings, SizeRange};

/// The share of the time that pairs may take.
const SHARE: f64 = 0.1;

/// The least largest size: eager limits lie below.
const LEAST_LARGEST: Bytes = Bytes(64 << 10);

/// How many doublings lie between two sizes, the more time there is the fewer.
const DOUBLINGS: [usize; 3] = [1, 2, 3];

/// What pairs take of the time of a launch: a share, but no less than what must be there and no
/// more than everything, so that what is left for others never falls as the time grows.
pub(super) struct Share {
    least: Seconds,
    most: Seconds,
}

/// The part of a plan that is between two.
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

    /// Of `time`.
    pub fn of(&self, time: Seconds) -> Seconds {
        Seconds((time.0 * SHARE).min(self.most.0).max(self.least.0))
    }

    /// The time of which `others` are left.
    pub fn with(&self, others: Seconds) -> Seconds {
        let shared = (others.0 / (1.0 - SHARE)).min(others.0 + self.most.0);
        Seconds(shared.max(others.0 + self.least.0))
    }
}

impl Pairs {
    /// As much as fits into `time` of a launch, but the least in any case.
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

/// From 1 byte on, the largest among them.
fn sizes(doublings: usize, largest: Bytes) -> Vec<Bytes> {
    let double = |size: &Bytes| Some(Bytes(size.0 << 1)).filter(|size| *size < largest);
    let below = std::iter::successors(Some(Bytes(1)), double);
    below.step_by(doublings).chain([largest]).collect()
}
