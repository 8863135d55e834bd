//! Parameters estimated without a regression: a count, a table L(m).

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use netsig_base::stats::sample::mean;
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds};

use super::{FitProblem, ModelFit};
use crate::fit::{FitError, refuse_too_few};
use crate::model::ParameterValues;
use crate::model::alltoall::tam::remaining_latency;

impl FitProblem<'_> {
    /// Fits a count: the whole number, at most n², with the least sum of squares.
    pub(super) fn fit_count(&self, place: usize) -> Result<ModelFit, FitError> {
        self.refuse_too_few_points(1)?;
        let most = self
            .points
            .iter()
            .map(|p| u64::from(p.procs.get()).pow(2))
            .max()
            .unwrap_or(1)
            .min(u64::from(u32::MAX));
        let candidates = std::iter::successors(Some(1u64), |b| Some(b + (b / 100).max(1)));
        let mut best: Option<(f64, Vec<f64>, DVector<f64>)> = None;
        for count in candidates.take_while(|count| *count <= most) {
            let mut numbers = self.default_values();
            numbers[place] = count as f64;
            let fitted = self.times(&numbers, None)?;
            let (squares, _) = self.weighted_squares(&fitted, f64::ln, |_| true);
            if best.as_ref().is_none_or(|(least, ..)| squares < *least) {
                best = Some((squares, numbers, fitted));
            }
        }
        let (_, numbers, fitted) = best.expect("one is a candidate");
        self.without_regression(ParameterValues { numbers, latency: None }, &fitted, 1)
    }

    /// Fits the table L(m).
    pub(super) fn fit_latency(&self) -> Result<ModelFit, FitError> {
        let mut left_over_times: BTreeMap<Bytes, Vec<f64>> = BTreeMap::new();
        for p in self.points {
            let latency = remaining_latency(&self.network.plogp, p.procs, p.size, p.time);
            left_over_times.entry(p.size).or_default().push(latency.0);
        }
        self.refuse_too_few_points(left_over_times.len())?;
        let count = left_over_times.len();
        let rows = left_over_times
            .into_iter()
            .map(|(size, all)| (size, Seconds(mean(all).max(0.0))));
        let table = SizeTable::new("L", rows.collect())?;
        let fitted = self.times(&[], Some(&table))?;
        let values = ParameterValues {
            numbers: Vec::new(),
            latency: Some(table),
        };
        self.without_regression(values, &fitted, count)
    }

    fn without_regression(
        &self,
        values: ParameterValues,
        times: &DVector<f64>,
        parameters: usize,
    ) -> Result<ModelFit, FitError> {
        let dof = self.points.len() - parameters;
        let residuals = self.residuals(times, parameters)?;
        let no_covariance = DMatrix::zeros(0, 0);
        let fitted = self.fitted_model(values, &[], no_covariance, dof, residuals);
        let (squares, _) = self.weighted_squares(times, f64::ln, |_| true);
        Ok(ModelFit::of(fitted, squares))
    }

    fn refuse_too_few_points(&self, parameters: usize) -> Result<(), FitError> {
        refuse_too_few(self.model.name, self.points.len(), parameters + 1)
    }
}
