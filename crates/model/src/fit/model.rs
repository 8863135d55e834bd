//! Estimation of the parameters of any model from the times of a collective.
//!
//! # Method
//! The [`ParameterRole`] of a parameter determines its estimation. Models are linear in their linear
//! parameters: T = T(0) + Σ θᵢ·(T(eᵢ) − T(0)), so the columns of the regression follow from the
//! formula itself, and the parameters from [`least_squares`](netsig_base::stats::least_squares). A
//! parameter whose estimate is below its least value is fixed there, and the others are fitted
//! again.
//!
//! A threshold is the measured size with the least weighted sum of squares, with at least four points on its far side
//! and two on the near one. A supplement from the threshold on is dropped if it is below one microsecond or its
//! interval contains zero. The others are then fitted again, with a threshold only if two γ need one.
//! [`DeltaRule::Kept`] leaves the regression unchanged. A count is the whole number with the least sum of squares of
//! ln(T/T̂), each weighted by the bandwidth share; from 100 on it is searched in steps of one per cent. A table L(m) is
//! the mean over n of T − (n−1)·g(m), at least 0.
//!
//! # Source
//! Steffenel 2006 §7: "linear regression with the Generalized Least Squares method,
//! comparing at least four measurement points"; Barchet-Steffenel and Mounié 2005 (PPAM)
//! calibrate γ and `δ_P` by regression. The papers choose M by eye; dropping δ follows their
//! treatment of Myrinet (§8.3). The second γ, the F tests and the rules for the other models are
//! netsig's.

mod direct;
mod linear;
mod options;
mod signature;
mod threshold;

use nalgebra::{DMatrix, DVector};
use netsig_base::stats::interval::{IntervalEstimate, StudentQuantile};
use netsig_base::units::Procs;
use netsig_base::units::table::SizeTable;

pub use self::options::{DeltaRule, ModelFitOptions, SidePoints, ThresholdChoice, UnsaturatedRule};
use super::{FitError, MeasuredPoint};
use crate::fitted::domain::MeasuredDomain;
use crate::fitted::{ContentionFreeBase, FittedModel, ParameterValue, Residuals};
use crate::model::{Case, KnownNetwork, Model, ModelError, ModelEstimator, ParameterRole, ParameterValues};

/// A fitted model, with diagnostics of its fit.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFit {
    /// The model.
    pub model: FittedModel,
    /// Weighted residual sum of squares.
    pub weighted_rss: f64,
    /// For a signature, γ at each process count with the other parameters fixed.
    pub gamma_by_procs: Vec<(Procs, f64)>,
    /// For a signature, the process counts left out because they do not saturate the network.
    pub left_out: Vec<Procs>,
}

impl ModelFit {
    /// A fit without diagnostics.
    fn of(model: FittedModel, weighted_rss: f64) -> Self {
        Self {
            model,
            weighted_rss,
            gamma_by_procs: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

/// A model, and the points to fit it to. Options of signatures apply to signatures alone.
#[derive(Debug, Clone, Copy)]
pub struct FitProblem<'a> {
    /// The model.
    pub model: &'static Model,
    /// Algorithm that ran the collective.
    pub algorithm: &'a str,
    /// Base on which the parameters are fitted.
    pub base: ContentionFreeBase,
    /// Known parameters of the network.
    pub network: &'a KnownNetwork,
    /// The times.
    pub points: &'a [MeasuredPoint],
    /// Options of the fit.
    pub options: &'a ModelFitOptions,
}

impl FitProblem<'_> {
    /// Fits the parameters.
    ///
    /// # Errors
    /// If the points are too few, do not determine the parameters, or the model cannot be
    /// evaluated for them.
    pub fn fit(&self) -> Result<ModelFit, FitError> {
        match self.model.estimator {
            ModelEstimator::None | ModelEstimator::Repetitions => {
                Err(FitError::Impossible(format!("{} has no parameters", self.model.name)))
            }
            ModelEstimator::Signature(_) => self.fit_signature(),
            ModelEstimator::ByRole => match self.model.role_index(ParameterRole::Count) {
                Some(place) => self.fit_count(place),
                None => self.fit_linear(),
            },
            ModelEstimator::Latency => self.fit_latency(),
        }
    }

    fn role(&self, place: usize) -> ParameterRole {
        self.model.parameters[place].role
    }

    /// The model's times of all points.
    fn times(&self, numbers: &[f64], latency: Option<&SizeTable>) -> Result<DVector<f64>, FitError> {
        let values = ParameterValues {
            numbers: numbers.to_vec(),
            latency: latency.cloned(),
        };
        let time = |p: &MeasuredPoint| {
            let case = Case::new(p.procs, p.size);
            Ok(self.model.time(self.network, &values, case)?.time.0)
        };
        let times: Result<Vec<f64>, ModelError> = self.points.iter().map(time).collect();
        Ok(DVector::from_vec(times?))
    }

    /// Default values of the parameters; 0 for parameters without one.
    fn default_values(&self) -> Vec<f64> {
        let defaults = self.model.parameters.iter().map(|parameter| parameter.default);
        defaults.map(Option::unwrap_or_default).collect()
    }

    /// Σw·e² and Σw over the selected points: e is the `error` of T/T̂, w the bandwidth share.
    fn weighted_squares(
        &self,
        fitted: &DVector<f64>,
        error: fn(f64) -> f64,
        is_counted: impl Fn(&MeasuredPoint) -> bool,
    ) -> (f64, f64) {
        let times_and_fitted = self.points.iter().zip(fitted.iter());
        let weighted_errors = times_and_fitted.filter(|(p, _)| is_counted(p)).map(|(p, time)| {
            let weight = self.network.hockney.bandwidth_share(p.size);
            (weight * error(p.time.0 / time).powi(2), weight)
        });
        weighted_errors.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1))
    }

    /// √(Σw·e²/Σw), corrected for the share of free points; 0 without points.
    fn spread(&self, squares: (f64, f64), parameters: usize) -> Result<f64, FitError> {
        let free_share = 1.0 - parameters as f64 / self.points.len() as f64;
        let spread = match squares {
            (_, 0.0) => 0.0,
            (squares, weights) => (squares / weights / free_share).sqrt(),
        };
        if spread.is_finite() {
            return Ok(spread);
        }
        Err(FitError::Overflow {
            what: format!("the residuals of {}", self.model.name),
        })
    }

    /// The weighted root mean square of ln(T/T̂).
    fn residuals(&self, fitted: &DVector<f64>, parameters: usize) -> Result<Residuals, FitError> {
        let residual = self.spread(self.weighted_squares(fitted, f64::ln, |_| true), parameters)?;
        Ok(Residuals {
            below: residual,
            above: residual,
        })
    }

    /// The fitted model; `estimates` have the places of their parameters and the order of
    /// `covariance`.
    fn fitted_model(
        &self,
        values: ParameterValues,
        estimates: &[(usize, IntervalEstimate)],
        covariance: DMatrix<f64>,
        dof: usize,
        residuals: Residuals,
    ) -> FittedModel {
        let name = |place: usize| self.model.parameters[place].name.to_owned();
        let values_by_place = values.numbers.iter().enumerate();
        let known_values = values_by_place.filter(|(_, value)| !value.is_nan());
        let plain_values = known_values.map(|(place, value)| (name(place), ParameterValue::Plain(*value)));
        let placed_estimates = estimates.iter();
        let estimated_values =
            placed_estimates.map(|(place, estimate)| (name(*place), ParameterValue::Estimated(*estimate)));
        FittedModel {
            model: self.model,
            algorithm: self.algorithm.to_owned(),
            fitted_on: self.base,
            errors: self.options.covariance.to_string(),
            student: StudentQuantile::new(self.options.confidence, dof),
            parameters: plain_values.chain(estimated_values).collect(),
            latency_s: values.latency,
            covariance_of: estimates.iter().map(|(place, _)| name(*place)).collect(),
            covariance,
            residuals,
            domain: MeasuredDomain::of(self.points.iter().map(|p| (p.procs, p.size)))
                .expect("no fit goes without points"),
        }
    }
}
