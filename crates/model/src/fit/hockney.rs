//! Estimation of α and β from a ping-pong.
//!
//! # Methods
//! [`fit`] is the textbook method: weighted least squares of the one-way time t on (1, m). It
//! assumes that the ping-pong is a straight line.
//!
//! [`fit_ends`] does not assume this: between latency and bandwidth many networks bend (burst
//! allowances, protocol changes), and one line through all sizes then misses both ends. β is the
//! slope over the largest sizes, α the mean of t − β·m over the smallest. On a straight line both
//! methods agree.
//!
//! # Source
//! Hockney's r∞ = 1/β, n½ = α/β; PARKBENCH COMMS1. The second method is netsig's.

use nalgebra::{DMatrix, DVector};
use netsig_base::stats::interval::{Estimate, Variance};
use netsig_base::stats::least_squares::Regression;
use netsig_base::units::parameter::non_negative;
use netsig_base::units::{Seconds, SecondsPerByte};
use serde::{Deserialize, Serialize};

use super::{Covariance, Design, FitError, Point, of_each, refuse_few, regress};
use crate::model::hockney::Hockney;

const WHAT: &str = "alpha and beta of the ping-pong";

/// Least number of sizes in all, at the upper end, and at the lower end.
const LEAST: usize = 4;
const LEAST_LARGE: usize = 3;
const LEAST_SMALL: usize = 2;

/// The upper end has the sizes of at least the largest divided by this.
const LARGE_SHARE: u64 = 8;

/// α and β with their intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HockneyFit {
    /// α in seconds.
    #[serde(rename = "alpha_s")]
    pub alpha: Estimate,
    /// β in seconds per byte.
    #[serde(rename = "beta_s_per_byte")]
    pub beta: Estimate,
    /// Root mean square of the relative residuals over all sizes.
    #[serde(default)]
    pub residual: f64,
}

/// Variances of α and β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseError {
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
    /// Names the key and the fault.
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
type Fitted = (f64, Variance);

/// Fits α + β·m to one-way times by least squares.
///
/// # Errors
/// If there are fewer than four sizes, or the line has a negative slope.
pub fn fit(points: &[Point], covariance: &Covariance, confidence: f64) -> Result<(HockneyFit, BaseError), FitError> {
    refuse_few(WHAT, points.len(), LEAST)?;
    let line = line(points, covariance)?;
    assemble(points, parameter(&line, 0), parameter(&line, 1), confidence)
}

/// Fits β to the sizes of at least an eighth of the largest (three or more), and α to the sizes
/// whose bytes take at most half of their time (two or more); within either end all sizes have
/// the same relative weight.
///
/// # Errors
/// If there are fewer than four sizes, or the large ones have a negative slope.
pub fn fit_ends(points: &[Point], confidence: f64) -> Result<(HockneyFit, BaseError), FitError> {
    refuse_few(WHAT, points.len(), LEAST)?;
    let mut points = points.to_vec();
    points.sort_by_key(|p| p.size);
    let least_large = points[points.len() - 1].size.0 / LARGE_SHARE;
    let first_large = points.partition_point(|p| p.size.0 < least_large);
    let large = &points[first_large.min(points.len() - LEAST_LARGE)..];
    let beta = parameter(&line(large, &Covariance::Proportional)?, 1);

    let is_small = |p: &Point| beta.0 * p.size.as_f64() <= p.time.0 / 2.0;
    let small = &points[..points.partition_point(is_small).max(LEAST_SMALL)];
    let level = Design {
        x: DMatrix::repeat(small.len(), 1, 1.0),
        fixed: of_each(small, |p| beta.0 * p.size.as_f64()),
        shares: DVector::repeat(small.len(), 1.0),
    };
    let level = regress(&level, small, &Covariance::Proportional, WHAT)?;
    assemble(&points, parameter(&level, 0), beta, confidence)
}

/// α and β of too few or too irregular times for an estimate: β from the smallest and the largest size, or
/// all of the time of one size, with the relative standard error 1.
///
/// # Errors
/// If there is no time of a size above 0.
pub fn rough(points: &[Point], confidence: f64) -> Result<(HockneyFit, BaseError), FitError> {
    let sized = points.iter().filter(|p| p.size.0 > 0);
    let ends = [sized.clone().min_by_key(|p| p.size), sized.max_by_key(|p| p.size)];
    let [Some(small), Some(large)] = ends else {
        return refuse_few(WHAT, 0, 1).and_then(|()| fit_ends(points, confidence));
    };
    let slope = (large.time.0 - small.time.0) / (large.size.as_f64() - small.size.as_f64());
    let whole = large.time.0 / large.size.as_f64();
    let beta = if slope > 0.0 && slope.is_finite() {
        slope.min(whole)
    } else {
        whole
    };
    let alpha = (small.time.0 - beta * small.size.as_f64()).max(0.0);
    let unsure = |value: f64| Variance {
        value: value * value,
        dof: 1.0,
    };
    assemble(points, (alpha, unsure(alpha)), (beta, unsure(beta)), confidence)
}

/// The regression of t on (1, m).
fn line(points: &[Point], covariance: &Covariance) -> Result<Regression, FitError> {
    let count = points.len();
    let entry = |i: usize, j: usize| if j == 0 { 1.0 } else { points[i].size.as_f64() };
    let design = Design {
        x: DMatrix::from_fn(count, 2, entry),
        fixed: DVector::zeros(count),
        shares: DVector::repeat(count, 1.0),
    };
    regress(&design, points, covariance, WHAT)
}

/// Assembles the fit; a negative α, which noise may cause, becomes 0.
fn assemble(
    points: &[Point],
    (alpha, alpha_variance): Fitted,
    (beta, beta_variance): Fitted,
    confidence: f64,
) -> Result<(HockneyFit, BaseError), FitError> {
    let alpha = alpha.max(0.0);
    let model = Hockney::new(Seconds(alpha), SecondsPerByte(beta))
        .map_err(|error| FitError::Impossible(format!("ping-pong: {error}")))?;
    let squares = points.iter().map(|p| (p.time / model.time(p.size) - 1.0).powi(2));
    let fit = HockneyFit {
        alpha: Estimate::around(alpha, &[alpha_variance], confidence),
        beta: Estimate::around(beta, &[beta_variance], confidence),
        residual: (squares.sum::<f64>() / points.len() as f64).sqrt(),
    };
    let errors = BaseError {
        alpha: alpha_variance,
        beta: beta_variance,
    };
    Ok((fit, errors))
}

fn parameter(regression: &Regression, index: usize) -> Fitted {
    (regression.theta[index], regression.variance(index))
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
