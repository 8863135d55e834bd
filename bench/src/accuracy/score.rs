//! Scores of predictions.
//!
//! # Formula
//! ```text
//! CRPS  = mean |x_i - y| - mean |x_i - x_j| / 2
//! Brier = mean (p - s)^2
//! ```
//!
//! for an observation y under equally likely values x (Gneiting and Raftery 2007), and a chance p,
//! s being 1 where a repetition stalls and 0 elsewhere (Brier 1950). Smaller is better.

use netsig_base::stats::sample::Sorted;

use super::row::Row;

/// Number of quantiles that stand for a distribution.
const LEVELS: u32 = 100;

/// Equally likely levels of a distribution.
pub(super) fn levels() -> impl Iterator<Item = f64> {
    (0..LEVELS).map(|i| (f64::from(i) + 0.5) / f64::from(LEVELS))
}

/// Mean score of the observations under equally likely values, at least one.
pub(super) fn mean_crps(values: &[f64], observed: impl Iterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    let apart = |y: f64| values.iter().map(|x| (x - y).abs()).sum::<f64>() / count;
    let within = values.iter().map(|x| apart(*x)).sum::<f64>() / count;
    mean(observed.map(|y| apart(y) - within / 2.0))
}

/// Brier score of a chance.
pub(super) fn brier(chance: f64, stalled: impl Iterator<Item = bool>) -> f64 {
    mean(stalled.map(|stalled| (chance - f64::from(u8::from(stalled))).powi(2)))
}

/// The mean; not a number without values.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// Median and 90th percentile of the absolute errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Errors {
    pub(super) cells: usize,
    pub(super) median: f64,
    pub(super) p90: f64,
}

impl Errors {
    /// The errors of rows; a missing prediction counts as an error of 100 %. `None` without rows.
    pub(super) fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<Self> {
        let errors: Vec<f64> = rows.into_iter().map(|row| row.error().abs()).collect();
        let cells = errors.len();
        (cells > 0).then(|| {
            let errors = Sorted::new(errors);
            Self {
                cells,
                median: errors.median(),
                p90: errors.quantile(0.9),
            }
        })
    }
}

impl Row {
    /// predicted/measured − 1; −1 without a prediction.
    pub(super) fn error(&self) -> f64 {
        self.predicted_s
            .map_or(-1.0, |time| time / self.measured_s - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: |0−1| = |2−1| = 1, and the mean of 0, 2, 2, 0 is 1; a certain and right
    /// value has no score, a certain and wrong one its distance.
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
