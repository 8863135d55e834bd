//! Estimation of the parameters in which the time is linear.

use itertools::Itertools;
use nalgebra::{DMatrix, DVector};
use netsig_base::stats::interval::{Estimate, Variance};
use netsig_base::stats::least_squares::Regression;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

use super::{DeltaRule, ModelFit, Problem};
use crate::fit::{Design, FitError, regress, shares};
use crate::fitted::Found;
use crate::model::hockney::Hockney;
use crate::model::{Known, Role, Values};

/// A smaller supplement, in seconds, is dropped.
const NEGLIGIBLE: f64 = 1e-6;

/// A solution: all values, and the regression of the free ones.
pub(super) struct Solution {
    pub(super) numbers: Vec<f64>,
    pub(super) free: Vec<usize>,
    pub(super) design: Design,
    pub(super) regression: Regression,
    /// The weighted residual sum of squares at each tried threshold, ascending.
    pub(super) tried: Vec<(Bytes, f64)>,
}

impl Solution {
    /// T̂ of all points.
    pub(super) fn times(&self) -> DVector<f64> {
        &self.design.fixed + &self.design.x * &self.regression.theta
    }
}

impl Problem<'_> {
    /// Estimates all linear parameters. A supplement that the data do not support is dropped, and
    /// the others are fitted again.
    pub(super) fn linear(&self) -> Result<ModelFit, FitError> {
        let all = match self.choose(|_| true) {
            // A threshold needs enough sizes on either side.
            Err(FitError::NoSearch { .. }) if !self.model.is_form_of_signature() => None,
            all => Some(all?),
        };
        let solution = match all.filter(|all| self.is_supported(all)) {
            Some(all) => all,
            None => self.choose(|role| role != Role::Supplement)?,
        };
        self.finish(solution)
    }

    /// True if the data support the supplement of the model, or it has none.
    fn is_supported(&self, solution: &Solution) -> bool {
        let Some(place) = self.model.place(Role::Supplement) else {
            return true;
        };
        let index = solution.free.iter().position(|own| *own == place);
        let estimate = index.map(|index| self.estimate(solution, index));
        self.options.delta == DeltaRule::Kept || estimate.is_some_and(|own| own.value >= NEGLIGIBLE && own.lower > 0.0)
    }

    /// Factor of a linear parameter in the time of every point.
    pub(super) fn column(&self, numbers: &[f64], place: usize) -> Result<DVector<f64>, FitError> {
        let with = |value: f64| {
            let mut numbers = numbers.to_vec();
            numbers[place] = value;
            self.times(&numbers, None)
        };
        Ok(with(1.0)? - with(0.0)?)
    }

    /// Regression of the `free` parameters; the others have their values in `numbers`.
    fn regression(&self, numbers: &[f64], free: &[usize]) -> Result<(Design, Regression), FitError> {
        let mut numbers = numbers.to_vec();
        for &place in free {
            numbers[place] = 0.0;
        }
        let columns = free.iter().map(|&place| self.column(&numbers, place));
        let columns: Vec<DVector<f64>> = columns.collect::<Result<_, _>>()?;
        let design = Design {
            x: DMatrix::from_columns(&columns),
            fixed: self.times(&numbers, None)?,
            shares: shares(&self.network.hockney, self.points),
        };
        let names = free.iter().map(|&place| self.model.parameters[place].name);
        let what = names.format(" and ").to_string();
        let regression = regress(&design, self.points, &self.options.covariance, &what)?;
        Ok((design, regression))
    }

    /// Solves for the `free` parameters; the others have their values in `numbers`. A parameter
    /// whose estimate is below its least value is fixed there.
    pub(super) fn solve(&self, mut numbers: Vec<f64>, mut free: Vec<usize>) -> Result<Solution, FitError> {
        loop {
            let (design, regression) = self.regression(&numbers, &free)?;
            let least = |place: usize| match self.role(place) {
                Role::Linear(least) | Role::Below(least) => least,
                _ if self.options.delta == DeltaRule::Kept => f64::NEG_INFINITY,
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
                    design,
                    regression,
                    tried: Vec::new(),
                });
            };
            let place = free.remove(low);
            numbers[place] = least(place);
            if free.is_empty() {
                let (model, name) = (self.model.name, self.model.parameters[place].name);
                let value = regression.theta[low];
                return Err(FitError::Impossible(format!(
                    "{name} of {model} is {value:.3e}, below {}",
                    least(place)
                )));
            }
        }
    }

    /// A free parameter with its interval: the error of the regression and, for a signature, the
    /// shifts by one standard error of α and of β.
    fn estimate(&self, solution: &Solution, index: usize) -> Estimate {
        let value = solution.regression.theta[index];
        let mut parts = vec![solution.regression.variance(index)];
        for (network, dof) in self.shifted_networks() {
            let shifted = Problem {
                network: &network,
                ..*self
            };
            // A base on which nothing can be fitted contributes no shift.
            if let Ok((_, shifted)) = shifted.regression(&solution.numbers, &solution.free) {
                let shift = shifted.theta[index] - value;
                parts.push(Variance {
                    value: shift * shift,
                    dof,
                });
            }
        }
        Estimate::around(value, &parts, self.options.confidence)
    }

    /// For a signature, the network with α, and with β, larger by one standard error.
    fn shifted_networks(&self) -> Vec<(Known, f64)> {
        let Some(error) = self.options.base_error.filter(|_| self.model.is_form_of_signature()) else {
            return Vec::new();
        };
        let base = &self.network.hockney;
        let (alpha, beta) = (base.alpha(), base.beta());
        let more_alpha = Hockney::new(Seconds(alpha.0 + error.alpha.value.sqrt()), beta);
        let more_beta = Hockney::new(alpha, SecondsPerByte(beta.0 + error.beta.value.sqrt()));
        let shifted = [(more_alpha, error.alpha.dof), (more_beta, error.beta.dof)];
        let network = |(base, dof): (Result<Hockney, _>, f64)| {
            let hockney = base.ok()?;
            let known = self.network.clone();
            Some((Known { hockney, ..known }, dof))
        };
        shifted.into_iter().filter_map(network).collect()
    }

    fn finish(&self, solution: Solution) -> Result<ModelFit, FitError> {
        let estimates: Vec<(usize, Estimate)> = (0..solution.free.len())
            .map(|index| (solution.free[index], self.estimate(&solution, index)))
            .collect();
        let threshold = self.threshold(&solution).filter(|_| self.model.has_sides());
        let parameters = solution.free.len();
        let (residuals, gamma_by_procs) = if self.model.is_form_of_signature() {
            let residuals = self.residuals_of_sides(&solution.times(), threshold, parameters)?;
            (residuals, self.gamma_by_procs(&solution, threshold))
        } else {
            let times = self.times(&solution.numbers, None)?;
            (self.residuals(&times, parameters)?, Vec::new())
        };
        let found = threshold.map(|value| self.possible(value, &solution)).transpose()?;
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
        let mut model = self.fitted(values, &estimates, covariance, dof, residuals);
        if let (Some(found), Some(place)) = (found, self.model.place(Role::Threshold)) {
            let name = self.model.parameters[place].name.to_owned();
            model.parameters.insert(name, Found::Estimated(found));
        }
        Ok(ModelFit {
            gamma_by_procs,
            ..ModelFit::of(model, weighted_rss)
        })
    }
}
