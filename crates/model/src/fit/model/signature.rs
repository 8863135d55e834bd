//! Parts of a fit that only a contention signature has: residuals on either side of M, γ at each
//! process count, and process counts that it leaves out.

use std::collections::BTreeMap;

use itertools::Itertools;
use nalgebra::DVector;
use netsig_base::stats::sample::mean;
use netsig_base::units::Procs;

use super::linear::LinearSolution;
use super::{FitProblem, ModelFit, UnsaturatedRule};
use crate::fit::{FitError, MeasuredPoint, refuse_too_few};
use crate::fitted::Residuals;
use crate::fitted::saturation::{self, Saturation, TOLERANCE};
use crate::model::ParameterRole;

/// Least number of points of a fit.
const LEAST_POINTS: usize = 4;

impl FitProblem<'_> {
    /// Fits γ, δ and M to the process counts that saturate the network.
    pub(super) fn fit_signature(&self) -> Result<ModelFit, FitError> {
        let is_exchange = |p: &&MeasuredPoint| p.procs.get() > 1;
        let points: Vec<MeasuredPoint> = self.points.iter().filter(is_exchange).copied().collect();
        refuse_too_few("the contention signature", points.len(), LEAST_POINTS)?;
        let pooled = self.fit_diagnosed(&points)?;
        let Saturation::From(least) = pooled.model.domain.saturation else {
            return Ok(pooled);
        };
        let (kept, rest): (Vec<MeasuredPoint>, Vec<MeasuredPoint>) = points.iter().partition(|p| p.procs >= least);
        if rest.is_empty() || self.options.unsaturated == UnsaturatedRule::Kept {
            return Ok(pooled);
        }
        let left_out = rest.iter().map(|p| p.procs).sorted_unstable().dedup();
        Ok(ModelFit {
            left_out: left_out.collect(),
            ..self.fit_diagnosed(&kept)?
        })
    }

    /// Fits these points, and tests whether they saturate the network.
    fn fit_diagnosed(&self, points: &[MeasuredPoint]) -> Result<ModelFit, FitError> {
        let mut fit = FitProblem { points, ..*self }.fit_linear()?;
        fit.model.domain.saturation = saturation::diagnose(&fit.gamma_by_procs, TOLERANCE);
        Ok(fit)
    }

    /// Weighted root mean square of T/T̂ − 1 on either side, r² = Σw·e²/Σw with the bandwidth
    /// shares w, corrected for the share of free points.
    pub(super) fn residuals_of_sides(
        &self,
        times: &DVector<f64>,
        threshold: Option<f64>,
        parameters: usize,
    ) -> Result<Residuals, FitError> {
        let spread = |is_far| {
            let error = |ratio: f64| ratio - 1.0;
            let squares = self.weighted_squares(times, error, |p| is_at_or_above(threshold, p) == is_far);
            self.spread(squares, parameters)
        };
        Ok(Residuals {
            below: spread(false)?,
            above: spread(true)?,
        })
    }

    /// γ of the upper side at each process count: the mean of γ̂ + (T − T̂)/x, with x the factor
    /// of γ.
    pub(super) fn gamma_by_procs(&self, solution: &LinearSolution, threshold: Option<f64>) -> Vec<(Procs, f64)> {
        let is_gamma = |place: &usize| matches!(self.role(*place), ParameterRole::Linear(_));
        let Some(index) = solution.free.iter().position(is_gamma) else {
            return Vec::new();
        };
        let (times, factors) = (solution.times(), solution.design.x.column(index));
        let gamma = solution.regression.theta[index];
        let mut by_procs: BTreeMap<Procs, Vec<f64>> = BTreeMap::new();
        for ((p, time), factor) in self.points.iter().zip(&times).zip(&factors) {
            let is_upper = threshold.is_none() || is_at_or_above(threshold, p);
            if is_upper && *factor > 0.0 {
                let gamma_of_point = gamma + (p.time.0 - time) / factor;
                by_procs.entry(p.procs).or_default().push(gamma_of_point);
            }
        }
        let means = by_procs.into_iter().map(|(n, all)| (n, mean(all)));
        means.collect()
    }
}

/// True if m ≥ M.
fn is_at_or_above(threshold: Option<f64>, point: &MeasuredPoint) -> bool {
    threshold.is_some_and(|threshold| point.size.as_f64() >= threshold)
}
