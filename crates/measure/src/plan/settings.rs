//! Settings of a pLogP measurement, as in the MPI `LogP` benchmark with its defaults, and the derived sizes and
//! repetitions.

use netsig_base::units::Bytes;
use netsig_base::units::list::QuantityList;
use serde::{Deserialize, Serialize};

use super::LARGEST_MESSAGE;
use super::number::{count, share};

/// Settings of a pLogP measurement, as in the MPI `LogP` benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PLogPSettings {
    /// The sizes to measure.
    pub sizes: SizeRange,
    /// Number of repetitions that are added at a time.
    #[serde(deserialize_with = "count")]
    pub round: u32,
    /// The most repetitions of a size above 64 KiB; sizes up to 64 KiB have twice as many, sizes up
    /// to 1 KiB four times as many.
    #[serde(deserialize_with = "count")]
    pub most: u32,
    /// Confidence level of the one-sided intervals that end the repetitions.
    #[serde(deserialize_with = "share")]
    pub confidence: f64,
    /// Half the relative half-width of the interval that ends the repetitions.
    #[serde(deserialize_with = "share")]
    pub epsilon: f64,
    /// The largest relative deviation from the line through two smaller sizes that causes no
    /// measurement of a size between.
    #[serde(deserialize_with = "share")]
    pub difference: f64,
    /// The gaps that are measured by saturation.
    pub flood: FloodedSizes,
}

/// The range of pLogP sizes; a plan gives a list of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "QuantityList<Bytes>", into = "[Bytes; 2]")]
pub struct SizeRange {
    /// The smallest size above 0.
    pub smallest: Bytes,
    /// The largest planned size. Larger ones are added while the gap falls short of the line through two smaller
    /// sizes.
    pub largest: Bytes,
}

/// The gaps that are measured by saturation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FloodedSizes {
    /// g(0) only; the other gaps follow from round trips.
    #[default]
    Empty,
    /// The gaps of all sizes.
    Every,
}

/// Upper bounds of small and of middling sizes.
const SMALL: Bytes = Bytes(1 << 10);
const MIDDLING: Bytes = Bytes(1 << 16);

/// Number of discarded repetitions at the start, for sizes up to 64 KiB.
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
            flood: FloodedSizes::default(),
        }
    }
}

impl TryFrom<QuantityList<Bytes>> for SizeRange {
    type Error = String;
    fn try_from(sizes: QuantityList<Bytes>) -> Result<Self, String> {
        let largest = sizes.largest();
        let smallest = sizes.items().iter().find(|size| size.0 > 0);
        match smallest {
            Some(&smallest) if smallest < largest && largest.0 <= LARGEST_MESSAGE => Ok(Self { smallest, largest }),
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
    /// Checks that the repetitions and the confidence are possible.
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

    /// The sizes that are always measured, ascending: 0, the smallest size doubled repeatedly, and
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

/// Number of discarded repetitions at the start of a pLogP step with `size`.
pub(super) fn warm_up(size: Bytes) -> u32 {
    if size <= MIDDLING { WARM_UP } else { 0 }
}
