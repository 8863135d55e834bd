//! Scores of predictions.
//!
//! # Formula
//! ```text
//! CRPS  = mean |x_i - y| - mean |x_i - x_j| / 2
//! Brier = mean (p - s)^2
//! ```
//!
//! y is an observation and x are equally likely values (Gneiting and Raftery 2007). p is a predicted chance, and s is 1
//! if a repetition stalls, otherwise 0 (Brier 1950). Smaller is better.

use netsig_base::stats::sample::mean;

/// Number of quantiles that represent a distribution.
const LEVELS: u32 = 100;

/// Equally likely levels of a distribution.
pub fn levels() -> impl Iterator<Item = f64> {
    (0..LEVELS).map(|i| (f64::from(i) + 0.5) / f64::from(LEVELS))
}

/// Mean score of the observations under equally likely values, at least one.
pub fn mean_crps(values: &[f64], observed: impl Iterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    let distance = |y: f64| values.iter().map(|x| (x - y).abs()).sum::<f64>() / count;
    let spread = values.iter().map(|x| distance(*x)).sum::<f64>() / count;
    mean(observed.map(|y| distance(y) - spread / 2.0))
}

/// Brier score of a chance.
pub fn brier(chance: f64, stalled: impl Iterator<Item = bool>) -> f64 {
    mean(stalled.map(|stalled| (chance - f64::from(u8::from(stalled))).powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: |0−1| = |2−1| = 1, and the mean of 0, 2, 2, 0 is 1. A certain and right value has the score 0, a
    /// certain and wrong value its distance.
    #[test]
    fn scores_by_hand() {
        let one = |values: &[f64], y| mean_crps(values, std::iter::once(y));
        assert!((one(&[0.0, 2.0], 1.0) - 0.5).abs() < 1e-12);
        assert!(one(&[3.0], 3.0).abs() < 1e-12);
        assert!((one(&[3.0], 1.0) - 2.0).abs() < 1e-12);
        let two = [true, false].into_iter();
        assert!((brier(0.25, two) - 0.3125).abs() < 1e-12);
    }
}
