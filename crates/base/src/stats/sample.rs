//! Means, medians, quantiles and spreads of samples.
//!
//! # Formula
//! The quantile of level q is the nearest rank: the smallest value that at least the share q of all
//! values does not exceed. The sample variance has the divisor N − 1. The robust deviation is
//! 1.4826·MAD, MAD the median of the absolute deviations; for normal errors it estimates σ, with
//! 0.37 of the efficiency of the standard deviation. The standard error of a median of N normal
//! values is √(π/2)·σ/√N. A weighted mean v̄ = Σwv/Σw has the standard error √(Σw²·(v−v̄)²)/Σw.
//!
//! # Source
//! Hyndman and Fan 1996, definition 1 (quantiles); Hampel 1974 (MAD); Cochran 1977 (the standard
//! error of a ratio).

use std::borrow::Borrow;

/// σ of a normal distribution whose median absolute deviation is 1: 1/Φ⁻¹(3/4).
const NORMAL_MAD: f64 = 1.4826;

/// Distance between the quartiles of a normal distribution whose σ is 1: 2·Φ⁻¹(3/4).
const NORMAL_QUARTILES: f64 = 1.349;

/// Numbers in ascending order, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct SortedValues(Vec<f64>);

impl SortedValues {
    /// Sorts the numbers.
    pub fn new(mut values: Vec<f64>) -> Self {
        assert!(!values.is_empty(), "statistics are of something");
        values.sort_unstable_by(f64::total_cmp);
        Self(values)
    }

    /// The numbers, ascending.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The middle number, or the mean of the middle two.
    pub fn median(&self) -> f64 {
        let count = self.0.len();
        f64::midpoint(self.0[(count - 1) / 2], self.0[count / 2])
    }

    /// The smallest number that at least the share `level` of all does not exceed (nearest rank).
    pub fn quantile(&self, level: f64) -> f64 {
        let count = self.0.len();
        let least = level * count as f64;
        let rank = (1..count).find(|rank| *rank as f64 >= least);
        self.0[rank.unwrap_or(count) - 1]
    }

    /// The standard error of the median of normal values, with σ from the quartiles.
    pub fn median_error(&self) -> f64 {
        let deviation = (self.quantile(0.75) - self.quantile(0.25)) / NORMAL_QUARTILES;
        std::f64::consts::FRAC_PI_2.sqrt() * deviation / (self.0.len() as f64).sqrt()
    }
}

/// The median of at least one number.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    SortedValues::new(values.into_iter().collect()).median()
}

/// 1.4826·MAD of at least one number, given the signed deviations from the middle.
pub fn robust_deviation(deviations: impl IntoIterator<Item = f64>) -> f64 {
    NORMAL_MAD * median(deviations.into_iter().map(f64::abs))
}

/// The arithmetic mean; NaN without numbers.
pub fn mean(values: impl IntoIterator<Item: Borrow<f64>>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.borrow();
        count += 1.0;
    }
    sum / count
}

/// The sample variance, in two passes; NaN for fewer than two numbers.
pub fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|value| (value - mean).powi(2));
    squares.sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The mean of numbers with weights, and its standard error.
pub fn weighted_mean(values: &[(f64, f64)]) -> (f64, f64) {
    let all: f64 = values.iter().map(|(_, weight)| weight).sum();
    let sum: f64 = values.iter().map(|(value, weight)| value * weight).sum();
    let mean = sum / all;
    let squares = values.iter().map(|(value, weight)| (weight * (value - mean)).powi(2));
    (mean, squares.sum::<f64>().sqrt() / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_nearest_ranks() {
        let ten = SortedValues::new((1..=10).rev().map(f64::from).collect());
        let levels = [0.0, 0.5, 0.9, 1.0].map(|level| ten.quantile(level).to_bits());
        assert_eq!(levels, [1.0f64, 5.0, 9.0, 10.0].map(f64::to_bits));
    }

    /// 2, 4, 4, 4, 5, 5, 7, 9: mean 5, Σ(x−5)² = 32, so s² = 32/7; the deviations from the median
    /// 4.5 are 0.5 five times, 2.5, 2.5 and 4.5, so MAD = 0.5.
    #[test]
    fn statistics_of_known_numbers() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert!((mean(values) - 5.0).abs() < 1e-12);
        assert!((variance(&values) - 32.0 / 7.0).abs() < 1e-12);
        let middle = median(values);
        assert!((middle - 4.5).abs() < 1e-12);
        assert!((robust_deviation(values.map(|v| v - middle)) - 0.7413).abs() < 1e-12);
    }

    /// The factors of normal errors are those of Φ⁻¹(3/4) = 0.674 49.
    #[test]
    fn normal_factors_agree_with_printed_tables() {
        assert!((NORMAL_MAD * 0.674_49 - 1.0).abs() < 1e-5);
        assert!((NORMAL_QUARTILES / 2.0 - 0.674_49).abs() < 1e-4);
    }

    /// (1·1 + 2·3)/4 = 1.75, and √((0.75)² + (3·0.25)²)/4, by hand.
    #[test]
    fn weights_enter_the_mean_and_its_error() {
        let (mean, error) = weighted_mean(&[(1.0, 1.0), (2.0, 3.0)]);
        assert!((mean - 1.75).abs() < 1e-12);
        assert!((error - (0.5625f64 + 0.5625).sqrt() / 4.0).abs() < 1e-12);
    }
}
