//! The parameters of any model of the registry, from the times of a collective.
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

use super::signature::{self, Options, Parameter, Sides, SignatureFit};
use super::{FitError, Point, bandwidth_share};
use crate::registry::{Case, Estimator, Model, ModelError, Network, Role, Values};
use crate::stats::interval::Estimate;
use crate::units::table::Table;

/// A model with the values that suit the points best.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFit {
    /// All of its parameters.
    pub values: Values,
    /// Those that the regression estimated, by their place among the model's parameters, in
    /// the order of `covariance`.
    pub estimates: Vec<(usize, Estimate)>,
    /// The covariance of the estimates.
    pub covariance: DMatrix<f64>,
    /// Degrees of freedom.
    pub dof: usize,
    /// Weighted residual sum of squares.
    pub weighted_rss: f64,
    /// How far the points lie from the model in relative terms, for a message that is all
    /// bandwidth; one with the bandwidth share w deviates by 1/√w as much.
    pub residual: f64,
}

/// What is fitted.
struct Problem<'a> {
    model: &'static Model,
    network: &'a Network,
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
    network: &Network,
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
        Estimator::None => Err(FitError::Impossible(format!(
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
            Ok(of_signature(sides, &fitted))
        }
        Estimator::ByRole => match problem.place(|role| role == Role::Count) {
            Some(place) => problem.count(place),
            None => problem.linear(),
        },
        Estimator::Latency => problem.latency(),
    }
}

impl Problem<'_> {
    /// The place of the first parameter with a wanted role.
    fn place(&self, wanted: impl Fn(Role) -> bool) -> Option<usize> {
        self.model
            .parameters
            .iter()
            .position(|parameter| wanted(parameter.role))
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
            let timed = self
                .model
                .time(self.network, &values, Case::new(p.procs, p.size));
            timed.map(|timed| timed.time.0)
        };
        let times: Result<Vec<f64>, ModelError> = self.points.iter().map(time).collect();
        times
            .map(DVector::from_vec)
            .map_err(|error| FitError::Impossible(error.to_string()))
    }

    /// The defaults, with 0 for what has none.
    fn start(&self) -> Vec<f64> {
        let parameters = self.model.parameters.iter();
        parameters
            .map(|parameter| parameter.default.unwrap_or(0.0))
            .collect()
    }

    /// Σw·ln²(T/T̂), w the bandwidth share.
    fn squares(&self, fitted: &DVector<f64>) -> f64 {
        let square = |(p, time): (&Point, &f64)| {
            bandwidth_share(&self.network.hockney, p.size) * (p.time.0 / time).ln().powi(2)
        };
        self.points.iter().zip(fitted.iter()).map(square).sum()
    }

    fn residual(&self, fitted: &DVector<f64>, parameters: usize) -> Result<f64, FitError> {
        let weights = self
            .points
            .iter()
            .map(|p| bandwidth_share(&self.network.hockney, p.size));
        let free = 1.0 - parameters as f64 / self.points.len() as f64;
        let residual = (self.squares(fitted) / weights.sum::<f64>() / free).sqrt();
        if residual.is_finite() {
            return Ok(residual);
        }
        Err(FitError::Overflow {
            what: format!("the residuals of {}", self.model.name),
        })
    }
}

/// The fit of a signature as that of a model with γ, δ and M, or with γ, γ below M, δ and M.
fn of_signature(sides: Sides, fitted: &SignatureFit) -> ModelFit {
    let signature = &fitted.signature;
    let threshold = fitted.threshold.map_or(f64::INFINITY, |m| m.value.as_f64());
    let mut numbers = vec![signature.gamma, signature.delta.0, threshold];
    if sides != Sides::OneGamma {
        numbers.insert(1, signature.gamma_below.unwrap_or(f64::NAN));
    }
    let place = |parameter: Parameter| match parameter {
        Parameter::Gamma => 0,
        Parameter::GammaBelow => 1,
        Parameter::Delta => numbers.len() - 2,
    };
    let estimates = fitted.parameters.iter();
    ModelFit {
        estimates: estimates.map(|(p, e)| (place(*p), *e)).collect(),
        values: Values {
            numbers,
            latency: None,
        },
        covariance: fitted.covariance.clone(),
        dof: fitted.dof,
        weighted_rss: fitted.weighted_rss,
        residual: fitted.residuals.below.max(fitted.residuals.above),
    }
}
