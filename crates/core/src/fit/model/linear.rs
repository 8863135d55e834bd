//! Parameters in which the time is linear, and the threshold of one of them.

use itertools::Itertools;
use nalgebra::{DMatrix, DVector};

use super::Problem;
use crate::fit::fitted::FittedModel;
use crate::fit::signature::ThresholdChoice;
use crate::fit::{Design, FitError, regress, shares};
use crate::model::{Role, Values};
use crate::stats::interval::Estimate;
use crate::stats::least_squares::Regression;
use crate::units::Bytes;

/// A supplement below this is none.
const NEGLIGIBLE: f64 = 1e-6;

/// One solution: all values, and the regression of those that are free.
struct Solution {
    numbers: Vec<f64>,
    free: Vec<usize>,
    regression: Regression,
}

impl Problem<'_> {
    /// Estimates all linear parameters.
    pub(super) fn linear(&self) -> Result<(FittedModel, f64), FitError> {
        let free: Vec<usize> = (0..self.model.parameters.len())
            .filter(|&i| self.role(i).is_estimated())
            .collect();
        if let Some(threshold) = self.model.place(Role::Threshold) {
            let found = match self.options.threshold {
                ThresholdChoice::Search => self.search(threshold, &free),
                ThresholdChoice::At(size) => Some(self.at(threshold, size, &free)?),
                ThresholdChoice::None => None,
            };
            if let Some(found) = found.filter(|found| self.has_supplement(found)) {
                return self.finish(found);
            }
        }
        let is_lasting = |place: &usize| self.role(*place) != Role::Supplement;
        let lasting = free.into_iter().filter(is_lasting).collect();
        self.finish(self.solve(self.start(), lasting)?)
    }

    /// The best solution over all thresholds that leave enough points on either side.
    fn search(&self, threshold: usize, free: &[usize]) -> Option<Solution> {
        let supplement = self.model.place(Role::Supplement)?;
        let sizes = self.points.iter().map(|p| p.size);
        let sizes = sizes.sorted_unstable().dedup();
        let has_enough = |size: &Bytes| {
            let mut numbers = self.start();
            numbers[threshold] = size.as_f64();
            let far = self.column(&numbers, supplement).map_or(0, |column| {
                column.iter().filter(|factor| **factor != 0.0).count()
            });
            let least = self.options.least;
            far >= least.from && self.points.len() - far >= least.below
        };
        let solutions = sizes.filter(has_enough);
        let solutions = solutions.filter_map(|size| self.at(threshold, size, free).ok());
        let rss = |solution: &Solution| solution.regression.weighted_rss;
        solutions.min_by(|a, b| rss(a).total_cmp(&rss(b)))
    }

    /// The solution with the threshold at `size`.
    fn at(&self, threshold: usize, size: Bytes, free: &[usize]) -> Result<Solution, FitError> {
        let mut numbers = self.start();
        numbers[threshold] = size.as_f64();
        self.solve(numbers, free.to_vec())
    }

    fn has_supplement(&self, solution: &Solution) -> bool {
        let is_supplement = |place: &usize| self.role(*place) == Role::Supplement;
        let index = solution.free.iter().position(is_supplement);
        index
            .map(|index| self.estimate(solution, index))
            .is_some_and(|supplement| supplement.value >= NEGLIGIBLE && supplement.lower > 0.0)
    }

    /// The factor of a linear parameter in the time of every point.
    fn column(&self, numbers: &[f64], place: usize) -> Result<DVector<f64>, FitError> {
        let with = |value: f64| {
            let mut numbers = numbers.to_vec();
            numbers[place] = value;
            self.times(&numbers, None)
        };
        Ok(with(1.0)? - with(0.0)?)
    }

    /// Solves for the `free` parameters, the others as in `numbers`. One that falls below
    /// its least value is held there.
    fn solve(&self, mut numbers: Vec<f64>, mut free: Vec<usize>) -> Result<Solution, FitError> {
        loop {
            for &place in &free {
                numbers[place] = 0.0;
            }
            let columns = free.iter().map(|&place| self.column(&numbers, place));
            let columns: Vec<DVector<f64>> = columns.collect::<Result<_, _>>()?;
            let design = Design {
                x: DMatrix::from_columns(&columns),
                fixed: self.times(&numbers, None)?,
                shares: shares(&self.network.hockney, self.points),
            };
            let covariance = &self.options.covariance;
            let regression = regress(&design, self.points, covariance, self.model.name)?;
            let least = |place: usize| match self.role(place) {
                Role::Linear(least) => least,
                _ => 0.0,
            };
            let low = (0..free.len()).find(|&i| regression.theta[i] < least(free[i]));
            let Some(low) = low else {
                for (index, &place) in free.iter().enumerate() {
                    numbers[place] = regression.theta[index];
                }
                return Ok(Solution {
                    numbers,
                    free,
                    regression,
                });
            };
            let place = free.remove(low);
            numbers[place] = least(place);
            if free.is_empty() {
                let (model, name) = (self.model.name, self.model.parameters[place].name);
                let value = regression.theta[low];
                return Err(FitError::Impossible(format!(
                    "{name} of {model} comes out as {value}, below {}",
                    least(place)
                )));
            }
        }
    }

    fn estimate(&self, solution: &Solution, index: usize) -> Estimate {
        let value = solution.numbers[solution.free[index]];
        let variance = solution.regression.variance(index);
        Estimate::around(value, &[variance], self.options.confidence)
    }

    fn finish(&self, solution: Solution) -> Result<(FittedModel, f64), FitError> {
        let estimates: Vec<(usize, Estimate)> = (0..solution.free.len())
            .map(|index| (solution.free[index], self.estimate(&solution, index)))
            .collect();
        let times = self.times(&solution.numbers, None)?;
        let residuals = self.residuals(&times, solution.free.len())?;
        let values = Values {
            numbers: solution.numbers,
            latency: None,
        };
        let Regression {
            covariance,
            dof,
            weighted_rss,
            ..
        } = solution.regression;
        let fitted = self.fitted(values, &estimates, covariance, dof, residuals);
        Ok((fitted, weighted_rss))
    }
}
