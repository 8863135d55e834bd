//! Search for the threshold M, and the choice between one γ and two.
//!
//! # Method
//! Every measured size with enough points from it on and below it is tried, or every value of what
//! else the model compares with M. M is the one with the least weighted residual sum of squares (the
//! smallest of equals). Its interval contains the sizes with RSS ≤ RSS₀·(1 + F(1, N−p)/(N−p)), RSS₀ the
//! least.

use itertools::Itertools;
use netsig_base::stats::interval::{Estimate, f_quantile};
use netsig_base::units::Bytes;

use super::linear::Solution;
use super::{Problem, ThresholdChoice};
use crate::fit::{FitError, refuse_few};
use crate::model::{Case, Role};

impl Problem<'_> {
    /// Best solution for the parameters whose roles are `wanted`; with one γ if the data do not
    /// distinguish two.
    pub(super) fn choose(&self, wanted: fn(Role) -> bool) -> Result<Solution, FitError> {
        let is_below = |place: &usize| matches!(self.role(*place), Role::Below(_));
        let places = 0..self.model.parameters.len();
        let mut all: Vec<usize> = places
            .filter(|&place| self.role(place).is_estimated() && wanted(self.role(place)))
            .collect();
        let untold = self.untold(&all)?;
        let is_told = |place: &usize| !untold.contains(place);
        // If one of them is all that could be fitted, the regression says what is missing.
        if all.iter().any(|place| is_told(place) && !is_below(place)) {
            all.retain(is_told);
        }
        let fewer: Vec<usize> = all.iter().copied().filter(|own| !is_below(own)).collect();
        let one = self.best(&fewer)?;
        if fewer.len() == all.len() {
            return Ok(one);
        }
        let two = self.best(&all).ok();
        let two = two.filter(|two| self.is_worth_it(&one, two));
        Ok(two.unwrap_or(one))
    }

    /// The parameters of all sizes on which no point's time depends: they keep their defaults.
    fn untold(&self, places: &[usize]) -> Result<Vec<usize>, FitError> {
        let mut untold = Vec::new();
        for &place in places {
            let is_lasting = matches!(self.role(place), Role::Linear(_));
            if is_lasting && self.column(&self.start(), place)?.iter().all(|own| *own == 0.0) {
                untold.push(place);
            }
        }
        Ok(untold)
    }

    /// True if the additional parameters of `more` explain more than chance would in at most a
    /// share 1 − confidence of all cases (an F test).
    fn is_worth_it(&self, fewer: &Solution, more: &Solution) -> bool {
        let [rss_fewer, rss_more] = [fewer, more].map(|own| own.regression.weighted_rss);
        let dof = more.regression.dof;
        let extra = fewer.regression.dof.saturating_sub(dof).max(1);
        let f = (rss_fewer - rss_more) / extra as f64 / (rss_more / dof as f64);
        f > f_quantile(self.options.confidence, extra, dof)
    }

    /// Best solution under the chosen source of the threshold. Parameters of all sizes alone need
    /// no threshold.
    fn best(&self, free: &[usize]) -> Result<Solution, FitError> {
        let is_lasting = |place: &usize| matches!(self.role(*place), Role::Linear(_));
        let lasting: Vec<usize> = free.iter().copied().filter(is_lasting).collect();
        let threshold = self.model.place(Role::Threshold);
        let threshold = threshold.filter(|_| lasting.len() < free.len());
        match (threshold, self.options.threshold) {
            (None, _) | (_, ThresholdChoice::None) => self.solve(self.start(), lasting),
            (Some(place), ThresholdChoice::At(size)) if self.model.compares_sizes() => {
                if self.model.is_form_of_signature() {
                    self.refuse_one_sided(size)?;
                }
                self.at(place, size, free)
            }
            (Some(place), _) => self.search(place, free),
        }
    }

    /// The best solution over all thresholds that leave enough points on either side.
    fn search(&self, threshold: usize, free: &[usize]) -> Result<Solution, FitError> {
        let mut best: Option<Solution> = None;
        let mut tried = Vec::new();
        for size in self
            .candidates()?
            .into_iter()
            .filter(|size| self.has_enough(threshold, *size))
        {
            let solution = match self.at(threshold, size, free) {
                Ok(solution) => solution,
                // A size at which the columns depend on each other is no candidate.
                Err(FitError::Singular { .. } | FitError::Impossible(_)) => continue,
                Err(error) => return Err(error),
            };
            let rss = solution.regression.weighted_rss;
            tried.push((size, rss));
            let is_better = |best: &Solution| rss < best.regression.weighted_rss;
            if best.as_ref().is_none_or(is_better) {
                best = Some(solution);
            }
        }
        let least = self.options.least;
        let best = best.ok_or(FitError::NoSearch {
            found: self.points.len(),
            below: least.below,
            from: least.from,
        })?;
        Ok(Solution { tried, ..best })
    }

    /// What the points' cases are compared with a threshold by, ascending.
    fn candidates(&self) -> Result<Vec<Bytes>, FitError> {
        let sizes = self.points.iter().map(|p| {
            let case = Case::new(p.procs, p.size);
            self.model.compared(self.network, case)
        });
        let sizes: Vec<Bytes> = sizes.collect::<Result<_, _>>()?;
        Ok(sizes.into_iter().sorted_unstable().dedup().collect())
    }

    /// True if enough points are on either side of a threshold.
    fn has_enough(&self, threshold: usize, size: Bytes) -> bool {
        let mut numbers = self.start();
        numbers[threshold] = size.as_f64();
        let supplement = self.model.place(Role::Supplement);
        let column = supplement.and_then(|place| self.column(&numbers, place).ok());
        let far = column.map_or(0, |column| column.iter().filter(|factor| **factor != 0.0).count());
        let least = self.options.least;
        far >= least.from && self.points.len() - far >= least.below
    }

    /// The solution with the threshold at `size`.
    fn at(&self, threshold: usize, size: Bytes, free: &[usize]) -> Result<Solution, FitError> {
        let mut numbers = self.start();
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
                return refuse_few(what, from, self.options.least.from);
            }
        };
        Err(FitError::OneSided { side, threshold })
    }

    /// The threshold of a solution, if it has one.
    pub(super) fn threshold(&self, solution: &Solution) -> Option<f64> {
        let place = self.model.place(Role::Threshold)?;
        Some(solution.numbers[place]).filter(|size| size.is_finite())
    }

    /// A threshold with the interval of the tried sizes that the data do not exclude. Of one that is compared with
    /// something else than the size it begins beyond the last of the points below: nothing was measured between.
    pub(super) fn possible(&self, value: f64, solution: &Solution) -> Result<Estimate, FitError> {
        let sums = solution.tried.iter().map(|(_, rss)| *rss);
        let least = sums.fold(f64::INFINITY, f64::min);
        let dof = solution.regression.dof;
        let limit = least * (1.0 + f_quantile(self.options.confidence, 1, dof) / dof as f64);
        let possible = solution.tried.iter().filter(|(_, rss)| *rss <= limit);
        let sizes = possible.map(|(size, _)| size.as_f64());
        let mut lower = sizes.clone().fold(value, f64::min);
        if !self.model.compares_sizes() {
            let candidates = self.candidates()?.into_iter().map(Bytes::as_f64);
            let before = candidates.take_while(|other| *other < lower).last();
            lower = before.map_or(lower, |before| before + 1.0);
        }
        Ok(Estimate {
            value,
            lower,
            upper: sizes.fold(value, f64::max),
        })
    }
}
