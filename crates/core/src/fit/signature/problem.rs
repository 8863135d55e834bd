//! The regression behind a signature: one candidate for each threshold and choice of
//! parameters.

use nalgebra::{DMatrix, DVector};

use super::{DeltaRule, Options, Parameter};
use crate::fit::{Design, FitError, Point, regress, shares};
use crate::model::hockney::Hockney;
use crate::model::signature::Terms;
use crate::stats::interval::{Estimate, Variance};
use crate::stats::least_squares::Regression;
use crate::units::{Bytes, Seconds, SecondsPerByte};

/// A δ below this is no δ.
const NEGLIGIBLE_DELTA: f64 = 1e-6;

/// Which parameters one candidate estimates, at which threshold.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) threshold: Option<Bytes>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) regression: Regression,
}

/// The points with what every candidate needs of them.
pub(super) struct Problem<'a> {
    pub(super) base: &'a Hockney,
    pub(super) points: &'a [Point],
    pub(super) options: &'a Options,
}

impl Problem<'_> {
    /// Whether δ is there, positive beyond doubt, and not negligible.
    pub(super) fn has_real_delta(&self, candidate: &Candidate) -> bool {
        let index = candidate
            .parameters
            .iter()
            .position(|p| *p == Parameter::Delta);
        index
            .map(|index| self.estimate(candidate, index))
            .is_some_and(|delta| delta.value >= NEGLIGIBLE_DELTA && delta.lower > 0.0)
    }

    /// Solves for `parameters` with the threshold at `threshold`.
    pub(super) fn solve(
        &self,
        parameters: &[Parameter],
        threshold: Option<Bytes>,
    ) -> Result<Candidate, FitError> {
        let split = parameters.contains(&Parameter::GammaBelow);
        let terms: Vec<Terms> = self
            .points
            .iter()
            .map(|p| self.options.form.terms(self.base, p.procs, p.size))
            .collect();
        let x = DMatrix::from_fn(self.points.len(), parameters.len(), |i, j| {
            let is_above = threshold.is_some_and(|m| self.points[i].size >= m);
            match (parameters[j], is_above) {
                (Parameter::GammaBelow, false) | (Parameter::Gamma, true) => terms[i].gamma,
                (Parameter::Gamma, false) if !split => terms[i].gamma,
                (Parameter::Delta, true) => terms[i].delta,
                _ => 0.0,
            }
        });
        let design = Design {
            x,
            fixed: DVector::from_iterator(terms.len(), terms.iter().map(|terms| terms.fixed)),
            shares: shares(self.base, self.points),
        };
        let what = if parameters.contains(&Parameter::Delta) {
            "gamma and delta"
        } else {
            "gamma"
        };
        let regression = regress(&design, self.points, &self.options.covariance, what)?;
        Ok(Candidate {
            threshold,
            parameters: parameters.to_vec(),
            regression,
        })
    }

    /// Solves for `parameters` with the threshold at `threshold`, without δ if it would
    /// be negative (contention costs, it does not give) and need not be kept.
    pub(super) fn solve_at(
        &self,
        parameters: &[Parameter],
        threshold: Bytes,
    ) -> Result<Candidate, FitError> {
        let candidate = self.solve(parameters, Some(threshold))?;
        let delta = parameters.iter().position(|p| *p == Parameter::Delta);
        let is_possible = delta.is_none_or(|index| candidate.regression.theta[index] >= 0.0);
        if is_possible || self.options.delta == DeltaRule::Kept {
            return Ok(candidate);
        }
        let others: Vec<Parameter> = parameters
            .iter()
            .copied()
            .filter(|p| *p != Parameter::Delta)
            .collect();
        self.solve(&others, Some(threshold))
    }

    /// Parameter `index` of a candidate with its interval: the error of the regression and
    /// those that one standard error of α and of β bring in.
    pub(super) fn estimate(&self, candidate: &Candidate, index: usize) -> Estimate {
        let value = candidate.regression.theta[index];
        let mut parts = vec![candidate.regression.variance(index)];
        for (base, dof) in self.shifted_bases() {
            let shifted = Problem {
                base: &base,
                ..*self
            };
            let solved = shifted.solve(&candidate.parameters, candidate.threshold);
            // A base so far off that nothing can be fitted on it tells nothing.
            if let Ok(solved) = solved {
                let shift = solved.regression.theta[index] - value;
                parts.push(Variance {
                    value: shift * shift,
                    dof,
                });
            }
        }
        Estimate::around(value, &parts, self.options.confidence)
    }

    /// The contention-free model with α, and with β, larger by one standard error.
    fn shifted_bases(&self) -> Vec<(Hockney, f64)> {
        let Some(error) = self.options.base_error else {
            return Vec::new();
        };
        let (alpha, beta) = (self.base.alpha(), self.base.beta());
        let more_alpha = Hockney::new(Seconds(alpha.0 + error.alpha.value.sqrt()), beta);
        let more_beta = Hockney::new(alpha, SecondsPerByte(beta.0 + error.beta.value.sqrt()));
        let shifted = [(more_alpha, error.alpha.dof), (more_beta, error.beta.dof)];
        shifted
            .into_iter()
            .filter_map(|(base, dof)| Some((base.ok()?, dof)))
            .collect()
    }
}
