//! Estimation of the parameters in which the time is linear.

use itertools::Itertools;
use nalgebra::{DMatrix, DVector};
use netsig_base::stats::interval::{IntervalEstimate, Variance};
use netsig_base::stats::least_squares::Regression;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

use super::{DeltaRule, FitProblem, ModelFit};
use crate::fit::{FitError, LinearDesign, bandwidth_shares, regress};
use crate::fitted::ParameterValue;
use crate::model::hockney::Hockney;
use crate::model::{KnownNetwork, ParameterRole, ParameterValues};

/// A smaller supplement, in seconds, is dropped.
const LEAST_SUPPLEMENT: f64 = 1e-6;

/// A solution: all values, and the regression of the free ones.
pub(super) struct LinearSolution {
    pub(super) numbers: Vec<f64>,
    pub(super) free: Vec<usize>,
    pub(super) design: LinearDesign,
    pub(super) regression: Regression,
    /// The weighted residual sum of squares at each tried threshold, ascending.
    pub(super) tried_thresholds: Vec<(Bytes, f64)>,
}

impl LinearSolution {
    /// T̂ of all points.
    pub(super) fn times(&self) -> DVector<f64> {
        &self.design.fixed + &self.design.x * &self.regression.theta
    }
}

impl FitProblem<'_> {
    /// Estimates all linear parameters. A supplement that the data do not support is dropped, and
    /// the others are fitted again.
    pub(super) fn fit_linear(&self) -> Result<ModelFit, FitError> {
        let all = match self.best_with_roles(|_| true) {
            // A threshold needs enough sizes on either side.
            Err(FitError::NoSearch { .. }) if !self.model.is_form_of_signature() => None,
            all => Some(all?),
        };
        let solution = match all.filter(|all| self.is_supported(all)) {
            Some(all) => all,
            None => self.best_with_roles(|role| role != ParameterRole::Supplement)?,
        };
        self.model_fit(solution)
    }

    /// True if the data support the supplement of the model, or it has none.
    fn is_supported(&self, solution: &LinearSolution) -> bool {
        let Some(place) = self.model.role_index(ParameterRole::Supplement) else {
            return true;
        };
        let index = solution.free.iter().position(|free_place| *free_place == place);
        let estimate = index.map(|index| self.estimate(solution, index));
        self.options.delta == DeltaRule::Kept
            || estimate.is_some_and(|supplement| supplement.value >= LEAST_SUPPLEMENT && supplement.lower > 0.0)
    }

    /// Factor of a linear parameter in the time of every point.
    pub(super) fn column(&self, numbers: &[f64], place: usize) -> Result<DVector<f64>, FitError> {
        let with = |value: f64| {
            let mut changed_numbers = numbers.to_vec();
            changed_numbers[place] = value;
            self.times(&changed_numbers, None)
        };
        Ok(with(1.0)? - with(0.0)?)
    }

    /// Regression of the `free` parameters; the others have their values in `numbers`.
    fn regression(&self, numbers: &[f64], free: &[usize]) -> Result<(LinearDesign, Regression), FitError> {
        let mut fixed_numbers = numbers.to_vec();
        for &place in free {
            fixed_numbers[place] = 0.0;
        }
        let column_results = free.iter().map(|&place| self.column(&fixed_numbers, place));
        let columns: Vec<DVector<f64>> = column_results.collect::<Result<_, _>>()?;
        let design = LinearDesign {
            x: DMatrix::from_columns(&columns),
            fixed: self.times(&fixed_numbers, None)?,
            shares: bandwidth_shares(&self.network.hockney, self.points),
        };
        let names = free.iter().map(|&place| self.model.parameters[place].name);
        let what = names.format(" and ").to_string();
        let regression = regress(&design, self.points, &self.options.covariance, &what)?;
        Ok((design, regression))
    }

    /// Solves for the `free` parameters; the others have their values in `numbers`. A parameter
    /// whose estimate is below its least value is fixed there.
    pub(super) fn solve(&self, mut numbers: Vec<f64>, mut free: Vec<usize>) -> Result<LinearSolution, FitError> {
        loop {
            let (design, regression) = self.regression(&numbers, &free)?;
            let least = |place: usize| match self.role(place) {
                ParameterRole::Linear(least) | ParameterRole::Below(least) => least,
                _ if self.options.delta == DeltaRule::Kept => f64::NEG_INFINITY,
                _ => 0.0,
            };
            let too_low = (0..free.len()).find(|&i| regression.theta[i] < least(free[i]));
            let Some(low) = too_low else {
                for (index, &place) in free.iter().enumerate() {
                    numbers[place] = regression.theta[index];
                }
                return Ok(LinearSolution {
                    numbers,
                    free,
                    design,
                    regression,
                    tried_thresholds: Vec::new(),
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
    fn estimate(&self, solution: &LinearSolution, index: usize) -> IntervalEstimate {
        let value = solution.regression.theta[index];
        let mut parts = vec![solution.regression.variance(index)];
        for (network, dof) in self.shifted_networks() {
            let shifted = FitProblem {
                network: &network,
                ..*self
            };
            // A base on which nothing can be fitted contributes no shift.
            if let Ok((_, shifted_regression)) = shifted.regression(&solution.numbers, &solution.free) {
                let shift = shifted_regression.theta[index] - value;
                parts.push(Variance {
                    value: shift * shift,
                    dof,
                });
            }
        }
        IntervalEstimate::around(value, &parts, self.options.confidence)
    }

    /// For a signature, the network with α, and with β, larger by one standard error.
    fn shifted_networks(&self) -> Vec<(KnownNetwork, f64)> {
        let Some(error) = self
            .options
            .hockney_variances
            .filter(|_| self.model.is_form_of_signature())
        else {
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
            Some((KnownNetwork { hockney, ..known }, dof))
        };
        shifted.into_iter().filter_map(network).collect()
    }

    fn model_fit(&self, solution: LinearSolution) -> Result<ModelFit, FitError> {
        let estimates: Vec<(usize, IntervalEstimate)> = (0..solution.free.len())
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
        let threshold_estimate = threshold
            .map(|value| self.threshold_interval(value, &solution))
            .transpose()?;
        let values = ParameterValues {
            numbers: solution.numbers,
            latency: None,
        };
        let Regression {
            covariance,
            dof,
            weighted_rss,
            ..
        } = solution.regression;
        let mut model = self.fitted_model(values, &estimates, covariance, dof, residuals);
        if let (Some(found), Some(place)) = (threshold_estimate, self.model.role_index(ParameterRole::Threshold)) {
            let name = self.model.parameters[place].name.to_owned();
            model.parameters.insert(name, ParameterValue::Estimated(found));
        }
        Ok(ModelFit {
            gamma_by_procs,
            ..ModelFit::of(model, weighted_rss)
        })
    }
}
