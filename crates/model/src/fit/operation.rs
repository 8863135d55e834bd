//! Time of the operation of a reduction on a byte, ω, from local calls of `MPI_Reduce_local`.
//!
//! # Formula
//! ω is the median of t/m over the sizes m of at least 4 KiB, where t is the median time of a call; without such sizes,
//! t/m of the longest. Shorter calls consist of their start-up, which a collective spends beside that of its message. The
//! median of several sizes is that of vectors which partly fit the caches, as the blocks of collectives do.
//! The deviation is 1.4826 times the median absolute deviation of t/m.
//!
//! # Source
//! netsig.

use std::collections::BTreeMap;

use netsig_base::algorithm::ReductionOperands;
use netsig_base::data::Experiment;
use netsig_base::data::cells::{MeasuredCells, Statistic};
use netsig_base::stats::sample::{median, robust_deviation};
use netsig_base::units::parameter::non_negative;
use netsig_base::units::{Bytes, SecondsPerByte, from_text};
use serde::{Deserialize, Serialize, Serializer};

/// Least size of calls that show the time of a byte.
const LEAST_SIZE: Bytes = Bytes(4096);

/// Time of an operation on a byte.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationTime {
    /// Operation and type of the elements.
    #[serde(rename = "reduction", serialize_with = "as_text", deserialize_with = "from_text")]
    pub operands: ReductionOperands,
    /// ω.
    #[serde(rename = "operation_s_per_byte")]
    pub per_byte: SecondsPerByte,
    /// Deviation between sizes.
    #[serde(rename = "deviation_s_per_byte")]
    pub deviation: SecondsPerByte,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn as_text<S: Serializer>(operands: &ReductionOperands, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(operands)
}

impl OperationTime {
    /// Checks that no time is negative.
    ///
    /// # Errors
    /// Names the value that is.
    pub(crate) fn check(&self) -> Result<(), String> {
        non_negative("operation_s_per_byte", self.per_byte.0)?;
        non_negative("deviation_s_per_byte", self.deviation.0)?;
        Ok(())
    }
}

/// The time of each measured operation.
pub fn fit(cells: &MeasuredCells) -> Vec<OperationTime> {
    let mut gaps: BTreeMap<ReductionOperands, Vec<(Bytes, f64)>> = BTreeMap::new();
    for (key, summary) in &cells.summaries {
        if key.experiment == Experiment::LocalReduction
            && key.size > Bytes(0)
            && let Ok(operands) = key.algorithm.parse()
        {
            let gap = summary.value(Statistic::Median).0 / key.size.as_f64();
            gaps.entry(operands).or_default().push((key.size, gap));
        }
    }
    gaps.into_iter()
        .map(|(operands, gaps)| of_gaps(operands, &gaps))
        .collect()
}

/// The time from pairs of m and t/m, of which there is at least one.
fn of_gaps(operands: ReductionOperands, gaps: &[(Bytes, f64)]) -> OperationTime {
    let longest = gaps.iter().map(|(size, _)| *size).max().unwrap_or_default();
    let least = LEAST_SIZE.min(longest);
    let used: Vec<f64> = gaps
        .iter()
        .filter(|(size, _)| *size >= least)
        .map(|(_, gap)| *gap)
        .collect();
    let per_byte = median(used.iter().copied());
    OperationTime {
        operands,
        per_byte: SecondsPerByte(per_byte),
        deviation: SecondsPerByte(robust_deviation(used.iter().map(|gap| gap - per_byte))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(gaps: &[(u64, f64)]) -> (f64, f64) {
        let gaps: Vec<(Bytes, f64)> = gaps.iter().map(|(size, gap)| (Bytes(*size), *gap)).collect();
        let found = of_gaps(ReductionOperands::default(), &gaps);
        (found.per_byte.0, found.deviation.0)
    }

    /// A start-up of 1 µs in short calls does not change the time of a byte.
    #[test]
    fn short_calls_and_one_size_outside_the_caches_have_no_influence() {
        let calls = [
            (64, 16.5),
            (1024, 1.8),
            (4096, 1.0),
            (16384, 1.0),
            (65536, 1.0),
            (1 << 20, 3.0),
        ];
        assert_eq!(of(&calls), (1.0, 0.0));
    }

    #[test]
    fn without_long_calls_the_longest_counts() {
        assert_eq!(of(&[(64, 16.5), (1024, 1.8)]), (1.8, 0.0));
    }
}
