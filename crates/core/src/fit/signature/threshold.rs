//! The search for the threshold M of the signature, and the choice of one γ or two.
//!
//! # Method
//! Every measured size with enough points from it on and below it is tried;
//! M is the one with the least weighted residual sum of squares (the smallest of equals).
//! Its interval holds the sizes with RSS ≤ RSS₀·(1 + F(1, N−p)/(N−p)),
//! RSS₀ the least.

use itertools::Itertools;

use super::problem::{Candidate, Problem};
use super::{Parameter, ThresholdChoice, ThresholdEstimate};
use crate::fit::{FitError, refuse_few};
use crate::model::signature::Sides;
use crate::stats::interval::f_quantile;
use crate::units::Bytes;

/// The weighted residual sum of squares at each threshold that was tried, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ThresholdProfile(pub Vec<(Bytes, f64)>);

impl ThresholdProfile {
    /// The tried sizes that the data do not rule out in favour of `value`.
    pub(super) fn interval(&self, value: Bytes, dof: usize, confidence: f64) -> ThresholdEstimate {
        let sums = self.0.iter().map(|(_, rss)| *rss);
        let least = sums.fold(f64::INFINITY, f64::min);
        let limit = least * (1.0 + f_quantile(confidence, 1, dof) / dof as f64);
        let possible = self.0.iter().filter(|(_, rss)| *rss <= limit);
        let sizes = || possible.clone().map(|(size, _)| *size);
        ThresholdEstimate {
            value,
            lower: sizes().min().unwrap_or(value).min(value),
            upper: sizes().max().unwrap_or(value).max(value),
        }
    }
}

impl Problem<'_> {
    /// The best fit with one γ or two as the options say, and the parameters of `others`.
    pub(super) fn choose(
        &self,
        others: &[Parameter],
    ) -> Result<(Candidate, ThresholdProfile), FitError> {
        let with = |gammas: &[Parameter]| choose(self, &[gammas, others].concat());
        let one = || with(&[Parameter::Gamma]);
        let two = || with(&[Parameter::GammaBelow, Parameter::Gamma]);
        match self.options.sides {
            Sides::OneGamma => one(),
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
}

/// The best candidate for `parameters` under the wanted choice of threshold. One γ alone
/// has no threshold.
fn choose(
    problem: &Problem,
    parameters: &[Parameter],
) -> Result<(Candidate, ThresholdProfile), FitError> {
    let untried = |candidate| Ok((candidate, ThresholdProfile::default()));
    let without = || untried(problem.solve(&[Parameter::Gamma], None)?);
    match problem.options.threshold {
        ThresholdChoice::None => without(),
        _ if parameters == [Parameter::Gamma] => without(),
        ThresholdChoice::At(threshold) => {
            refuse_one_sided(problem, threshold)?;
            untried(problem.solve_at(parameters, threshold)?)
        }
        ThresholdChoice::Search => search(problem, parameters),
    }
}

fn search(
    problem: &Problem,
    parameters: &[Parameter],
) -> Result<(Candidate, ThresholdProfile), FitError> {
    let mut best: Option<Candidate> = None;
    let mut profile = Vec::new();
    for size in eligible(problem) {
        let candidate = match problem.solve_at(parameters, size) {
            Ok(candidate) => candidate,
            // A size at which the columns depend on each other is no candidate.
            Err(FitError::Singular { .. }) => continue,
            Err(error) => return Err(error),
        };
        let rss = candidate.regression.weighted_rss;
        profile.push((size, rss));
        let is_better = |best: &Candidate| rss < best.regression.weighted_rss;
        if best.as_ref().is_none_or(is_better) {
            best = Some(candidate);
        }
    }
    let least = problem.options.least;
    let best = best.ok_or(FitError::NoSearch {
        found: problem.points.len(),
        below: least.below,
        from: least.from,
    })?;
    Ok((best, ThresholdProfile(profile)))
}

/// The measured sizes with enough points on both sides, ascending.
fn eligible(problem: &Problem) -> Vec<Bytes> {
    let sizes: Vec<Bytes> = problem
        .points
        .iter()
        .map(|p| p.size)
        .sorted_unstable()
        .collect();
    let least = problem.options.least;
    let has_enough = |size: &&Bytes| {
        let below = sizes.partition_point(|other| other < size);
        below >= least.below && sizes.len() - below >= least.from
    };
    sizes.iter().dedup().filter(has_enough).copied().collect()
}

fn refuse_one_sided(problem: &Problem, threshold: Bytes) -> Result<(), FitError> {
    let from = problem
        .points
        .iter()
        .filter(|p| p.size >= threshold)
        .count();
    let side = match from {
        0 => "below",
        all if all == problem.points.len() => "at or above",
        _ => {
            let what = format!("delta from M = {threshold} on");
            return refuse_few(what, from, problem.options.least.from);
        }
    };
    Err(FitError::OneSided { side, threshold })
}
