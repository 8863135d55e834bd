//! γ, δ and M from the times of an all-to-all at one or more process counts.
//!
//! # Method
//! For a given M the model is linear in its parameters (see [`Form::terms`]):
//! T = fixed + γ·x₁ + δ·x₂·[m≥M], with one γ for all sizes or one for each side of M.
//! The parameters come from [`least_squares`](crate::stats::least_squares), M from the least weighted sum of
//! squares over the measured sizes, its interval from the F distribution.
//! δ is dropped when it is negative, below one microsecond, or its interval holds zero;
//! M is then searched again for the γ alone, and one γ needs no M. [`DeltaRule::Kept`]
//! leaves the regression as it is.
//!
//! # Source
//! Steffenel 2006 §7: "linear regression with the Generalized Least Squares method,
//! comparing at least four measurement points". The papers choose M by eye; dropping δ
//! follows their treatment of Myrinet (§8.3). The second γ and the F tests are netsig's.

mod problem;
mod threshold;

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use self::problem::{Candidate, Problem};
pub use self::threshold::ThresholdProfile;
use super::hockney::BaseError;
use super::saturation::{self, Saturation, TOLERANCE};
use super::{Covariance, FitError, Point, bandwidth_share, refuse_few};
use crate::model::hockney::Hockney;
use crate::model::signature::{Form, Side, Sides, Signature};
use crate::stats::interval::Estimate;
use crate::stats::sample::mean;
use crate::units::{Bytes, Procs, Seconds};

/// How many points a fit takes at least.
const LEAST: usize = 4;

/// Where the threshold comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThresholdChoice {
    /// The measured size that explains the data best.
    #[default]
    Search,
    /// Given by the user.
    At(Bytes),
    /// The network has none: γ alone.
    None,
}

/// What becomes of a δ that the data do not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeltaRule {
    /// It is dropped.
    #[default]
    Tested,
    /// It stays, whatever its value.
    Kept,
}

/// How many points it takes on either side of M.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SidePoints {
    /// m < M; one is enough where M is given.
    pub below: usize,
    /// m ≥ M.
    pub from: usize,
}

impl Default for SidePoints {
    fn default() -> Self {
        Self { below: 2, from: 4 }
    }
}

/// What becomes of process counts that do not saturate the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unsaturated {
    /// They are left out, and the rest fitted again.
    #[default]
    LeftOut,
    /// They stay.
    Kept,
}

/// How to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where γ and δ enter the formula.
    pub form: Form,
    /// The covariance of the errors.
    pub covariance: Covariance,
    /// Where M comes from.
    pub threshold: ThresholdChoice,
    /// How many points M needs below it and from it on.
    pub least: SidePoints,
    /// One γ or two.
    pub sides: Sides,
    /// Whether an unsupported δ is dropped.
    pub delta: DeltaRule,
    /// What becomes of process counts that do not saturate the network.
    pub unsaturated: Unsaturated,
    /// How uncertain α and β are; `None` takes them as exact. It enters the intervals of γ and
    /// δ by the delta method, but not `SignatureFit::covariance`: in a prediction an error of α
    /// or β is undone by the γ that was fitted on top of it.
    pub base_error: Option<BaseError>,
    /// The level of all intervals and tests.
    pub confidence: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            form: Form::default(),
            covariance: Covariance::default(),
            threshold: ThresholdChoice::default(),
            least: SidePoints::default(),
            sides: Sides::default(),
            delta: DeltaRule::default(),
            unsaturated: Unsaturated::default(),
            base_error: None,
            confidence: 0.95,
        }
    }
}

/// A parameter that the regression estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// γ for m < M where the sides differ.
    GammaBelow,
    /// γ.
    Gamma,
    /// δ.
    Delta,
}

impl Parameter {
    /// Its name among the parameters of a model.
    pub fn name(self) -> &'static str {
        match self {
            Self::GammaBelow => "gamma_below",
            Self::Gamma => "gamma",
            Self::Delta => "delta_s",
        }
    }
}

/// M with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThresholdEstimate {
    /// The best value.
    pub value: Bytes,
    /// The smallest measured size that the data do not rule out.
    pub lower: Bytes,
    /// The largest measured size that the data do not rule out.
    pub upper: Bytes,
}

impl From<ThresholdEstimate> for Estimate {
    fn from(found: ThresholdEstimate) -> Self {
        let [value, lower, upper] = [found.value, found.lower, found.upper].map(Bytes::as_f64);
        Self {
            value,
            lower,
            upper,
        }
    }
}

/// A fitted signature with all that its predictions need.
#[derive(Debug, Clone, PartialEq)]
pub struct SignatureFit {
    /// The fitted model.
    pub signature: Signature,
    /// The estimated parameters in the order of `covariance`, with their intervals.
    pub parameters: Vec<(Parameter, Estimate)>,
    /// cov(θ̂); γ is a pure number, δ is in seconds.
    pub covariance: DMatrix<f64>,
    /// Degrees of freedom of the intervals.
    pub dof: usize,
    /// Weighted residual sum of squares.
    pub weighted_rss: f64,
    /// M, where there is one.
    pub threshold: Option<ThresholdEstimate>,
    /// The weighted sum of squares at every M that was tried.
    pub profile: ThresholdProfile,
    /// How far the points lie from the model below and from M.
    pub residuals: Residuals,
    /// γ at each process count, the rest held fixed.
    pub gamma_by_procs: Vec<(Procs, f64)>,
    /// Whether γ still grows with n.
    pub saturation: Saturation,
    /// The process counts that were left out because they do not saturate the network.
    pub left_out: Vec<Procs>,
}

/// The relative residuals on either side of the threshold, for a message that is all
/// bandwidth; one with the bandwidth share w deviates by 1/√w as much.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residuals {
    /// m < M, or all sizes where there is no threshold.
    pub below: f64,
    /// m ≥ M; of a signature without a threshold zero, of other models as below.
    pub above: f64,
}

/// Fits a signature on top of a contention-free model.
///
/// # Errors
/// If there are fewer than four points, all on one side of a given threshold, or the
/// points do not determine the parameters.
pub fn fit(base: &Hockney, points: &[Point], options: &Options) -> Result<SignatureFit, FitError> {
    let points: Vec<Point> = points
        .iter()
        .filter(|p| p.procs.get() > 1)
        .copied()
        .collect();
    refuse_few("the contention signature", points.len(), LEAST)?;
    let pooled = fit_points(base, &points, options)?;
    let Saturation::From(least) = pooled.saturation else {
        return Ok(pooled);
    };
    let (kept, rest): (Vec<Point>, Vec<Point>) = points.iter().partition(|p| p.procs >= least);
    if rest.is_empty() || options.unsaturated == Unsaturated::Kept {
        return Ok(pooled);
    }
    let left_out: BTreeSet<Procs> = rest.iter().map(|p| p.procs).collect();
    Ok(SignatureFit {
        left_out: left_out.into_iter().collect(),
        ..fit_points(base, &kept, options)?
    })
}

fn fit_points(
    base: &Hockney,
    points: &[Point],
    options: &Options,
) -> Result<SignatureFit, FitError> {
    let problem = Problem {
        base,
        points,
        options,
    };
    let with_delta = problem.choose(&[Parameter::Delta])?;
    let is_kept = options.delta == DeltaRule::Kept || problem.has_real_delta(&with_delta.0);
    let (chosen, profile) = if is_kept {
        with_delta
    } else {
        problem.choose(&[])?
    };
    let fitted = finish(&problem, &chosen, profile);
    let Residuals { below, above } = fitted.residuals;
    if below.is_finite() && above.is_finite() {
        return Ok(fitted);
    }
    Err(FitError::Overflow {
        what: "the residuals of the signature".to_owned(),
    })
}

fn finish(problem: &Problem, chosen: &Candidate, profile: ThresholdProfile) -> SignatureFit {
    let Candidate {
        threshold,
        parameters,
        regression,
    } = chosen;
    let value = |wanted| {
        parameters
            .iter()
            .position(|p| *p == wanted)
            .map(|i| regression.theta[i])
    };
    let signature = Signature {
        base: *problem.base,
        form: problem.options.form,
        gamma: value(Parameter::Gamma).expect("every candidate estimates gamma"),
        gamma_below: value(Parameter::GammaBelow),
        delta: Seconds(value(Parameter::Delta).unwrap_or(0.0)),
        threshold: chosen.threshold,
    };
    let gamma_by_procs = gamma_by_procs(&signature, problem.points);
    SignatureFit {
        signature,
        parameters: parameters
            .iter()
            .enumerate()
            .map(|(i, p)| (*p, problem.estimate(chosen, i)))
            .collect(),
        threshold: threshold
            .map(|value| profile.interval(value, regression.dof, problem.options.confidence)),
        profile,
        left_out: Vec::new(),
        residuals: residuals(&signature, problem.points, parameters.len()),
        saturation: saturation::diagnose(&gamma_by_procs, TOLERANCE),
        gamma_by_procs,
        dof: regression.dof,
        weighted_rss: regression.weighted_rss,
        covariance: regression.covariance.clone(),
    }
}

/// The weighted root mean square of T/T̂ − 1 on either side, r² = Σw·e²/Σw with the
/// bandwidth shares w, with the parameters shared out in proportion to the points.
fn residuals(signature: &Signature, points: &[Point], parameters: usize) -> Residuals {
    let free = 1.0 - parameters as f64 / points.len() as f64;
    let spread = |side: Side| {
        let (mut squares, mut weights) = (0.0, 0.0);
        for p in points.iter().filter(|p| signature.side(p.size) == side) {
            let error = p.time / signature.time(p.procs, p.size) - 1.0;
            let share = bandwidth_share(&signature.base, p.size);
            squares += share * error * error;
            weights += share;
        }
        if weights > 0.0 {
            (squares / weights / free).sqrt()
        } else {
            0.0
        }
    };
    Residuals {
        below: spread(Side::Below),
        above: spread(Side::From),
    }
}

/// γ of the upper side at each process count: the mean of (T − fixed − δ·x₂)/x₁.
fn gamma_by_procs(signature: &Signature, points: &[Point]) -> Vec<(Procs, f64)> {
    let upper = if signature.threshold.is_some() {
        Side::From
    } else {
        Side::Below
    };
    let mut by_procs: BTreeMap<Procs, Vec<f64>> = BTreeMap::new();
    for p in points.iter().filter(|p| signature.side(p.size) == upper) {
        let terms = signature.form.terms(&signature.base, p.procs, p.size);
        let delta = if upper == Side::From {
            signature.delta.0 * terms.delta
        } else {
            0.0
        };
        if terms.gamma <= 0.0 {
            continue;
        }
        by_procs
            .entry(p.procs)
            .or_default()
            .push((p.time.0 - terms.fixed - delta) / terms.gamma);
    }
    by_procs
        .into_iter()
        .map(|(n, all)| (n, mean(all)))
        .collect()
}
