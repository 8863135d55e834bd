//! The medians of one experiment between two processes, size by size, and how far they can
//! be trusted.
//!
//! # Formula
//! The variance of a median of R repetitions in K launches is the greater of
//!
//! - π/2·(1.4826·MAD)²/R, from the median absolute deviation of the repetitions from the
//!   median of their launch (a normal distribution's variance of a median; stalls do not
//!   enter), with 0.37·(R − K) degrees of freedom,
//! - s²·t²/K, where s² is the variance of the launches' medians relative to their mean,
//!   pooled over all sizes of the experiment, since a single size has too few launches.
//!
//! All in s². Zero where nothing is known of repetitions.
//!
//! # Source
//! netsig. The pLogP benchmark of Kielmann, Bal and Verstoep takes means of few repetitions
//! and adds repetitions until they agree; on TCP a single retransmission (200 ms) then makes
//! up the mean, so here it is medians. The factor 0.37 is the efficiency of the MAD under a
//! normal distribution (Hampel 1974).

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use super::Variance;
use crate::cells::{Sorted, Statistic, summarise};
use crate::dataset::{Dataset, Experiment};
use crate::units::{Bytes, Seconds};

/// The standard deviation of a normal distribution whose MAD is 1.
const NORMAL_MAD: f64 = 1.4826;

/// How many repetitions a MAD is worth, of each.
const MAD_EFFICIENCY: f64 = 0.37;

/// What was measured at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// m.
    pub size: Bytes,
    /// The median, or what another program computed.
    pub time: Seconds,
    /// The variance of `time` in s².
    pub variance: Variance,
    /// The shortest repetition.
    pub least: Seconds,
}

/// The repetitions of one size by launch.
type Launches = BTreeMap<u32, Vec<f64>>;

/// The levels of an experiment, ascending in size.
pub fn levels(data: &Dataset, experiment: Experiment) -> Vec<Level> {
    let mut by_size: BTreeMap<Bytes, Launches> = BTreeMap::new();
    let own = data.samples.iter().filter(|s| s.experiment == experiment);
    for sample in own {
        let launches = by_size.entry(sample.size).or_default();
        let repetitions = launches.entry(sample.launch).or_default();
        repetitions.push(sample.time.0);
    }
    let between = between_launches(by_size.values());
    let mut levels: BTreeMap<Bytes, Level> = imported(data, experiment);
    levels.extend(
        by_size
            .iter()
            .map(|(&size, launches)| (size, level(size, launches, between))),
    );
    levels.into_values().collect()
}

/// The levels that other programs computed.
fn imported(data: &Dataset, experiment: Experiment) -> BTreeMap<Bytes, Level> {
    let aggregates = data.aggregates.iter();
    let own = Dataset {
        aggregates: aggregates
            .filter(|one| one.place.experiment == experiment)
            .cloned()
            .collect(),
        ..Dataset::default()
    };
    let cells = summarise(&own).into_iter();
    cells
        .map(|(key, summary)| {
            let time = summary.value(Statistic::Median);
            let level = Level {
                size: key.size,
                time,
                variance: Variance {
                    value: 0.0,
                    dof: 1.0,
                },
                least: time,
            };
            (key.size, level)
        })
        .collect()
}

fn level(size: Bytes, launches: &Launches, between: Variance) -> Level {
    let all = Sorted::new(launches.values().flatten().copied().collect());
    let time = all.median();
    let own = within_launches(launches);
    let launched = Variance {
        value: between.value * time * time / launches.len() as f64,
        dof: between.dof,
    };
    Level {
        size,
        time: Seconds(time),
        variance: if launched.value > own.value {
            launched
        } else {
            own
        },
        least: Seconds(all.quantile(0.0)),
    }
}

/// The variance of the median, from the repetitions around the medians of their launches.
fn within_launches(launches: &Launches) -> Variance {
    let deviations = launches.values().flat_map(|times| {
        let middle = Sorted::new(times.clone()).median();
        times.iter().map(move |time| (time - middle).abs())
    });
    let deviations = Sorted::new(deviations.collect());
    let count: usize = launches.values().map(Vec::len).sum();
    let deviation = NORMAL_MAD * deviations.median();
    Variance {
        value: FRAC_PI_2 * deviation * deviation / count as f64,
        dof: (MAD_EFFICIENCY * (count - launches.len()) as f64).max(1.0),
    }
}

/// The relative variance of a launch's median, pooled over sizes.
fn between_launches<'a>(sizes: impl Iterator<Item = &'a Launches>) -> Variance {
    let (mut squares, mut dof) = (0.0, 0);
    for launches in sizes.filter(|launches| launches.len() > 1) {
        let medians = launches.values();
        let medians: Vec<f64> = medians
            .map(|times| Sorted::new(times.clone()).median())
            .collect();
        let mean = medians.iter().sum::<f64>() / medians.len() as f64;
        let square = |median: &f64| (median / mean - 1.0).powi(2);
        squares += medians.iter().map(square).sum::<f64>();
        dof += medians.len() - 1;
    }
    let dof = dof.max(1) as f64;
    Variance {
        value: squares / dof,
        dof,
    }
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
            let level = levels(&data, Experiment::PingPong)[0];
            assert_eq!((level.time, level.least), (Seconds(10.0), Seconds(8.0)));
            assert!((level.variance.value - 0.690_553).abs() < 1e-5, "{level:?}");
            assert!((level.variance.dof - 1.48).abs() < 1e-12);
        }
    }

    /// Two launches that differ by 2 % at every size: each median is 1 % off the mean, so
    /// s² = 2·0.01² for one degree of freedom a size, and half of that for the mean of two.
    #[test]
    fn what_differs_between_launches_is_not_repeated_away() {
        let rows = (0..5).flat_map(|i| (0..2).map(move |launch| (i, launch)));
        let rows = rows.flat_map(|(i, launch)| {
            let time = if launch == 0 { 0.99 } else { 1.01 };
            (0..100).map(move |_| (Experiment::PingPong, 8 << i, launch, time))
        });
        for level in levels(&testing::data(rows), Experiment::PingPong) {
            assert!((level.variance.value - 1e-4).abs() < 1e-9, "{level:?}");
            assert_eq!(level.variance.dof.to_bits(), 5f64.to_bits());
        }
    }
}
