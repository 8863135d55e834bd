//! Medians of one experiment between two processes at each size, with their variances.
//!
//! # Formula
//! The variance of a median of R repetitions in K launches is the greater of
//!
//! - π/2·w(t)/R with 0.37·(R − K) degrees of freedom, where w = (1.4826·MAD)² is the variance of a repetition. MAD is
//!   the median absolute deviation of the repetitions from the median of their launch. The factor π/2 holds for the
//!   median of normal errors; stalls have no influence.
//! - v(t)/K with K − 1 degrees of freedom, where v is the variance of a launch's median. Launches with unequal numbers
//!   of repetitions Rⱼ count as K = (ΣRⱼ)²/ΣRⱼ².
//!
//! w and v are functions of the time, fitted to all sizes of the experiment together. One size has too few repetitions,
//! and far too few launches, to determine them. All variances are in s². They are 0 if the repetitions are unknown.
//!
//! # Source
//! netsig. The pLogP benchmark of Kielmann, Bal and Verstoep takes means of few repetitions and
//! adds repetitions until they agree; on TCP a single retransmission (200 ms) then dominates the
//! mean, so netsig takes medians. The factor 0.37 is the efficiency of the MAD under a normal
//! distribution (Hampel 1974).

mod noise;

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use netsig_base::data::cells::{MeasuredCells, Statistic, TimesByLaunch};
use netsig_base::data::{Experiment, Sample};
use netsig_base::stats::interval::Variance;
use netsig_base::stats::sample::{SortedValues, median, robust_deviation};
use netsig_base::units::{Bytes, Seconds};

use self::noise::{NoiseModel, SizeVariance};

/// Degrees of freedom of a MAD per repetition.
const MAD_EFFICIENCY: f64 = 0.37;

/// Median at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeMedian {
    /// Size m.
    pub size: Bytes,
    /// The median, or the statistic that another program computed.
    pub time: Seconds,
    /// The variance of `time` in s².
    pub variance: Variance,
    /// Degrees of freedom of the variance between launches; 0 with one launch.
    pub between_launches_dof: f64,
    /// The shortest repetition.
    pub shortest: Seconds,
}

/// The medians of an experiment, ascending in size.
pub fn size_medians(cells: &MeasuredCells, experiment: Experiment) -> Vec<SizeMedian> {
    let experiment_cells = cells.of_experiment(experiment);
    let mut medians: BTreeMap<Bytes, SizeMedian> = imported_medians(cells, experiment).collect();
    medians.extend(medians_of_samples(experiment_cells.flat_map(|(_, rows)| &rows.samples)));
    medians.into_values().collect()
}

/// The medians that other programs computed.
fn imported_medians(cells: &MeasuredCells, experiment: Experiment) -> impl Iterator<Item = (Bytes, SizeMedian)> {
    let summaries = cells.summaries.iter();
    let imported_summaries =
        summaries.filter(move |(key, summary)| key.experiment == experiment && summary.imported.is_some());
    imported_summaries.map(|(key, summary)| {
        let time = summary.value(Statistic::Median);
        let size_median = SizeMedian {
            size: key.size,
            time,
            variance: Variance { value: 0.0, dof: 1.0 },
            between_launches_dof: 0.0,
            shortest: time,
        };
        (key.size, size_median)
    })
}

/// The medians of single repetitions, by size.
pub(super) fn medians_of_samples<'a>(samples: impl IntoIterator<Item = &'a &'a Sample>) -> BTreeMap<Bytes, SizeMedian> {
    let mut by_size: BTreeMap<Bytes, TimesByLaunch> = BTreeMap::new();
    for sample in samples {
        let launches = by_size.entry(sample.cell.size).or_default();
        let repetitions = launches.entry(sample.cell.launch).or_default();
        repetitions.push(sample.time.0);
    }
    measured_medians(&by_size).collect()
}

/// The medians of the times at each size and launch.
fn measured_medians(by_size: &BTreeMap<Bytes, TimesByLaunch>) -> impl Iterator<Item = (Bytes, SizeMedian)> {
    let spreads_within = by_size.values().map(within_launches);
    let within = NoiseModel::fit(spreads_within.collect());
    let repeated = by_size.values().filter(|launches| launches.len() > 1);
    let between = NoiseModel::fit(repeated.map(between_launches).collect());
    by_size.iter().map(move |(&size, launches)| {
        let size_median = median_of_launches(size, launches, [&within, &between]);
        (size, size_median)
    })
}

fn median_of_launches(size: Bytes, launches: &TimesByLaunch, [within, between]: [&NoiseModel; 2]) -> SizeMedian {
    let all = SortedValues::new(launches.values().flatten().copied().collect());
    let count: usize = launches.values().map(Vec::len).sum();
    let repetition_variance = within.variance(all.median());
    let within_variance = repetition_variance.scaled(FRAC_PI_2 / count as f64);
    let launch_variance = between.variance(all.median());
    let between_variance = launch_variance.scaled(1.0 / equal_launches(launches));
    SizeMedian {
        size,
        time: Seconds(all.median()),
        variance: if between_variance.value > within_variance.value {
            between_variance
        } else {
            within_variance
        },
        between_launches_dof: between_variance.dof,
        shortest: Seconds(all.quantile(0.0)),
    }
}

/// Number of launches with equal numbers of repetitions that contain as much information.
fn equal_launches(launches: &TimesByLaunch) -> f64 {
    let counts = || launches.values().map(|times| times.len() as f64);
    counts().sum::<f64>().powi(2) / counts().map(|count| count * count).sum::<f64>()
}

/// The variance of a repetition around the median of its launch.
fn within_launches(launches: &TimesByLaunch) -> SizeVariance {
    let all = SortedValues::new(launches.values().flatten().copied().collect());
    let deviations = launches.values().flat_map(|times| {
        let middle = median(times.iter().copied());
        times.iter().map(move |time| time - middle)
    });
    let variance = robust_deviation(deviations).powi(2);
    let count: usize = launches.values().map(Vec::len).sum();
    SizeVariance {
        square_time: all.median().powi(2),
        variance,
        dof: (MAD_EFFICIENCY * (count - launches.len()) as f64).max(1.0),
    }
}

/// The variance of the launches' medians around their mean, from at least two launches.
fn between_launches(launches: &TimesByLaunch) -> SizeVariance {
    let medians = launches.values().map(|times| median(times.iter().copied()));
    SizeVariance::of(&medians.collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::testing;

    /// Five repetitions around 10 with one stall: MAD 1, so π/2·1.4826²/5; 0.37·4 degrees of
    /// freedom.
    #[test]
    fn a_stall_changes_neither_the_median_nor_its_variance() {
        for stall in [12.0, 200.0] {
            let times = [9.0, 10.0, 8.0, 11.0, stall];
            let data = testing::data(times.map(|t| (Experiment::PingPong, 8, 0, t)));
            let level = size_medians(&MeasuredCells::of(&data), Experiment::PingPong)[0];
            assert_eq!((level.time, level.shortest), (Seconds(10.0), Seconds(8.0)));
            assert!((level.variance.value - 0.690_553).abs() < 1e-5, "{level:?}");
            assert!((level.variance.dof - 1.48).abs() < 1e-12);
        }
    }

    /// Two launches that differ by 2 % of 1 s at every size: each median is 10 ms off the mean. So s² = 2·(10 ms)² for
    /// one degree of freedom a size, and half of that for the mean of two.
    #[test]
    fn what_differs_between_launches_is_not_repeated_away() {
        let sizes_and_launches = (0..5).flat_map(|i| (0..2).map(move |launch| (i, launch)));
        let rows = sizes_and_launches.flat_map(|(i, launch)| {
            let time = if launch == 0 { 0.99 } else { 1.01 };
            (0..100).map(move |_| (Experiment::PingPong, 8 << i, launch, time))
        });
        let data = testing::data(rows);
        for level in size_medians(&MeasuredCells::of(&data), Experiment::PingPong) {
            assert!((level.variance.value - 1e-4).abs() < 1e-9, "{level:?}");
            assert_eq!(level.variance.dof.to_bits(), 5f64.to_bits());
        }
    }
}
