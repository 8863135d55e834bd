//! α and β from a ping-pong.
//!
//! # Method
//! Weighted least squares of the one-way time t on (1, m). The statistic of a size is
//! the median of its repetitions: late wake-ups would otherwise enter α. The weights
//! follow [`Covariance`]; by default each size counts alike in relative terms, so that
//! small messages fix α and large ones β.
//!
//! # Source
//! Hockney's r∞ = 1/β, n½ = α/β; PARKBENCH COMMS1.

use nalgebra::{DMatrix, DVector};

use super::gls::Regression;
use super::{Covariance, Estimate, FitError, Point, t_quantile};
use crate::model::hockney::Hockney;
use crate::units::{Seconds, SecondsPerByte};

/// How many sizes it takes.
const LEAST: usize = 4;

/// α and β with their intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct HockneyFit {
    /// The fitted model.
    pub model: Hockney,
    /// α in seconds.
    pub alpha: Estimate,
    /// β in seconds per byte.
    pub beta: Estimate,
    /// Standard deviation of the relative residuals.
    pub residual: f64,
}

/// Fits α + β·m to one-way times.
///
/// # Errors
/// If there are fewer than four sizes, or the line has a negative slope.
pub fn fit(
    points: &[Point],
    covariance: &Covariance,
    confidence: f64,
) -> Result<HockneyFit, FitError> {
    const WHAT: &str = "alpha and beta of the ping-pong";
    if points.len() < LEAST {
        return Err(FitError::TooFewPoints {
            what: WHAT.to_owned(),
            found: points.len(),
            needed: LEAST,
        });
    }
    let x = DMatrix::from_fn(points.len(), 2, |i, j| {
        if j == 0 { 1.0 } else { points[i].size.as_f64() }
    });
    let nothing = DVector::zeros(points.len());
    let regression = super::regress(&x, &nothing, points, covariance, WHAT)?;
    let alpha = regression.theta[0].max(0.0);
    let beta = regression.theta[1];
    let model = Hockney::new(Seconds(alpha), SecondsPerByte(beta))
        .map_err(|error| FitError::Impossible(format!("ping-pong: {error}")))?;
    let residuals = points
        .iter()
        .map(|p| (p.time / model.time(p.size) - 1.0).powi(2))
        .sum::<f64>();
    Ok(HockneyFit {
        model,
        alpha: interval(&regression, 0, alpha, confidence),
        beta: interval(&regression, 1, beta, confidence),
        residual: (residuals / regression.dof as f64).sqrt(),
    })
}

fn interval(regression: &Regression, index: usize, value: f64, confidence: f64) -> Estimate {
    let half =
        t_quantile(confidence, regression.dof) * regression.covariance[(index, index)].sqrt();
    Estimate {
        value,
        lower: value - half,
        upper: value + half,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Procs};

    fn points(times: &[(u64, f64)]) -> Vec<Point> {
        let point = |&(size, time): &(u64, f64)| Point {
            procs: Procs::new(2).unwrap(),
            size: Bytes(size),
            time: Seconds(time),
            deviation: Seconds(time / 100.0),
            repetitions: 10,
        };
        times.iter().map(point).collect()
    }

    #[test]
    fn an_exact_line_is_recovered_under_every_covariance() {
        let exact = points(&[(0, 5e-5), (1000, 6e-5), (2000, 7e-5), (4000, 9e-5)]);
        for covariance in [
            Covariance::Ols,
            Covariance::Means,
            Covariance::Proportional,
            Covariance::Ar1(0.5),
        ] {
            let fit = fit(&exact, &covariance, 0.95).unwrap();
            assert!(
                (fit.alpha.value / 5e-5 - 1.0).abs() < 1e-9,
                "{covariance:?}"
            );
            assert!((fit.beta.value / 1e-8 - 1.0).abs() < 1e-9, "{covariance:?}");
            assert!(fit.residual < 1e-9);
        }
    }

    #[test]
    fn what_is_no_ping_pong_is_refused() {
        let three = points(&[(0, 1.0), (1, 2.0), (2, 3.0)]);
        assert!(matches!(
            fit(&three, &Covariance::Ols, 0.95),
            Err(FitError::TooFewPoints { .. })
        ));
        let falling = points(&[(0, 4.0), (1, 3.0), (2, 2.0), (3, 1.0)]);
        let error = fit(&falling, &Covariance::Ols, 0.95)
            .unwrap_err()
            .to_string();
        assert!(error.contains("beta = -1"), "{error}");
    }
}
