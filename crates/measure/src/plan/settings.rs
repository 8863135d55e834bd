//! How pLogP is measured: the settings of the MPI `LogP` benchmark with its defaults, and
//! what follows from them for each size.

use netsig_core::units::Bytes;
use netsig_core::units::list::List;
use serde::{Deserialize, Serialize};

use super::LARGEST_MESSAGE;
use super::number::{count, share};

/// How pLogP is measured: the settings of the MPI `LogP` benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PLogPSettings {
    /// The sizes to measure.
    pub sizes: SizeRange,
    /// Repetitions are added in rounds of so many.
    #[serde(deserialize_with = "count")]
    pub round: u32,
    /// The most repetitions of a size above 64 KiB; twice as many up to there, and four
    /// times as many up to 1 KiB.
    #[serde(deserialize_with = "count")]
    pub most: u32,
    /// The level of the one-sided confidence intervals that end the repetitions.
    #[serde(deserialize_with = "share")]
    pub confidence: f64,
    /// Half the relative half-width at which they end.
    #[serde(deserialize_with = "share")]
    pub epsilon: f64,
    /// The largest relative deviation from a line through two sizes that needs no size
    /// between.
    #[serde(deserialize_with = "share")]
    pub difference: f64,
    /// Whether every g(m) is measured by saturation, as g(0) is.
    pub flood: Flood,
}

/// The sizes of pLogP; a plan gives a list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "List<Bytes>", into = "[Bytes; 2]")]
pub struct SizeRange {
    /// The smallest size but 0.
    pub smallest: Bytes,
    /// The largest size, unless the gap is still falling short of a line there.
    pub largest: Bytes,
}

/// Which gaps are measured by saturation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
            sizes: SizeRange {
                smallest: Bytes(1),
                largest: Bytes(256 << 10),
            },
            round: 3,
            most: 18,
            confidence: 0.90,
            epsilon: 0.03,
            difference: 0.2,
            flood: Flood::default(),
        }
    }
}

impl TryFrom<List<Bytes>> for SizeRange {
    type Error = String;
    fn try_from(sizes: List<Bytes>) -> Result<Self, String> {
        let largest = sizes.largest();
        let smallest = sizes.items().iter().find(|size| size.0 > 0);
        match smallest {
            Some(&smallest) if smallest < largest && largest.0 <= LARGEST_MESSAGE => {
                Ok(Self { smallest, largest })
            }
            _ => Err(format!(
                "[plogp] sizes up to {largest} are no range; write two sizes from 1 to 2147483647 bytes, such as \"1..256KiB\""
            )),
        }
    }
}

impl From<SizeRange> for [Bytes; 2] {
    fn from(range: SizeRange) -> Self {
        [range.smallest, range.largest]
    }
}

impl PLogPSettings {
    /// Refuses settings that no round of repetitions meets.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.most < self.round {
            return Err(format!(
                "[plogp] most = {} is less than a round of {}; write most = {} or more",
                self.most, self.round, self.round
            ));
        }
        if self.confidence <= 0.5 {
            return Err(format!(
                "[plogp] confidence = {} has no interval; write a number above 0.5 such as 0.9",
                self.confidence
            ));
        }
        Ok(())
    }

    /// The sizes that are measured in any case, ascending: 0, the smallest and its doubles,
    /// the largest.
    pub fn initial_sizes(&self) -> Vec<Bytes> {
        let double = |size: &Bytes| Some(Bytes(size.0 * 2));
        let doubles = std::iter::successors(Some(self.sizes.smallest), double);
        std::iter::once(Bytes(0))
            .chain(doubles.take_while(|size| *size < self.sizes.largest))
            .chain([self.sizes.largest])
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
pub(super) fn warm_up(size: Bytes) -> u32 {
    if size <= MIDDLING { WARM_UP } else { 0 }
}
