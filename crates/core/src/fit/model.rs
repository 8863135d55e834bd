//! The parameters of any model, from the times of a collective.
//!
//! # Method
//! What happens to a parameter is its [`Role`]. Models are linear in their linear
//! parameters: T = T(0) + Σ θᵢ·(T(eᵢ) − T(0)), so the columns of the regression come
//! from the formula itself, and the parameters from [`least_squares`](crate::stats::least_squares). A parameter that
//! comes out below its least value is held there and the rest fitted again.
//!
//! A threshold is the measured size with the least weighted sum of squares, with at least
//! four points on its far side and two on the near one; what counts from it on is dropped
//! if it is below one microsecond or its interval holds zero. A count is the whole number
//! with the least sum of squares of ln(T/T̂), each weighted by the share of bytes in the
//! contention-free time; from 100 on it is searched in steps of one per cent. A table L(m) is
//! the mean over n of T − (n−1)·g(m), at least 0.
//!
//! # Source
//! Barchet-Steffenel and Mounié 2005 (PPAM) calibrate γ and `δ_P` by regression; the papers
//! do not fit the other models, the rules for them are netsig's.

mod direct;
mod linear;

use nalgebra::{DMatrix, DVector};

use super::domain::Domain;
use super::fitted::{Base, FittedModel, Found};
use super::signature::{self, Options, Parameter, Residuals, SignatureFit};
use super::{FitError, Point, bandwidth_share, shares};
use crate::model::{self, Case, Estimator, Known, Model, ModelError, Role, Values};
use crate::stats::interval::{Estimate, Student};
use crate::units::table::Table;

/// What is fitted, and to what. Of the options, those that belong to a signature alone count for
/// signatures alone.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The model.
    pub model: &'static Model,
    /// Who ran the collective.
    pub algorithm: &'a str,
    /// What the parameters are fitted on top of.
    pub base: Base,
    /// What is known of the network.
    pub network: &'a Known,
    /// The times.
    pub points: &'a [Point],
    /// How to fit.
    pub options: &'a Options,
}

impl Problem<'_> {
    /// Fits the parameters; with the weighted residual sum of squares.
    ///
    /// # Errors
    /// If the points are too few, do not determine the parameters, or the model cannot be
    /// evaluated for them.
    pub fn fit(&self) -> Result<(FittedModel, f64), FitError> {
        match self.model.estimator {
            Estimator::None | Estimator::Regimes => Err(FitError::Impossible(format!(
                "{} has no parameters",
                self.model.name
            ))),
            Estimator::Signature(form, sides) => {
                let options = Options {
                    form,
                    sides,
                    ..self.options.clone()
                };
                let fit = signature::fit(&self.network.hockney, self.points, &options)?;
                Ok((self.of_signature(&fit), fit.weighted_rss))
            }
            Estimator::ByRole => match self.model.place(Role::Count) {
                Some(place) => self.count(place),
                None => self.linear(),
            },
            Estimator::Latency => self.latency(),
        }
    }

    fn role(&self, place: usize) -> Role {
        self.model.parameters[place].role
    }

    /// The model's times of all points.
    fn times(&self, numbers: &[f64], latency: Option<&Table>) -> Result<DVector<f64>, FitError> {
        let values = Values {
            numbers: numbers.to_vec(),
            latency: latency.cloned(),
        };
        let time = |p: &Point| {
            let case = Case::new(p.procs, p.size);
            Ok(self.model.time(self.network, &values, case)?.time.0)
        };
        let times: Result<Vec<f64>, ModelError> = self.points.iter().map(time).collect();
        Ok(DVector::from_vec(times?))
    }

    /// The defaults, with 0 for what has none.
    fn start(&self) -> Vec<f64> {
        let defaults = self.model.parameters.iter().map(|own| own.default);
        defaults.map(Option::unwrap_or_default).collect()
    }

    /// Σw·ln²(T/T̂), w the bandwidth share.
    fn squares(&self, fitted: &DVector<f64>) -> f64 {
        let square = |(p, time): (&Point, &f64)| {
            bandwidth_share(&self.network.hockney, p.size) * (p.time.0 / time).ln().powi(2)
        };
        self.points.iter().zip(fitted.iter()).map(square).sum()
    }

    fn residuals(&self, fitted: &DVector<f64>, parameters: usize) -> Result<Residuals, FitError> {
        let weight = shares(&self.network.hockney, self.points).sum();
        let free = 1.0 - parameters as f64 / self.points.len() as f64;
        let residual = (self.squares(fitted) / weight / free).sqrt();
        if residual.is_finite() {
            return Ok(Residuals {
                below: residual,
                above: residual,
            });
        }
        Err(FitError::Overflow {
            what: format!("the residuals of {}", self.model.name),
        })
    }

    /// The model with the values of its parameters, those of `estimates` by their places and in
    /// the order of `covariance`.
    fn fitted(
        &self,
        values: Values,
        estimates: &[(usize, Estimate)],
        covariance: DMatrix<f64>,
        dof: usize,
        residuals: Residuals,
    ) -> FittedModel {
        let name = |place: usize| self.model.parameters[place].name.to_owned();
        let found = values.numbers.iter().enumerate();
        let found = found.filter(|(_, value)| !value.is_nan());
        let found = found.map(|(place, value)| (name(place), Found::Plain(*value)));
        let estimated = estimates.iter();
        let estimated =
            estimated.map(|(place, estimate)| (name(*place), Found::Estimated(*estimate)));
        FittedModel {
            model: self.model,
            algorithm: self.algorithm.to_owned(),
            fitted_on: self.base,
            errors: self.options.covariance.to_string(),
            student: Student::new(self.options.confidence, dof),
            parameters: found.chain(estimated).collect(),
            latency_s: values.latency,
            covariance_of: estimates.iter().map(|(place, _)| name(*place)).collect(),
            covariance,
            residuals,
            domain: Domain::of_points(self.points).expect("no fit goes without points"),
        }
    }

    /// The fitted model of a signature.
    pub(super) fn of_signature(&self, fit: &SignatureFit) -> FittedModel {
        let signature = &fit.signature;
        let threshold = fit.threshold.map_or(f64::INFINITY, |m| m.value.as_f64());
        let number = |own: &model::Parameter| match own.role {
            Role::Threshold => threshold,
            Role::Supplement => signature.delta.0,
            _ if own.name == Parameter::Gamma.name() => signature.gamma,
            _ => signature.gamma_below.unwrap_or(f64::NAN),
        };
        let place = |wanted: Parameter| {
            let mut all = self.model.parameters.iter();
            all.position(|own| own.name == wanted.name())
        };
        let estimates = fit.parameters.iter();
        let estimates = estimates.filter_map(|(own, estimate)| Some((place(*own)?, *estimate)));
        let values = Values {
            numbers: self.model.parameters.iter().map(number).collect(),
            latency: None,
        };
        let covariance = fit.covariance.clone();
        let estimates: Vec<(usize, Estimate)> = estimates.collect();
        let mut fitted = self.fitted(values, &estimates, covariance, fit.dof, fit.residuals);
        if let (Some(found), Some(place)) = (fit.threshold, self.model.place(Role::Threshold)) {
            let name = self.model.parameters[place].name.to_owned();
            let found = Found::Estimated(found.into());
            fitted.parameters.insert(name, found);
        }
        fitted.domain.saturation = fit.saturation;
        fitted
    }
}
