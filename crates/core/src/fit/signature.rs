//! γ, δ and M from the times of an all-to-all at one or more process counts.
//!
//! # Method
//! For a given M the model is linear in its parameters (see [`Form::terms`]):
//! T = fixed + γ·x₁ + δ·x₂·[m≥M], with one γ for all sizes or one for each side of M.
//! The parameters come from [`gls`](super::gls), M from the least weighted sum of
//! squares over the measured sizes, its interval from the F distribution.
//! δ is dropped when it is negative, below one microsecond, or its interval holds zero;
//! M is then searched again for the γ alone, and one γ needs no M.
//!
//! # Source
//! Steffenel 2006 §7: "linear regression with the Generalized Least Squares method,
//! comparing at least four measurement points". The papers choose M by eye; dropping δ
//! follows their treatment of Myrinet (§8.3). The second γ and the F tests are netsig's.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gls::Regression;
use super::saturation::{self, Saturation, TOLERANCE};
use super::threshold::{self, ThresholdProfile};
use super::{Covariance, Estimate, FitError, Point, f_quantile, t_quantile};
use crate::model::Threshold;
use crate::model::hockney::Hockney;
use crate::model::signature::{Form, Side, Signature};
use crate::units::{Bytes, Procs, Seconds};

/// A δ below this is no δ.
const NEGLIGIBLE_DELTA: f64 = 1e-6;

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

/// Whether both sides of the threshold share γ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// One γ, as the papers have it.
    OneGamma,
    /// A γ for either side.
    TwoGammas,
    /// Two if an F test at the confidence level tells them apart.
    #[default]
    Tested,
}

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Where γ and δ enter the formula.
    pub form: Form,
    /// The covariance of the errors.
    pub covariance: Covariance,
    /// Where M comes from.
    pub threshold: ThresholdChoice,
    /// One γ or two.
    pub sides: Sides,
    /// The level of all intervals and tests.
    pub confidence: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            form: Form::default(),
            covariance: Covariance::default(),
            threshold: ThresholdChoice::default(),
            sides: Sides::default(),
            confidence: 0.95,
        }
    }
}

/// A parameter that the regression estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// γ for m < M where the sides differ.
    GammaBelow,
    /// γ.
    Gamma,
    /// δ.
    Delta,
}

/// M with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThresholdEstimate {
    /// The best value.
    pub value: Bytes,
    /// The smallest measured size that the data do not rule out.
    pub lower: Bytes,
    /// The largest measured size that the data do not rule out.
    pub upper: Bytes,
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
    /// Standard deviation of the relative residuals below and from M.
    pub residuals: Residuals,
    /// γ at each process count, the rest held fixed.
    pub gamma_by_procs: Vec<(Procs, f64)>,
    /// Whether γ still grows with n.
    pub saturation: Saturation,
}

/// Standard deviation of the relative residuals on either side of the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// m < M, or all sizes where there is no threshold.
    pub below: f64,
    /// m ≥ M; zero where there is no threshold.
    pub above: f64,
}

/// Which parameters one candidate estimates, at which threshold.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) threshold: Option<Bytes>,
    parameters: Vec<Parameter>,
    pub(super) regression: Regression,
}

/// The points with what every candidate needs of them.
pub(super) struct Problem<'a> {
    pub(super) base: &'a Hockney,
    pub(super) points: &'a [Point],
    pub(super) options: &'a Options,
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
    if points.len() < LEAST {
        let what = "the contention signature".to_owned();
        return Err(FitError::TooFewPoints {
            what,
            found: points.len(),
            needed: LEAST,
        });
    }
    let problem = Problem {
        base,
        points: &points,
        options,
    };
    let with_delta = problem.choose(&[Parameter::Delta])?;
    let (chosen, profile) = if problem.has_real_delta(&with_delta.0) {
        with_delta
    } else {
        problem.choose(&[])?
    };
    Ok(problem.finish(chosen, profile))
}

impl Problem<'_> {
    /// The best fit with one γ or two as the options say, and the parameters of `others`.
    fn choose(&self, others: &[Parameter]) -> Result<(Candidate, ThresholdProfile), FitError> {
        let with = |gammas: &[Parameter]| threshold::choose(self, &[gammas, others].concat());
        let one = || with(&[Parameter::Gamma]);
        let two = || with(&[Parameter::GammaBelow, Parameter::Gamma]);
        match self.options.sides {
            Sides::OneGamma => one(),
            Sides::TwoGammas => two(),
            Sides::Tested => {
                let one = one()?;
                Ok(two()
                    .ok()
                    .filter(|two| self.is_worth_it(&one.0, &two.0))
                    .unwrap_or(one))
            }
        }
    }

    /// Whether the parameters that `more` has beyond `fewer` explain so much more that
    /// chance would at most once in 1/(1−confidence) cases (an F test).
    fn is_worth_it(&self, fewer: &Candidate, more: &Candidate) -> bool {
        let [rss_fewer, rss_more] =
            [fewer, more].map(|candidate| candidate.regression.weighted_rss);
        let dof = more.regression.dof;
        let extra = fewer.regression.dof.saturating_sub(dof).max(1);
        let f = (rss_fewer - rss_more) / extra as f64 / (rss_more / dof as f64);
        f > f_quantile(self.options.confidence, extra, dof)
    }

    /// Whether δ is there, positive beyond doubt, and not negligible.
    fn has_real_delta(&self, candidate: &Candidate) -> bool {
        let index = candidate
            .parameters
            .iter()
            .position(|p| *p == Parameter::Delta);
        index
            .map(|index| self.estimate(&candidate.regression, index))
            .is_some_and(|delta| delta.value >= NEGLIGIBLE_DELTA && delta.lower > 0.0)
    }

    /// Solves for `parameters` with the threshold at `threshold`.
    pub(super) fn solve(
        &self,
        parameters: &[Parameter],
        threshold: Option<Bytes>,
    ) -> Result<Candidate, FitError> {
        let terms = |i: usize| {
            let point = &self.points[i];
            self.options.form.terms(self.base, point.procs, point.size)
        };
        let is_above = |i: usize| threshold.is_some_and(|m| self.points[i].size >= m);
        let split = parameters.contains(&Parameter::GammaBelow);
        let x = DMatrix::from_fn(
            self.points.len(),
            parameters.len(),
            |i, j| match parameters[j] {
                Parameter::GammaBelow => {
                    if is_above(i) {
                        0.0
                    } else {
                        terms(i).gamma
                    }
                }
                Parameter::Gamma => {
                    if split && !is_above(i) {
                        0.0
                    } else {
                        terms(i).gamma
                    }
                }
                Parameter::Delta => {
                    if is_above(i) {
                        terms(i).delta
                    } else {
                        0.0
                    }
                }
            },
        );
        let fixed = DVector::from_fn(self.points.len(), |i, _| terms(i).fixed);
        let what = if parameters.contains(&Parameter::Delta) {
            "gamma and delta"
        } else {
            "gamma"
        };
        let regression = super::regress(&x, &fixed, self.points, self.options.covariance, what)?;
        Ok(Candidate {
            threshold,
            parameters: parameters.to_vec(),
            regression,
        })
    }

    /// Solves for `parameters` with the threshold at `threshold`, without δ if it would
    /// be negative: contention costs, it does not give.
    pub(super) fn solve_non_negative(
        &self,
        parameters: &[Parameter],
        threshold: Bytes,
    ) -> Result<Candidate, FitError> {
        let candidate = self.solve(parameters, Some(threshold))?;
        let delta = parameters.iter().position(|p| *p == Parameter::Delta);
        if delta.is_none_or(|index| candidate.regression.theta[index] >= 0.0) {
            return Ok(candidate);
        }
        let others: Vec<Parameter> = parameters
            .iter()
            .copied()
            .filter(|p| *p != Parameter::Delta)
            .collect();
        self.solve(&others, Some(threshold))
    }

    fn estimate(&self, regression: &Regression, index: usize) -> Estimate {
        let value = regression.theta[index];
        let half = t_quantile(self.options.confidence, regression.dof)
            * regression.covariance[(index, index)].sqrt();
        Estimate {
            value,
            lower: value - half,
            upper: value + half,
        }
    }

    fn finish(&self, chosen: Candidate, profile: ThresholdProfile) -> SignatureFit {
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
            base: *self.base,
            form: self.options.form,
            gamma: value(Parameter::Gamma).expect("every candidate estimates gamma"),
            gamma_below: value(Parameter::GammaBelow),
            delta: Seconds(value(Parameter::Delta).unwrap_or(0.0)),
            threshold: threshold.map(Threshold::From),
        };
        let gamma_by_procs = gamma_by_procs(&signature, self.points);
        SignatureFit {
            signature,
            parameters: parameters
                .iter()
                .enumerate()
                .map(|(i, p)| (*p, self.estimate(&regression, i)))
                .collect(),
            threshold: threshold
                .map(|value| profile.interval(value, regression.dof, self.options.confidence)),
            profile,
            residuals: residuals(&signature, self.points, parameters.len()),
            saturation: saturation::diagnose(&gamma_by_procs, TOLERANCE),
            gamma_by_procs,
            dof: regression.dof,
            weighted_rss: regression.weighted_rss,
            covariance: regression.covariance,
        }
    }
}

/// Standard deviation of T/T̂ − 1 on either side, with the parameters shared out in
/// proportion to the points.
fn residuals(signature: &Signature, points: &[Point], parameters: usize) -> Residuals {
    let share = parameters as f64 / points.len() as f64;
    let spread = |side: Side| {
        let errors: Vec<f64> = points
            .iter()
            .filter(|p| signature.side(p.size) == side)
            .map(|p| p.time / signature.time(p.procs, p.size) - 1.0)
            .collect();
        let dof = errors.len() as f64 * (1.0 - share);
        if errors.is_empty() {
            0.0
        } else {
            (errors.iter().map(|e| e * e).sum::<f64>() / dof).sqrt()
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
    let mut by_procs: std::collections::BTreeMap<Procs, Vec<f64>> =
        std::collections::BTreeMap::new();
    for p in points.iter().filter(|p| signature.side(p.size) == upper) {
        let terms = signature.form.terms(&signature.base, p.procs, p.size);
        let delta = if upper == Side::From {
            signature.delta.0 * terms.delta
        } else {
            0.0
        };
        by_procs
            .entry(p.procs)
            .or_default()
            .push((p.time.0 - terms.fixed - delta) / terms.gamma);
    }
    by_procs
        .into_iter()
        .map(|(n, all)| (n, all.iter().sum::<f64>() / all.len() as f64))
        .collect()
}
