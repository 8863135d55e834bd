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

impl Summary {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_unstable_by(f64::total_cmp);
        let count = times.len();
        let mean = times.iter().sum::<f64>() / count as f64;
        let squares: f64 = times.iter().map(|t| (t - mean).powi(2)).sum();
        Self {
            repetitions: count,
            mean: Seconds(mean),
            median: Seconds(f64::midpoint(times[(count - 1) / 2], times[count / 2])),
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
    }
}
