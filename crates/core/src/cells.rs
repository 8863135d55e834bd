//! Repetitions put together: one [`Summary`] for each experiment, algorithm, process count
//! and size, with the statistics that fits and tables need.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dataset::{Dataset, Experiment};
use crate::units::{Bytes, Procs, Seconds};

/// What was repeated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellKey {
    /// What was timed.
    pub experiment: Experiment,
    /// Who ran it.
    pub algorithm: Arc<str>,
    /// Among how many.
    pub procs: Procs,
    /// With which size.
    pub size: Bytes,
}

/// How the repetitions of one cell came out. At least one repetition.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// How many repetitions.
    pub repetitions: usize,
    /// Arithmetic mean.
    pub mean: Seconds,
    /// Middle value, or the mean of the middle two.
    pub median: Seconds,
    /// Sample standard deviation (divisor R − 1); zero for one repetition.
    pub deviation: Seconds,
}

/// Which number stands for a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Statistic {
    /// The papers' choice; carries the stalls.
    #[default]
    Mean,
    /// What usually happens.
    Median,
}

/// Numbers in ascending order, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Sorted(Vec<f64>);

impl Sorted {
    /// The numbers in order.
    pub fn new(mut values: Vec<f64>) -> Self {
        assert!(!values.is_empty(), "statistics are of something");
        values.sort_unstable_by(f64::total_cmp);
        Self(values)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The middle one, or the mean of the middle two.
    pub fn median(&self) -> f64 {
        let count = self.0.len();
        f64::midpoint(self.0[(count - 1) / 2], self.0[count / 2])
    }

    /// The least that at least the share `level` of all do not exceed (nearest rank).
    pub fn quantile(&self, level: f64) -> f64 {
        let count = self.0.len();
        let least = level * count as f64;
        let rank = (1..count).find(|rank| *rank as f64 >= least);
        self.0[rank.unwrap_or(count) - 1]
    }
}

impl Summary {
    fn of(times: Vec<f64>) -> Self {
        let sorted = Sorted::new(times);
        let times = &sorted.0;
        let count = times.len();
        let mean = times.iter().sum::<f64>() / count as f64;
        let squares: f64 = times.iter().map(|t| (t - mean).powi(2)).sum();
        Self {
            repetitions: count,
            mean: Seconds(mean),
            median: Seconds(sorted.median()),
            deviation: Seconds(if count > 1 {
                (squares / (count - 1) as f64).sqrt()
            } else {
                0.0
            }),
        }
    }

    /// The wanted statistic.
    pub fn value(&self, statistic: Statistic) -> Seconds {
        match statistic {
            Statistic::Mean => self.mean,
            Statistic::Median => self.median,
        }
    }
}

/// All cells of a dataset, ordered by experiment, algorithm, process count and size.
pub fn summarise(data: &Dataset) -> BTreeMap<CellKey, Summary> {
    let mut times: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        let key = CellKey {
            experiment: sample.experiment,
            algorithm: Arc::clone(&sample.algorithm),
            procs: sample.procs,
            size: sample.size,
        };
        times.entry(key).or_default().push(sample.time.0);
    }
    times
        .into_iter()
        .map(|(key, times)| (key, Summary::of(times)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_known_numbers() {
        let summary = Summary::of(vec![4.0, 1.0, 2.0, 5.0]);
        assert_eq!(summary.mean, Seconds(3.0));
        assert_eq!(summary.median, Seconds(3.0));
        assert!((summary.deviation.0 - (10.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(Summary::of(vec![2.0]).deviation, Seconds(0.0));
        assert_eq!(Summary::of(vec![9.0, 1.0, 2.0]).median, Seconds(2.0));
        let ten = Sorted::new((1..=10).rev().map(f64::from).collect());
        let levels = [0.0, 0.5, 0.9, 1.0].map(|level| Seconds(ten.quantile(level)));
        assert_eq!(levels, [1.0, 5.0, 9.0, 10.0].map(Seconds));
    }
}
