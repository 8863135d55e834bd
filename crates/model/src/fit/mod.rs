//! Estimators of parameters from data, each with its formula, covariance and intervals.

pub mod accepted;
pub mod agreement;
pub mod breakpoints;
pub mod flows;
pub mod hockney;
pub mod link;
pub mod losses;
pub mod medians;
pub mod model;
pub mod model_hierarchy;
pub mod network;
pub mod notes;
pub mod odd_counts;
pub mod operation;
pub mod parse_options;
pub mod plogp;
pub mod point_to_point;
#[cfg(test)]
pub(crate) mod testing;

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use netsig_base::data::cells::{CellKey, CellSummary, Statistic};
use netsig_base::stats::least_squares::{Omega, Regression};
use netsig_base::units::{Bytes, Procs, Seconds};

pub(crate) use crate::fitted::error::{CONVERGENCE_LIMIT, MAX_ITERATIONS, refuse_too_few, solve};
pub use crate::fitted::error::{FailedFit, FitError};
use crate::model::hockney::Hockney;

/// Mean or median of the repetitions of a cell, as input of an estimator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredPoint {
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

/// Points of the summarised cells whose key `is_wanted`.
pub fn points(
    cells: &BTreeMap<CellKey, CellSummary>,
    statistic: Statistic,
    is_wanted: impl Fn(&CellKey) -> bool,
) -> Vec<MeasuredPoint> {
    let kept = cells.iter().filter(|(key, _)| is_wanted(key));
    kept.map(|(key, summary)| MeasuredPoint {
        procs: key.procs,
        size: key.size,
        time: summary.value(statistic),
        deviation: summary.deviation,
        repetitions: summary.repetitions,
    })
    .collect()
}

/// A linear model of the times of points: T = `fixed` + `x`·θ.
struct LinearDesign {
    /// One row per point, one column per parameter.
    x: DMatrix<f64>,
    /// Part of the times that depends on no parameter, in seconds.
    fixed: DVector<f64>,
    /// The bandwidth share of each point.
    shares: DVector<f64>,
}

/// Vector of one number per point.
fn vector_of(points: &[MeasuredPoint], number: impl Fn(&MeasuredPoint) -> f64) -> DVector<f64> {
    DVector::from_iterator(points.len(), points.iter().map(number))
}

/// The bandwidth share of each point.
fn bandwidth_shares(base: &Hockney, points: &[MeasuredPoint]) -> DVector<f64> {
    vector_of(points, |p| base.bandwidth_share(p.size))
}

/// Regresses the times of `points` on a design; `what` names θ in errors.
fn regress(
    design: &LinearDesign,
    points: &[MeasuredPoint],
    covariance: &Covariance,
    what: &str,
) -> Result<Regression, FitError> {
    let times = vector_of(points, |p| p.time.0);
    let equal = DVector::repeat(points.len(), 1.0);
    let omega = match covariance {
        Covariance::Ols => Omega::Diagonal(equal),
        Covariance::Means => Omega::Diagonal(vector_of(points, |p| p.deviation.0.powi(2) / p.repetitions as f64)),
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

/// Regresses with error variances T̂²/share. T̂ starts at the measured time and is iterated; where it is not positive,
/// the measured time gives the weight.
fn regress_relative(
    design: &LinearDesign,
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
    for _ in 0..MAX_ITERATIONS {
        let regression = weighted(&fitted)?;
        let next = (&design.fixed + &design.x * &regression.theta)
            .zip_map(times, |t, measured| if t > 0.0 { t } else { measured });
        let change = (&next - &fitted).component_div(&fitted).amax();
        fitted = next;
        if change < CONVERGENCE_LIMIT {
            return Ok(regression);
        }
    }
    weighted(&fitted)
}
