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

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::domain::Domain;
use super::fitted::{Base, FittedModel, Found};
use super::saturation::Saturation;
use super::signature::{self, Options, Parameter, Residuals, SignatureFit, ThresholdEstimate};
use super::{Covariance, FitError, Point, bandwidth_share, shares};
use crate::model::{self, Case, Estimator, Known, Model, ModelError, Role, Values};
use crate::stats::interval::{Estimate, Student};
use crate::units::table::Table;

/// The values that suit the points best.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFit {
    /// All of the model's parameters.
    pub values: Values,
    /// Those that the regression estimated, by their place among the model's parameters, in
    /// the order of `covariance`.
    pub estimates: Vec<(usize, Estimate)>,
    /// The covariance of the estimates.
    pub covariance: DMatrix<f64>,
    /// M with its interval, of a signature that has one.
    pub threshold: Option<ThresholdEstimate>,
    /// Degrees of freedom.
    pub dof: usize,
    /// Weighted residual sum of squares.
    pub weighted_rss: f64,
    /// How far the points lie from the model in relative terms, for a message that is all
    /// bandwidth; one with the bandwidth share w deviates by 1/√w as much. A signature tells
    /// the sides of M apart; for other models both are the same.
    pub residuals: Residuals,
    /// Whether γ still grows with n, as far as a signature tells.
    pub saturation: Saturation,
}

/// How a fit was made: what its result does not hold.
#[derive(Debug, Clone)]
pub struct Circumstances<'a> {
    /// Who ran the collective.
    pub algorithm: &'a str,
    /// What the parameters were fitted on top of.
    pub base: Base,
    /// The covariance of the errors.
    pub covariance: &'a Covariance,
    /// The fitted points.
    pub points: &'a [Point],
    /// The level of the intervals.
    pub confidence: f64,
}

impl ModelFit {
    /// The fitted model; `None` if there are no points.
    pub fn fitted(&self, model: &'static Model, made: &Circumstances) -> Option<FittedModel> {
        let values = model.parameters.iter().zip(&self.values.numbers);
        let mut parameters: BTreeMap<String, Found> = values
            .filter(|(_, value)| !value.is_nan())
            .map(|(parameter, value)| (parameter.name.to_owned(), Found::Plain(*value)))
            .collect();
        let mut covariance_of = Vec::new();
        for (place, estimate) in &self.estimates {
            let name = model.parameters[*place].name.to_owned();
            parameters.insert(name.clone(), Found::Estimated(*estimate));
            covariance_of.push(name);
        }
        if let (Some(found), Some(place)) = (self.threshold, model.place(Role::Threshold)) {
            let name = model.parameters[place].name.to_owned();
            parameters.insert(name, Found::Estimated(found.into()));
        }
        Some(FittedModel {
            model,
            algorithm: made.algorithm.to_owned(),
            fitted_on: made.base,
            errors: made.covariance.to_string(),
            student: Student::new(made.confidence, self.dof),
            parameters,
            latency_s: self.values.latency.clone(),
            covariance_of,
            covariance: self.covariance.clone(),
            residuals: self.residuals,
            domain: Domain {
                saturation: self.saturation,
                ..Domain::of_points(made.points)?
            },
        })
    }
}

/// What is fitted.
struct Problem<'a> {
    model: &'static Model,
    network: &'a Known,
    points: &'a [Point],
    options: &'a Options,
}

/// Fits the parameters of `model` to `points` of one algorithm. Of the options, those that
/// belong to a signature alone count for signatures alone.
///
/// # Errors
/// If the points are too few, do not determine the parameters, or the model cannot be
/// evaluated for them.
pub fn fit(
    model: &'static Model,
    network: &Known,
    points: &[Point],
    options: &Options,
) -> Result<ModelFit, FitError> {
    let problem = Problem {
        model,
        network,
        points,
        options,
    };
    match model.estimator {
        Estimator::None | Estimator::Regimes => Err(FitError::Impossible(format!(
            "{} has no parameters",
            model.name
        ))),
        Estimator::Signature(form, sides) => {
            let options = Options {
                form,
                sides,
                ..options.clone()
            };
            let fitted = signature::fit(&network.hockney, points, &options)?;
            Ok(of_signature(model, &fitted))
        }
        Estimator::ByRole => match model.place(Role::Count) {
            Some(place) => problem.count(place),
            None => problem.linear(),
        },
        Estimator::Latency => problem.latency(),
    }
}

impl Problem<'_> {
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
}

/// The fit of a signature as that of a model with its parameters.
pub(super) fn of_signature(model: &'static Model, fitted: &SignatureFit) -> ModelFit {
    let signature = &fitted.signature;
    let threshold = fitted.threshold.map_or(f64::INFINITY, |m| m.value.as_f64());
    let place = |wanted: Parameter| {
        let mut all = model.parameters.iter();
        all.position(|own| own.name == wanted.name())
    };
    let number = |own: &model::Parameter| match own.role {
        Role::Threshold => threshold,
        Role::Supplement => signature.delta.0,
        _ if own.name == Parameter::Gamma.name() => signature.gamma,
        _ => signature.gamma_below.unwrap_or(f64::NAN),
    };
    let estimates = fitted.parameters.iter();
    ModelFit {
        estimates: estimates
            .filter_map(|(own, estimate)| Some((place(*own)?, *estimate)))
            .collect(),
        values: Values {
            numbers: model.parameters.iter().map(number).collect(),
            latency: None,
        },
        covariance: fitted.covariance.clone(),
        threshold: fitted.threshold,
        dof: fitted.dof,
        weighted_rss: fitted.weighted_rss,
        residuals: fitted.residuals,
        saturation: fitted.saturation,
    }
}
