//! Figures of many values.

use netsig_base::stats::sample::{SortedValues, mean, median};
use netsig_model::predict::penalty::geometric_mean;

/// A figure of at least one value.
pub type GoalSummary = fn(&[f64]) -> f64;

/// The median.
pub fn middle(values: &[f64]) -> f64 {
    median(values.iter().copied())
}

/// A quantile, by nearest rank.
pub fn quantile(values: &[f64], level: f64) -> f64 {
    SortedValues::new(values.to_vec()).quantile(level)
}

/// The 90th percentile.
pub fn p90(values: &[f64]) -> f64 {
    quantile(values, 0.9)
}

/// The arithmetic mean.
pub fn average(values: &[f64]) -> f64 {
    mean(values)
}

/// The geometric mean.
pub fn geometric(values: &[f64]) -> f64 {
    geometric_mean(values).unwrap_or(f64::NAN)
}

/// The largest value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The sum; for ones and zeros the number of ones.
pub fn total(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// The share of true outcomes in per cent; `None` without outcomes.
pub fn share(outcomes: impl Iterator<Item = bool>) -> Option<f64> {
    let all: Vec<bool> = outcomes.collect();
    let held = all.iter().filter(|held| **held).count() as f64;
    (!all.is_empty()).then(|| 100.0 * held / all.len() as f64)
}
