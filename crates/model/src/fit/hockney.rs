//! Estimation of α and β from a ping-pong.
//!
//! # Methods
//! [`fit`] is the textbook method: weighted least squares of the one-way time t on (1, m). It
//! assumes that the ping-pong is a straight line.
//!
//! [`fit_ends`] does not assume this. Many networks bend between latency and bandwidth (burst allowances, protocol
//! changes), so that one line through all sizes misses both ends. β is the slope over the largest sizes, α the mean of
//! t − β·m over the smallest. On a straight line both methods agree.
//!
//! # Source
//! Hockney's r∞ = 1/β, n½ = α/β; PARKBENCH COMMS1. The second method is netsig's.

use nalgebra::{DMatrix, DVector};
use netsig_base::stats::interval::{IntervalEstimate, Variance};
use netsig_base::stats::least_squares::Regression;
use netsig_base::units::parameter::non_negative;
use netsig_base::units::{Seconds, SecondsPerByte};
use serde::{Deserialize, Serialize};

use super::{Covariance, FitError, LinearDesign, MeasuredPoint, refuse_too_few, regress, vector_of};
use crate::model::hockney::Hockney;

const SUBJECT: &str = "alpha and beta of the ping-pong";

/// Least number of sizes in all, at the upper end, and at the lower end.
const LEAST_SIZES: usize = 4;
const LEAST_LARGE_SIZES: usize = 3;
const LEAST_SMALL_SIZES: usize = 2;

/// The upper end consists of the sizes from the largest divided by this on.
const LARGE_SHARE: u64 = 8;

/// α and β with their intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HockneyFit {
    /// α in seconds.
    #[serde(rename = "alpha_s")]
    pub alpha: IntervalEstimate,
    /// β in seconds per byte.
    #[serde(rename = "beta_s_per_byte")]
    pub beta: IntervalEstimate,
    /// Root mean square of the relative residuals over all sizes.
    #[serde(default)]
    pub residual: f64,
}

/// Variances of α and β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HockneyVariances {
    /// The variance of α in s².
    pub alpha: Variance,
    /// The variance of β in s²/B².
    pub beta: Variance,
}

impl HockneyFit {
    /// Hockney's model with the estimated values.
    pub fn model(&self) -> Hockney {
        let model = Hockney::new(Seconds(self.alpha.value), SecondsPerByte(self.beta.value));
        model.expect("fits and files give values that are not negative")
    }

    /// Refuses values that no prediction can use.
    ///
    /// # Errors
    /// If a value is impossible; the error names the key and the fault.
    pub fn check(&self) -> Result<(), String> {
        for (key, estimate) in [("alpha_s", self.alpha), ("beta_s_per_byte", self.beta)] {
            estimate.check(key)?;
            non_negative(key, estimate.value)?;
        }
        // Without α an empty message takes no time, so its relative residual may be infinite.
        if self.residual.is_nan() || self.residual < 0.0 {
            return Err(format!("residual = {} is not at least 0", self.residual));
        }
        Ok(())
    }
}

/// A parameter and its variance, from a regression.
#[derive(Debug, Clone, Copy)]
struct ParameterWithVariance {
    value: f64,
    variance: Variance,
}

/// Fits α + β·m to one-way times by least squares.
///
/// # Errors
/// If there are fewer than four sizes, or the line has a negative slope.
pub fn fit(
    points: &[MeasuredPoint],
    covariance: &Covariance,
    confidence: f64,
) -> Result<(HockneyFit, HockneyVariances), FitError> {
    refuse_too_few(SUBJECT, points.len(), LEAST_SIZES)?;
    let line = line(points, covariance)?;
    assemble(points, parameter(&line, 0), parameter(&line, 1), confidence)
}

/// Fits β to the large sizes, from an eighth of the largest on (three or more). Fits α to the small sizes, whose bytes
/// take at most half of their time (two or more). At either end all sizes have the same relative weight.
///
/// # Errors
/// If there are fewer than four sizes, or the large ones have a negative slope.
pub fn fit_ends(points: &[MeasuredPoint], confidence: f64) -> Result<(HockneyFit, HockneyVariances), FitError> {
    refuse_too_few(SUBJECT, points.len(), LEAST_SIZES)?;
    let mut sorted_points = points.to_vec();
    sorted_points.sort_by_key(|p| p.size);
    let least_large = sorted_points[sorted_points.len() - 1].size.0 / LARGE_SHARE;
    let first_large = sorted_points.partition_point(|p| p.size.0 < least_large);
    let large = &sorted_points[first_large.min(sorted_points.len() - LEAST_LARGE_SIZES)..];
    let beta = parameter(&line(large, &Covariance::Proportional)?, 1);

    let is_small = |p: &MeasuredPoint| beta.value * p.size.as_f64() <= p.time.0 / 2.0;
    let small = &sorted_points[..sorted_points.partition_point(is_small).max(LEAST_SMALL_SIZES)];
    let level_design = LinearDesign {
        x: DMatrix::repeat(small.len(), 1, 1.0),
        fixed: vector_of(small, |p| beta.value * p.size.as_f64()),
        shares: DVector::repeat(small.len(), 1.0),
    };
    let level = regress(&level_design, small, &Covariance::Proportional, SUBJECT)?;
    assemble(&sorted_points, parameter(&level, 0), beta, confidence)
}

/// α and β of times that are too few or too irregular for an estimate. β comes from the smallest and the largest size,
/// or from all of the time of one size; the relative standard error is 1.
///
/// # Errors
/// If there is no time of a size above 0.
pub fn fit_roughly(points: &[MeasuredPoint], confidence: f64) -> Result<(HockneyFit, HockneyVariances), FitError> {
    let sized = points.iter().filter(|p| p.size.0 > 0);
    let ends = [sized.clone().min_by_key(|p| p.size), sized.max_by_key(|p| p.size)];
    let [Some(small), Some(large)] = ends else {
        return refuse_too_few(SUBJECT, 0, 1).and_then(|()| fit_ends(points, confidence));
    };
    let slope = (large.time.0 - small.time.0) / (large.size.as_f64() - small.size.as_f64());
    let whole = large.time.0 / large.size.as_f64();
    let beta = if slope > 0.0 && slope.is_finite() {
        slope.min(whole)
    } else {
        whole
    };
    let alpha = (small.time.0 - beta * small.size.as_f64()).max(0.0);
    let unsure = |value: f64| ParameterWithVariance {
        value,
        variance: Variance {
            value: value * value,
            dof: 1.0,
        },
    };
    assemble(points, unsure(alpha), unsure(beta), confidence)
}

/// The regression of t on (1, m).
fn line(points: &[MeasuredPoint], covariance: &Covariance) -> Result<Regression, FitError> {
    let count = points.len();
    let entry = |i: usize, j: usize| if j == 0 { 1.0 } else { points[i].size.as_f64() };
    let design = LinearDesign {
        x: DMatrix::from_fn(count, 2, entry),
        fixed: DVector::zeros(count),
        shares: DVector::repeat(count, 1.0),
    };
    regress(&design, points, covariance, SUBJECT)
}

/// Assembles the fit; a negative α, which noise may cause, becomes 0.
fn assemble(
    points: &[MeasuredPoint],
    fitted_alpha: ParameterWithVariance,
    fitted_beta: ParameterWithVariance,
    confidence: f64,
) -> Result<(HockneyFit, HockneyVariances), FitError> {
    let (alpha, beta) = (fitted_alpha.value.max(0.0), fitted_beta.value);
    let variances = HockneyVariances {
        alpha: fitted_alpha.variance,
        beta: fitted_beta.variance,
    };
    let model = Hockney::new(Seconds(alpha), SecondsPerByte(beta))
        .map_err(|error| FitError::Impossible(format!("ping-pong: {error}")))?;
    let squares = points.iter().map(|p| (p.time / model.time(p.size) - 1.0).powi(2));
    let fit = HockneyFit {
        alpha: IntervalEstimate::around(alpha, &[variances.alpha], confidence),
        beta: IntervalEstimate::around(beta, &[variances.beta], confidence),
        residual: (squares.sum::<f64>() / points.len() as f64).sqrt(),
    };
    Ok((fit, variances))
}

fn parameter(regression: &Regression, index: usize) -> ParameterWithVariance {
    ParameterWithVariance {
        value: regression.theta[index],
        variance: regression.variance(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::testing::{is_close, points};

    #[test]
    fn an_exact_line_is_recovered_under_every_covariance() {
        let exact = points(&[(0, 5e-5), (1000, 6e-5), (2000, 7e-5), (4000, 9e-5)]);
        let all = [
            Covariance::Ols,
            Covariance::Means,
            Covariance::Proportional,
            Covariance::Ar1(0.5),
        ];
        let fits = all.map(|covariance| fit(&exact, &covariance, 0.95));
        for found in fits.into_iter().chain([fit_ends(&exact, 0.95)]) {
            let (found, _) = found.unwrap();
            assert!(is_close(found.alpha.value, 5e-5, 1e-9), "{found:?}");
            assert!(is_close(found.beta.value, 1e-8, 1e-9), "{found:?}");
            assert!(found.residual < 1e-9);
        }
    }

    /// Up to 4 kB pass on a burst allowance: one line through all sizes has neither the
    /// latency nor the bandwidth right, the ends have both.
    #[test]
    fn a_bend_between_the_ends_does_not_reach_them() {
        let time = |size: u64| (size, 1e-4 + 2e-7 * size.saturating_sub(4096) as f64);
        let bent: Vec<_> = (0..=20).map(|i| time(1 << i)).collect();
        let (ends, _) = fit_ends(&points(&bent), 0.95).unwrap();
        assert!(is_close(ends.beta.value, 2e-7, 0.001), "{ends:?}");
        assert!(is_close(ends.alpha.value, 1e-4, 0.15), "{ends:?}");
        let (line, _) = fit(&points(&bent), &Covariance::Proportional, 0.95).unwrap();
        assert!(!is_close(line.beta.value, 2e-7, 0.05), "{line:?}");
    }

    #[test]
    fn what_is_no_ping_pong_is_refused() {
        let three = &[(0, 1.0), (1, 2.0), (2, 3.0)][..];
        let falling = &[(0, 4.0), (1, 3.0), (2, 2.0), (3, 1.0)];
        for (times, reason) in [(three, "too few points (3, at least 4"), (falling, "beta = -1")] {
            let error = fit(&points(times), &Covariance::Ols, 0.95).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
