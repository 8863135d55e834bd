//! Errors of fits, and the regression that gives them.

use nalgebra::{DMatrix, DVector};
use netsig_base::stats::least_squares::{self, Omega, Regression, UnsolvableReason};
use netsig_base::units::Bytes;
use netsig_base::units::parameter::ParameterError;

use crate::model::ModelError;

/// Largest number of iterations of the weights T̂, and the relative change that ends them.
pub(crate) const MAX_ITERATIONS: usize = 20;
pub(crate) const CONVERGENCE_LIMIT: f64 = 1e-9;

/// Solves a regression; `what` names θ in errors.
pub(crate) fn solve(x: &DMatrix<f64>, y: &DVector<f64>, omega: &Omega, what: &str) -> Result<Regression, FitError> {
    let what = what.to_owned();
    least_squares::solve(x, y, omega).map_err(|error| match error {
        UnsolvableReason::TooFew { found, needed } => FitError::TooFewPoints { what, found, needed },
        UnsolvableReason::NotPositive => FitError::NoSpread,
        UnsolvableReason::Singular => FitError::Singular { what },
        UnsolvableReason::Overflow => FitError::Overflow { what },
    })
}

/// Refuses fewer points than an estimate of `what` needs.
pub(crate) fn refuse_too_few(what: impl Into<String>, found: usize, needed: usize) -> Result<(), FitError> {
    if found >= needed {
        return Ok(());
    }
    let what = what.into();
    Err(FitError::TooFewPoints { what, found, needed })
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
    /// No ping-pong, and no collective whose messages are known.
    #[error(
        "there is none, and the messages of {measured} are not known, so that nothing takes its place; measure a ping-pong, or name an algorithm that netsig knows"
    )]
    NoPairs {
        /// The measured algorithms.
        measured: String,
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
    pub(crate) fn of(subject: impl Into<String>) -> impl FnOnce(FitError) -> Self {
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
