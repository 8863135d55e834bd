//! Estimators of parameters from data, each with its formula, covariance and intervals.

pub mod accepted;
pub mod agreement;
pub mod breakpoints;
pub mod choices;
pub mod domain;
pub mod fitted;
pub mod flows;
pub mod hockney;
pub mod ladder;
pub mod levels;
pub mod link;
pub mod losses;
pub mod model;
pub mod network;
pub mod notes;
pub mod plogp;
pub mod point_to_point;
pub mod regimes;
pub mod saturation;
#[cfg(test)]
pub(crate) mod testing;

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use netsig_base::data::cells::{CellKey, Statistic, Summary};
use netsig_base::stats::least_squares::{self, Omega, Regression, Unsolvable};
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{Bytes, Procs, Seconds};

use crate::model::ModelError;
use crate::model::hockney::Hockney;

/// A mean (or median) of repetitions, as input of an estimator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Number of processes n.
    pub procs: Procs,
    /// Size m.
    pub size: Bytes,
    /// Time T.
    pub time: Seconds,
    /// The standard deviation of one repetition, in seconds.
    pub deviation: Seconds,
    /// Number of repetitions behind `time`.
    pub repetitions: usize,
}

/// The covariance Ω of the errors of T.
#[derive(Debug, Clone, PartialEq, Default, derive_more::Display)]
pub enum Covariance {
    /// diag(sᵢ²/Rᵢ): the variance of each mean, from its repetitions (the default).
    #[default]
    #[display("means")]
    Means,
    /// σ²·T̂², iterated: equal relative errors of all points.
    #[display("proportional")]
    Proportional,
    /// σ²·T̂²/w with the bandwidth share w = βm/(α+βm), iterated: as `Proportional`, but with
    /// less weight for points whose time is mostly start-up.
    #[display("bandwidth-share")]
    BandwidthShare,
    /// σ²·I: ordinary least squares.
    #[display("ols")]
    Ols,
    /// σ²·ρ^|i−j| between neighbours in the order of the points, relative to T.
    #[display("ar1:{_0}")]
    Ar1(f64),
}

/// Solves a regression; `what` names θ in errors.
pub(crate) fn solve(
    x: &DMatrix<f64>,
    y: &DVector<f64>,
    omega: &Omega,
    what: &str,
) -> Result<Regression, FitError> {
    let what = what.to_owned();
    least_squares::solve(x, y, omega).map_err(|error| match error {
        Unsolvable::TooFew { found, needed } => FitError::TooFewPoints {
            what,
            found,
            needed,
        },
        Unsolvable::NotPositive => FitError::NoSpread,
        Unsolvable::Singular => FitError::Singular { what },
        Unsolvable::Overflow => FitError::Overflow { what },
    })
}

/// Refuses fewer points than an estimate of `what` needs.
pub(crate) fn refuse_few(
    what: impl Into<String>,
    found: usize,
    needed: usize,
) -> Result<(), FitError> {
    if found >= needed {
        return Ok(());
    }
    let what = what.into();
    Err(FitError::TooFewPoints {
        what,
        found,
        needed,
    })
}

/// Error: data cannot support a fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// Too few points to estimate anything.
    #[error("{what}: too few points ({found}, at least {needed} are needed); measure more sizes")]
    TooFewPoints {
        /// Estimated quantity.
        what: String,
        /// Number of points.
        found: usize,
        /// Least number of points.
        needed: usize,
    },
    /// Too few points to search for the threshold.
    #[error(
        "M cannot be searched in {found} points, it takes {below} below and {from} from it on; measure more sizes, or give --threshold BYTES or none"
    )]
    NoSearch {
        /// Number of points.
        found: usize,
        /// Least number of points below M.
        below: usize,
        /// Least number of points from M on.
        from: usize,
    },
    /// All points are on one side of the threshold.
    #[error(
        "all sizes are {side} M = {threshold}, so delta cannot be separated from gamma; measure sizes on both sides of M or choose another --threshold"
    )]
    OneSided {
        /// `below` or `from`.
        side: &'static str,
        /// Threshold M.
        threshold: Bytes,
    },
    /// The columns of the regression depend on each other.
    #[error("the points do not determine {what}; measure at other sizes or process counts")]
    Singular {
        /// Estimated quantity.
        what: String,
    },
    /// The numbers leave the range of floating point.
    #[error("{what} cannot be computed from such times; look for impossible values of time_s")]
    Overflow {
        /// Estimated quantity.
        what: String,
    },
    /// The points lack the spread that the covariance needs.
    #[error(
        "the covariance needs repetitions with some spread at every point; measure with more repetitions or use --covariance proportional"
    )]
    NoSpread,
    /// A correlation outside (−1, 1).
    #[error("the correlation {0} of ar1 is not between -1 and 1; write --covariance ar1:0.5")]
    BadCorrelation(f64),
    /// The estimate is not a possible value of the parameter.
    #[error("{0}; measure larger messages or with more repetitions")]
    Impossible(String),
}

/// A failed fit with its subject.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{subject}: {error}")]
pub struct FailedFit {
    subject: String,
    error: FitError,
}

impl FailedFit {
    /// Returns a function that adds `subject` to an error.
    fn of(subject: impl Into<String>) -> impl FnOnce(FitError) -> Self {
        let subject = subject.into();
        |error| Self { subject, error }
    }
}

impl From<ParameterError> for FitError {
    fn from(error: ParameterError) -> Self {
        Self::Impossible(error.to_string())
    }
}

impl From<ModelError> for FitError {
    fn from(error: ModelError) -> Self {
        Self::Impossible(error.to_string())
    }
}

/// Points of one experiment and algorithm from summarised data.
pub fn points(
    cells: &BTreeMap<CellKey, Summary>,
    statistic: Statistic,
    wanted: impl Fn(&CellKey) -> bool,
) -> Vec<Point> {
    let kept = cells.iter().filter(|(key, _)| wanted(key));
    kept.map(|(key, summary)| Point {
        procs: key.procs,
        size: key.size,
        time: summary.value(statistic),
        deviation: summary.deviation,
        repetitions: summary.repetitions,
    })
    .collect()
}

/// Least bandwidth share, so that an empty message has a weight.
const LEAST_SHARE: f64 = 0.1;

/// Bandwidth share: the share of bytes in the contention-free time, βm/(α+βm), but at least a
/// tenth. If it is small the time consists of start-ups, whose overlap no model here describes:
/// the variance of relative errors grows with its reciprocal.
pub(crate) fn bandwidth_share(base: &Hockney, size: Bytes) -> f64 {
    let bytes = (base.beta() * size).0;
    let time = base.time(size).0;
    if time > 0.0 {
        (bytes / time).max(LEAST_SHARE)
    } else {
        1.0
    }
}

/// Largest number of iterations of the weights T̂, and the relative change that ends them.
pub(crate) const ITERATIONS: usize = 20;
pub(crate) const SETTLED: f64 = 1e-9;

/// A linear model of the times of points: T = `fixed` + `x`·θ.
struct Design {
    /// One row per point, one column per parameter.
    x: DMatrix<f64>,
    /// Part of the times that depends on no parameter, in seconds.
    fixed: DVector<f64>,
    /// The bandwidth share of each point.
    shares: DVector<f64>,
}

/// Vector of a number of each point.
fn of_each(points: &[Point], number: impl Fn(&Point) -> f64) -> DVector<f64> {
    DVector::from_iterator(points.len(), points.iter().map(number))
}

/// The bandwidth share of each point.
fn shares(base: &Hockney, points: &[Point]) -> DVector<f64> {
    of_each(points, |p| bandwidth_share(base, p.size))
}

/// Regresses the times of `points` on a design; `what` names θ in errors.
fn regress(
    design: &Design,
    points: &[Point],
    covariance: &Covariance,
    what: &str,
) -> Result<Regression, FitError> {
    let times = of_each(points, |p| p.time.0);
    let equal = DVector::repeat(points.len(), 1.0);
    let omega = match covariance {
        Covariance::Ols => Omega::Diagonal(equal),
        Covariance::Means => Omega::Diagonal(of_each(points, |p| {
            p.deviation.0.powi(2) / p.repetitions as f64
        })),
        Covariance::Ar1(rho) if !(*rho > -1.0 && *rho < 1.0) => {
            return Err(FitError::BadCorrelation(*rho));
        }
        Covariance::Ar1(rho) => Omega::ar1(&times, *rho),
        Covariance::Proportional => return regress_relative(design, &times, &equal, what),
        Covariance::BandwidthShare => {
            return regress_relative(design, &times, &design.shares, what);
        }
    };
    solve(&design.x, &(times - &design.fixed), &omega, what)
}

/// Regresses with the variance T̂²/share of each error; the fitted time T̂ is iterated from the
/// measured one. A fitted time that is not positive keeps the measured weight.
fn regress_relative(
    design: &Design,
    times: &DVector<f64>,
    shares: &DVector<f64>,
    what: &str,
) -> Result<Regression, FitError> {
    let y = times - &design.fixed;
    let weighted = |fitted: &DVector<f64>| {
        let variances = fitted.zip_map(shares, |time, share| time * time / share);
        solve(&design.x, &y, &Omega::Diagonal(variances), what)
    };
    let mut fitted = times.clone();
    for _ in 0..ITERATIONS {
        let regression = weighted(&fitted)?;
        let next = (&design.fixed + &design.x * &regression.theta)
            .zip_map(times, |t, measured| if t > 0.0 { t } else { measured });
        let change = (&next - &fitted).component_div(&fitted).amax();
        fitted = next;
        if change < SETTLED {
            return Ok(regression);
        }
    }
    weighted(&fitted)
}
