//! Search for the threshold M, and the choice between one γ and two.
//!
//! # Method
//! Every measured size with enough points below it and from it on is tried. If the model compares another quantity than
//! the size with M, the values of this quantity are tried. M is the value with the least weighted residual sum of
//! squares (the smallest of equals). Its interval contains the values with RSS ≤ RSS₀·(1 + F(1, N−p)/(N−p)), where RSS₀
//! is the least.

use itertools::Itertools;
use netsig_base::stats::interval::{IntervalEstimate, f_quantile};
use netsig_base::units::Bytes;

use super::linear::LinearSolution;
use super::{FitProblem, ThresholdChoice};
use crate::fit::{FitError, refuse_too_few};
use crate::model::{Case, ParameterRole};

impl FitProblem<'_> {
    /// Best solution for the parameters whose roles are `wanted`; with one γ if the data do not
    /// distinguish two.
    pub(super) fn best_with_roles(&self, wanted: fn(ParameterRole) -> bool) -> Result<LinearSolution, FitError> {
        let is_below = |place: &usize| matches!(self.role(*place), ParameterRole::Below(_));
        let places = 0..self.model.parameters.len();
        let mut all: Vec<usize> = places
            .filter(|&place| self.role(place).is_estimated() && wanted(self.role(place)))
            .collect();
        let undetermined = self.undetermined(&all)?;
        let is_determined = |place: &usize| !undetermined.contains(place);
        // If only undetermined parameters could be fitted, the error of the regression names them.
        if all.iter().any(|place| is_determined(place) && !is_below(place)) {
            all.retain(is_determined);
        }
        let fewer: Vec<usize> = all.iter().copied().filter(|place| !is_below(place)).collect();
        let one = self.best_solution(&fewer)?;
        if fewer.len() == all.len() {
            return Ok(one);
        }
        let solution_with_all = self.best_solution(&all).ok();
        let two = solution_with_all.filter(|two| self.is_significantly_better(&one, two));
        Ok(two.unwrap_or(one))
    }

    /// The parameters of all sizes that change no point's time; they keep their defaults.
    fn undetermined(&self, places: &[usize]) -> Result<Vec<usize>, FitError> {
        let mut places_without_effect = Vec::new();
        for &place in places {
            let is_of_all_sizes = matches!(self.role(place), ParameterRole::Linear(_));
            if is_of_all_sizes
                && self
                    .column(&self.default_values(), place)?
                    .iter()
                    .all(|factor| *factor == 0.0)
            {
                places_without_effect.push(place);
            }
        }
        Ok(places_without_effect)
    }

    /// True if the additional parameters of `more` explain significantly more (an F test at the level 1 − confidence).
    fn is_significantly_better(&self, fewer: &LinearSolution, more: &LinearSolution) -> bool {
        let [rss_fewer, rss_more] = [fewer, more].map(|solution| solution.regression.weighted_rss);
        let dof = more.regression.dof;
        let extra = fewer.regression.dof.saturating_sub(dof).max(1);
        let f = (rss_fewer - rss_more) / extra as f64 / (rss_more / dof as f64);
        f > f_quantile(self.options.confidence, extra, dof)
    }

    /// Best solution under the chosen source of the threshold. Parameters of all sizes alone need
    /// no threshold.
    fn best_solution(&self, free: &[usize]) -> Result<LinearSolution, FitError> {
        let is_of_all_sizes = |place: &usize| matches!(self.role(*place), ParameterRole::Linear(_));
        let of_all_sizes: Vec<usize> = free.iter().copied().filter(is_of_all_sizes).collect();
        let threshold_place = self.model.role_index(ParameterRole::Threshold);
        let threshold = threshold_place.filter(|_| of_all_sizes.len() < free.len());
        match (threshold, self.options.threshold) {
            (None, _) | (_, ThresholdChoice::None) => self.solve(self.default_values(), of_all_sizes),
            (Some(place), ThresholdChoice::At(size)) if self.model.compares_sizes() => {
                if self.model.is_form_of_signature() {
                    self.refuse_one_sided(size)?;
                }
                self.solve_at(place, size, free)
            }
            (Some(place), _) => self.search_threshold(place, free),
        }
    }

    /// The best solution over all thresholds that leave enough points on either side.
    fn search_threshold(&self, threshold: usize, free: &[usize]) -> Result<LinearSolution, FitError> {
        let mut best_so_far: Option<LinearSolution> = None;
        let mut tried = Vec::new();
        for size in self
            .candidates()?
            .into_iter()
            .filter(|size| self.has_enough_points(threshold, *size))
        {
            let solution = match self.solve_at(threshold, size, free) {
                Ok(solution) => solution,
                // A size at which the columns depend on each other is no candidate.
                Err(FitError::Singular { .. } | FitError::Impossible(_)) => continue,
                Err(error) => return Err(error),
            };
            let rss = solution.regression.weighted_rss;
            tried.push((size, rss));
            let is_better = |best: &LinearSolution| rss < best.regression.weighted_rss;
            if best_so_far.as_ref().is_none_or(is_better) {
                best_so_far = Some(solution);
            }
        }
        let least = self.options.least_points;
        let best = best_so_far.ok_or(FitError::NoSearch {
            found: self.points.len(),
            below: least.below,
            from: least.from,
        })?;
        Ok(LinearSolution {
            tried_thresholds: tried,
            ..best
        })
    }

    /// The quantities of the points that the model compares with a threshold, ascending.
    fn candidates(&self) -> Result<Vec<Bytes>, FitError> {
        let size_results = self.points.iter().map(|p| {
            let case = Case::new(p.procs, p.size);
            self.model.threshold_quantity(self.network, case)
        });
        let sizes: Vec<Bytes> = size_results.collect::<Result<_, _>>()?;
        Ok(sizes.into_iter().sorted_unstable().dedup().collect())
    }

    /// True if enough points are on either side of a threshold.
    fn has_enough_points(&self, threshold: usize, size: Bytes) -> bool {
        let mut numbers = self.default_values();
        numbers[threshold] = size.as_f64();
        let supplement = self.model.role_index(ParameterRole::Supplement);
        let column = supplement.and_then(|place| self.column(&numbers, place).ok());
        let far = column.map_or(0, |column| column.iter().filter(|factor| **factor != 0.0).count());
        let least = self.options.least_points;
        far >= least.from && self.points.len() - far >= least.below
    }

    /// The solution with the threshold at `size`.
    fn solve_at(&self, threshold: usize, size: Bytes, free: &[usize]) -> Result<LinearSolution, FitError> {
        let mut numbers = self.default_values();
        numbers[threshold] = size.as_f64();
        self.solve(numbers, free.to_vec())
    }

    fn refuse_one_sided(&self, threshold: Bytes) -> Result<(), FitError> {
        let from = self.points.iter().filter(|p| p.size >= threshold).count();
        let side = match from {
            0 => "below",
            all if all == self.points.len() => "at or above",
            _ => {
                let what = format!("delta from M = {threshold} on");
                return refuse_too_few(what, from, self.options.least_points.from);
            }
        };
        Err(FitError::OneSided { side, threshold })
    }

    /// The threshold of a solution, if it has one.
    pub(super) fn threshold(&self, solution: &LinearSolution) -> Option<f64> {
        let place = self.model.role_index(ParameterRole::Threshold)?;
        Some(solution.numbers[place]).filter(|size| size.is_finite())
    }

    /// A threshold with the interval of the tried values that the data do not exclude. If the model compares another
    /// quantity than the size, the interval begins just above the next lower measured value: nothing was measured
    /// between.
    pub(super) fn threshold_interval(
        &self,
        value: f64,
        solution: &LinearSolution,
    ) -> Result<IntervalEstimate, FitError> {
        let sums = solution.tried_thresholds.iter().map(|(_, rss)| *rss);
        let least = sums.fold(f64::INFINITY, f64::min);
        let dof = solution.regression.dof;
        let limit = least * (1.0 + f_quantile(self.options.confidence, 1, dof) / dof as f64);
        let possible_sizes = solution.tried_thresholds.iter().filter(|(_, rss)| *rss <= limit);
        let sizes = possible_sizes.map(|(size, _)| size.as_f64());
        let mut lower = sizes.clone().fold(value, f64::min);
        if !self.model.compares_sizes() {
            let candidates = self.candidates()?.into_iter().map(Bytes::as_f64);
            let before = candidates.take_while(|other| *other < lower).last();
            lower = before.map_or(lower, |before| before + 1.0);
        }
        Ok(IntervalEstimate {
            value,
            lower,
            upper: sizes.fold(value, f64::max),
        })
    }
}
