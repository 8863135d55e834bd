//! Saturation of a network by simultaneous transfers between disjoint pairs.
//!
//! # Formula
//! Each of k pairs transfers m bytes from a common start, and the i-th transfer ends after tᵢ.
//! Its bandwidth is m/tᵢ, in bytes per second; the aggregate is k times the mean. The network is
//! saturated from k pairs on if the aggregate of 2k exceeds that of k by less than 5 %; if the
//! next measured number of pairs is not 2k, by less than 5 % per doubling.
//!
//! - The free gap per byte `β_F` is the median of t/m at k = 1, or the fast mode of the fewest pairs if there is no
//!   k = 1.
//! - The gap `β_C` of a delayed transfer is that of the slowest transfer at the largest k.
//! - The share ρ of delayed transfers counts those at the largest k whose gap is nearer to `β_C` than to `β_F` in the
//!   logarithm; it is 0 if `β_C` does not exceed `β_F`.
//!
//! # Domain
//! Messages that take much longer than a start-up: of several sizes the largest is used. The
//! source uses 32 MiB.
//!
//! # Source
//! Steffenel 2006 (INRIA report) §3 and §6, which takes `β_C` from the slowest transfers and sets
//! ρ = 1/2. The clusters and the share are netsig's.
//!
//! ```
//! # use netsig_model::fit::flows::FlowGaps;
//! # use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
//! // Eight transfers of 32 MiB, of which one half is delayed, with the source's gaps.
//! let size = Bytes(32 << 20);
//! let [free, slow] = [8.502e-9, 8.498189e-8].map(|gap| SecondsPerByte(gap) * size);
//! let times = [free, slow, free, slow, slow, free, free, slow];
//! let found = FlowGaps::of(&times, size, SecondsPerByte(8.502e-9));
//! let mixed = (1.0 - found.rho) * 8.502e-9 + found.rho * found.beta_contended.0;
//! assert!((mixed / 4.6741945e-8 - 1.0).abs() < 1e-12);
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use netsig_base::data::Experiment;
use netsig_base::data::cells::MeasuredCells;
use netsig_base::stats::sample::{SortedValues, mean, median};
use netsig_base::units::parameter::non_negative;
use netsig_base::units::{Bytes, BytesPerSecond, Seconds, SecondsPerByte};

/// An aggregate that grows by less than this share per doubling of the pairs is saturated.
const LEAST_GROWTH: f64 = 0.05;

/// Transfers of one number of pairs and one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowLoad {
    /// Number of pairs k.
    pub pairs: u32,
    /// Size m.
    pub size: Bytes,
    /// Number of measured transfers.
    pub transfers: usize,
    /// Mean of the transfers' bandwidths.
    pub bandwidth: BytesPerSecond,
    /// Aggregate bandwidth: k times the mean.
    pub aggregate: BytesPerSecond,
    /// Statistics of the times at which transfers end.
    pub completion: FlowCompletion,
}

/// Statistics of the times from the common start to the end of a transfer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowCompletion {
    /// Arithmetic mean.
    pub mean: Seconds,
    /// End of the first transfer.
    pub min: Seconds,
    /// End of a tenth of the transfers (nearest rank).
    pub p10: Seconds,
    /// End of half of the transfers.
    pub median: Seconds,
    /// End of nine tenths of the transfers.
    pub p90: Seconds,
    /// End of the last transfer.
    pub max: Seconds,
}

/// The gaps of free and of delayed transfers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowGaps {
    /// `β_F`: gap of a transfer alone.
    #[serde(rename = "beta_f_s_per_byte")]
    pub beta_free: SecondsPerByte,
    /// `β_C`: gap of a delayed transfer.
    #[serde(rename = "beta_c_s_per_byte")]
    pub beta_contended: SecondsPerByte,
    /// ρ: the share of delayed transfers, from 0 to 1.
    pub rho: f64,
    /// Least number of pairs beyond which the aggregate no longer grows; `None` if it grows to
    /// the end.
    pub saturated_pairs: Option<u32>,
}

/// Fits the measured transfers; returns their loads as well, ascending in size and pairs. `None`
/// without transfers.
pub fn fit(cells: &MeasuredCells) -> Option<(FlowGaps, Vec<FlowLoad>)> {
    let mut times: BTreeMap<(Bytes, u32), Vec<Seconds>> = BTreeMap::new();
    for (key, rows) in cells.of_experiment(Experiment::Flow) {
        let pairs = (key.procs.get() / 2).max(1);
        let transfer_times = rows.samples.iter().map(|sample| sample.time);
        times.entry((key.size, pairs)).or_default().extend(transfer_times);
    }
    times.retain(|_, transfer_times| !transfer_times.is_empty());
    let of_pairs = |(&(size, pairs), times): (&_, &Vec<_>)| load(pairs, size, times);
    let loads: Vec<FlowLoad> = times.iter().map(of_pairs).collect();
    let (&(largest, _), most) = times.last_key_value()?;
    let (&(_, fewest), least) = times.range((largest, 0)..).next()?;
    let free = match fewest {
        1 => Seconds(median(least.iter().map(|time| time.0))),
        _ => fast_mean(least),
    };
    let beta_free = gap(free, largest);
    // Loads ascend in size.
    let of_largest = loads.partition_point(|load| load.size < largest);
    let flows = FlowGaps {
        saturated_pairs: saturated(&loads[of_largest..]),
        ..FlowGaps::of(most, largest, beta_free)
    };
    Some((flows, loads))
}

impl FlowGaps {
    /// `β_C` and ρ of transfers of `size` bytes, at least one.
    pub fn of(times: &[Seconds], size: Bytes, beta_free: SecondsPerByte) -> Self {
        let slow = times.iter().fold(0.0, |most: f64, time| most.max(time.0));
        let least = (slow * (beta_free * size).0).sqrt();
        let beta_contended = gap(Seconds(slow), size);
        let delayed = times.iter().filter(|time| time.0 >= least).count();
        Self {
            beta_free,
            beta_contended,
            rho: if beta_contended > beta_free {
                delayed as f64 / times.len() as f64
            } else {
                0.0
            },
            saturated_pairs: None,
        }
    }

    /// Refuses values that no prediction can use.
    ///
    /// # Errors
    /// If a value is impossible; the error names the key and the fault.
    pub fn check(&self) -> Result<(), String> {
        for (key, gap) in [
            ("beta_f_s_per_byte", self.beta_free),
            ("beta_c_s_per_byte", self.beta_contended),
        ] {
            non_negative(key, gap.0)?;
        }
        if !(0.0..=1.0).contains(&self.rho) {
            return Err(format!("rho = {} is not between 0 and 1", self.rho));
        }
        if self.saturated_pairs == Some(0) {
            return Err("saturated_pairs = 0 is no number of pairs".to_owned());
        }
        Ok(())
    }
}

fn gap(time: Seconds, size: Bytes) -> SecondsPerByte {
    SecondsPerByte(time.0 / size.as_f64().max(1.0))
}

fn load(pairs: u32, size: Bytes, times: &[Seconds]) -> FlowLoad {
    let bandwidths = times.iter().map(|time| size.as_f64() / time.0);
    let bandwidth = mean(bandwidths);
    let sorted = SortedValues::new(times.iter().map(|time| time.0).collect());
    let quantile = |level| Seconds(sorted.quantile(level));
    FlowLoad {
        pairs,
        size,
        transfers: times.len(),
        bandwidth: BytesPerSecond(bandwidth),
        aggregate: BytesPerSecond(bandwidth * f64::from(pairs)),
        completion: FlowCompletion {
            mean: Seconds(mean(times.iter().map(|time| time.0))),
            min: quantile(0.0),
            p10: quantile(0.1),
            median: Seconds(sorted.median()),
            p90: quantile(0.9),
            max: quantile(1.0),
        },
    }
}

/// First k whose aggregate grows by less than the limit per doubling up to the next measured k.
fn saturated(loads: &[FlowLoad]) -> Option<u32> {
    let is_saturated = |pair: &&[FlowLoad]| {
        let doublings = (f64::from(pair[1].pairs) / f64::from(pair[0].pairs)).log2();
        pair[1].aggregate.0 < pair[0].aggregate.0 * (1.0 + LEAST_GROWTH).powf(doublings)
    };
    loads.windows(2).find(is_saturated).map(|pair| pair[0].pairs)
}

/// Mean of the fast group, if the sorted times are split in two groups with the least sum of
/// squares of ln t within them. In one dimension every split can be tried, so this is the optimum
/// of 2-means. The least sum within is the greatest between: Σ over the groups of (Σ ln t)²/count.
fn fast_mean(times: &[Seconds]) -> Seconds {
    let sorted = SortedValues::new(times.iter().map(|time| time.0).collect());
    let sorted_times = sorted.values();
    let middle = mean(sorted_times).ln();
    let total: f64 = sorted_times.iter().map(|time| time.ln() - middle).sum();
    let (mut below, mut cut, mut most) = (0.0, 0, f64::NEG_INFINITY);
    for (count, time) in (1..sorted_times.len()).zip(sorted_times) {
        below += time.ln() - middle;
        let [fast, slow] = [count, sorted_times.len() - count].map(|count| count as f64);
        let between = below * below / fast + (total - below).powi(2) / slow;
        if between > most {
            (cut, most) = (count, between);
        }
    }
    let (fast, slow) = sorted_times.split_at(cut);
    Seconds(mean(if fast.is_empty() { slow } else { fast }))
}

#[cfg(test)]
mod tests {
    use netsig_base::data::Dataset;

    use super::*;
    use crate::testing::read;

    /// Fits transfers of a megabyte; `loads` has the times of each number of pairs.
    fn fitted(loads: &[(u32, &[f64])]) -> Option<(FlowGaps, Vec<FlowLoad>)> {
        let row = |pairs: u32, time| format!("flow,,,{},1000000,0,0,{time}\n", 2 * pairs);
        let rows = loads
            .iter()
            .flat_map(|&(pairs, times)| times.iter().map(move |time| row(pairs, time)));
        fit(&MeasuredCells::of(&read("", "", &rows.collect::<String>())))
    }

    fn is_close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-9 * expected.abs()
    }

    /// A backbone that carries two full transfers: four share it evenly.
    #[test]
    fn a_shared_backbone_saturates_where_its_aggregate_ends() {
        let loads = [(1, &[0.1; 2][..]), (2, &[0.1; 2]), (4, &[0.2; 4]), (8, &[0.4; 8])];
        let (found, loads) = fitted(&loads).unwrap();
        assert_eq!(found.saturated_pairs, Some(2));
        for (load, expected) in loads.iter().zip([1e7, 2e7, 2e7, 2e7]) {
            assert!(is_close(load.aggregate.0, expected), "{loads:?}");
        }
        assert!(is_close(found.beta_free.0, 1e-7) && is_close(found.beta_contended.0, 4e-7));
        assert!(is_close(found.rho, 1.0), "{found:?}");
        let (of_four_pairs, _) = fitted(&[(4, &[0.2; 4]), (6, &[0.3; 6])]).unwrap();
        assert_eq!(of_four_pairs.saturated_pairs, Some(4));
        let (growing, _) = fitted(&[(1, &[0.1]), (2, &[0.1]), (4, &[0.1])]).unwrap();
        assert_eq!(growing.saturated_pairs, None);
        assert!(is_close(growing.rho, 0.0), "{growing:?}");
    }

    /// Six fast transfers and two slow ones, of which the slowest gives `β_C`.
    #[test]
    fn modes_are_told_apart() {
        let eight = [0.1, 0.11, 0.09, 0.1, 0.1, 0.1, 0.5, 0.7];
        let (found, loads) = fitted(&[(1, &[0.1]), (8, &eight)]).unwrap();
        assert!(is_close(found.beta_contended.0, 7e-7), "{found:?}");
        assert!(is_close(found.rho, 0.25), "{found:?}");
        let all = loads[1].completion;
        let quantiles = [all.min, all.p10, all.median, all.p90, all.max];
        assert_eq!(quantiles, [0.09, 0.09, 0.1, 0.7, 0.7].map(Seconds));
        // Without a lone transfer the fast mode is free.
        let (found, _) = fitted(&[(2, &[0.1, 0.1, 0.4, 0.1])]).unwrap();
        assert!(is_close(found.beta_free.0, 1e-7), "{found:?}");
        assert_eq!(fit(&MeasuredCells::of(&Dataset::default())), None);
    }
}
