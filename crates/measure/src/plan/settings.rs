//! How pLogP is measured: the settings of the MPI `LogP` benchmark with its defaults, and
//! what follows from them for each size.

use netsig_core::units::Bytes;

/// How pLogP is measured: the settings of the MPI `LogP` benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PLogPSettings {
    /// The smallest size but 0.
    pub smallest: Bytes,
    /// The largest size, unless the gap is still falling short of a line there.
    pub largest: Bytes,
    /// Repetitions are added in rounds of so many.
    pub round: u32,
    /// The most repetitions of a size above 64 KiB; twice as many up to there, and four
    /// times as many up to 1 KiB.
    pub most: u32,
    /// The level of the one-sided confidence intervals that end the repetitions.
    pub confidence: f64,
    /// Half the relative half-width at which they end.
    pub epsilon: f64,
    /// The largest relative deviation from a line through two sizes that needs no size
    /// between.
    pub difference: f64,
    /// Whether every g(m) is measured by saturation, as g(0) is.
    pub flood: Flood,
}

/// Which gaps are measured by saturation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flood {
    /// g(0) only; the others follow from round trips.
    #[default]
    Empty,
    /// All.
    Every,
}

/// Up to here a size counts as small, and up to the next as middling.
const SMALL: Bytes = Bytes(1 << 10);
const MIDDLING: Bytes = Bytes(1 << 16);

/// Repetitions of sizes up to 64 KiB that are thrown away first.
const WARM_UP: u32 = 2;

impl Default for PLogPSettings {
    fn default() -> Self {
        Self {
            smallest: Bytes(1),
            largest: Bytes(256 << 10),
            round: 3,
            most: 18,
            confidence: 0.90,
            epsilon: 0.03,
            difference: 0.2,
            flood: Flood::default(),
        }
    }
}

impl PLogPSettings {
    /// The sizes that are measured in any case, ascending: 0, the smallest and its doubles,
    /// the largest.
    pub fn initial_sizes(&self) -> Vec<Bytes> {
        let double = |size: &Bytes| Some(Bytes(size.0 * 2));
        let doubles = std::iter::successors(Some(self.smallest), double);
        std::iter::once(Bytes(0))
            .chain(doubles.take_while(|size| *size < self.largest))
            .chain([self.largest])
            .collect()
    }

    /// The most repetitions of `size`.
    pub fn most_of(&self, size: Bytes) -> u32 {
        match size {
            _ if size <= SMALL => self.most.saturating_mul(4),
            _ if size <= MIDDLING => self.most.saturating_mul(2),
            _ => self.most,
        }
    }
}

/// How many repetitions of a pLogP step with `size` are thrown away first.
pub(crate) fn warm_up(size: Bytes) -> u32 {
    if size <= MIDDLING { WARM_UP } else { 0 }
}
