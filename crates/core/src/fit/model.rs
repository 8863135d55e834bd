//! The parameters of any model of the registry, from the times of a collective.
//!
//! # Method
//! What happens to a parameter is its [`Role`]. Models are linear in their linear
//! parameters: T = T(0) + Σ θᵢ·(T(eᵢ) − T(0)), so the columns of the regression come
//! from the formula itself, and the parameters from [`gls`](super::gls). A parameter that
//! comes out below its least value is held there and the rest fitted again.
//!
//! A threshold is the measured size with the least weighted sum of squares, with at least
//! four points on its far side and two on the near one; what counts from it on is dropped
//! if it is below one microsecond or its interval holds zero. A count is the whole number
//! with the least sum of squares of T/T̂ − 1, each weighted by the share of bytes in the
//! contention-free time; from 100 on it is searched in steps of one per cent. A table L(m) is
//! the mean over n of T − (n−1)·g(m), at least 0.
//!
//! # Source
//! Barchet-Steffenel and Mounié 2005 (PPAM) calibrate γ and `δ_P` by regression; the papers
//! do not fit the other models, the rules for them are netsig's.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::gls::Regression;
use super::signature::{self, Parameter, Sides, SignatureFit, Unsaturated};
use super::{Covariance, Design, Estimate, FitError, Point, bandwidth_share, regress};
use crate::model::plogp::Table;
use crate::registry::{Case, Estimator, Model, ModelError, Network, Role, Values};
use crate::units::{Bytes, Seconds};

/// A supplement below this is none.
const NEGLIGIBLE: f64 = 1e-6;

/// How many points a threshold takes on its far and its near side.
const LEAST_FAR: usize = 4;
const LEAST_NEAR: usize = 2;

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

/// What a fit assumes.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The covariance of the errors.
    pub covariance: Covariance,
    /// The level of intervals and tests.
    pub confidence: f64,
}

/// What is fitted.
struct Problem<'a> {
    model: &'static Model,
    network: &'a Network,
    points: &'a [Point],
    options: &'a Options,
}

/// One solution: all values, and the regression of those that are free.
struct Solution {
    numbers: Vec<f64>,
    free: Vec<usize>,
    regression: Regression,
}

/// Fits the parameters of `model` to `points` of one algorithm.
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
            let options = signature::Options {
                form,
                sides,
                unsaturated: Unsaturated::Kept,
                covariance: options.covariance.clone(),
                confidence: options.confidence,
                ..signature::Options::default()
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

    fn linear(&self) -> Result<ModelFit, FitError> {
        let free: Vec<usize> = (0..self.model.parameters.len())
            .filter(|&i| matches!(self.role(i), Role::Linear(_) | Role::Supplement))
            .collect();
        let numbers = self.start();
        let best = self.search(&free).filter(|best| self.has_supplement(best));
        let is_lasting = |place: &usize| self.role(*place) != Role::Supplement;
        match best {
            Some(best) => self.finish(best),
            None => {
                self.finish(self.solve(numbers, free.into_iter().filter(is_lasting).collect())?)
            }
        }
    }

    /// The best solution over all thresholds, if the model has one.
    fn search(&self, free: &[usize]) -> Option<Solution> {
        let threshold = self.place(|role| role == Role::Threshold)?;
        let supplement = self.place(|role| role == Role::Supplement)?;
        let mut sizes: Vec<Bytes> = self.points.iter().map(|p| p.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let at = |size: Bytes| {
            let mut numbers = self.start();
            numbers[threshold] = size.as_f64();
            let far = self.column(&numbers, supplement).ok()?;
            let far = far.iter().filter(|x| **x != 0.0).count();
            if far < LEAST_FAR || self.points.len() - far < LEAST_NEAR {
                return None;
            }
            self.solve(numbers, free.to_vec()).ok()
        };
        sizes.into_iter().filter_map(at).min_by(|a, b| {
            a.regression
                .weighted_rss
                .total_cmp(&b.regression.weighted_rss)
        })
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
            let shares = self
                .points
                .iter()
                .map(|p| bandwidth_share(&self.network.hockney, p.size));
            let design = Design {
                x: DMatrix::from_columns(&columns),
                fixed: self.times(&numbers, None)?,
                shares: DVector::from_iterator(self.points.len(), shares),
            };
            let regression = regress(
                &design,
                self.points,
                &self.options.covariance,
                self.model.name,
            )?;
            let least = |place: usize| match self.role(place) {
                Role::Linear(least) => least,
                _ => 0.0,
            };
            let low = (0..free.len()).find(|&i| regression.theta[i] < least(free[i]));
            let Some(low) = low.filter(|_| free.len() > 1) else {
                for (index, &place) in free.iter().enumerate() {
                    numbers[place] = regression.theta[index].max(least(place));
                }
                return Ok(Solution {
                    numbers,
                    free,
                    regression,
                });
            };
            let place = free.remove(low);
            numbers[place] = least(place);
        }
    }

    fn estimate(&self, solution: &Solution, index: usize) -> Estimate {
        let value = solution.numbers[solution.free[index]];
        let variance = solution.regression.variance(index);
        Estimate::around(value, &[variance], self.options.confidence)
    }

    fn finish(&self, solution: Solution) -> Result<ModelFit, FitError> {
        let estimates = (0..solution.free.len())
            .map(|index| (solution.free[index], self.estimate(&solution, index)))
            .collect();
        let fitted = self.times(&solution.numbers, None)?;
        Ok(ModelFit {
            estimates,
            covariance: solution.regression.covariance,
            dof: solution.regression.dof,
            weighted_rss: solution.regression.weighted_rss,
            residual: self.residual(&fitted, solution.free.len())?,
            values: Values {
                numbers: solution.numbers,
                latency: None,
            },
        })
    }

    /// The whole number with the least sum of squares, up to n² as far as that is a count.
    fn count(&self, place: usize) -> Result<ModelFit, FitError> {
        self.refuse_few(1)?;
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
            let mut numbers = self.start();
            numbers[place] = count as f64;
            let fitted = self.times(&numbers, None)?;
            let squares = self.squares(&fitted);
            if best.as_ref().is_none_or(|(least, ..)| squares < *least) {
                best = Some((squares, numbers, fitted));
            }
        }
        let (_, numbers, fitted) = best.expect("one is a candidate");
        self.without_regression(
            Values {
                numbers,
                latency: None,
            },
            &fitted,
            1,
        )
    }

    fn latency(&self) -> Result<ModelFit, FitError> {
        let mut left: BTreeMap<Bytes, Vec<f64>> = BTreeMap::new();
        for p in self.points {
            let gaps = self.network.plogp.g(p.size).0 * p.procs.partners();
            left.entry(p.size).or_default().push(p.time.0 - gaps);
        }
        self.refuse_few(left.len())?;
        let count = left.len();
        let mean = |all: Vec<f64>| (all.iter().sum::<f64>() / all.len() as f64).max(0.0);
        let rows = left
            .into_iter()
            .map(|(size, all)| (size, Seconds(mean(all))));
        let table = Table::new("L", rows.collect())
            .map_err(|error| FitError::Impossible(error.to_string()))?;
        let fitted = self.times(&[], Some(&table))?;
        let values = Values {
            numbers: Vec::new(),
            latency: Some(table),
        };
        self.without_regression(values, &fitted, count)
    }

    fn without_regression(
        &self,
        values: Values,
        fitted: &DVector<f64>,
        parameters: usize,
    ) -> Result<ModelFit, FitError> {
        Ok(ModelFit {
            values,
            estimates: Vec::new(),
            covariance: DMatrix::zeros(0, 0),
            dof: self.points.len() - parameters,
            weighted_rss: self.squares(fitted),
            residual: self.residual(fitted, parameters)?,
        })
    }

    fn refuse_few(&self, parameters: usize) -> Result<(), FitError> {
        if self.points.len() > parameters {
            return Ok(());
        }
        Err(FitError::TooFewPoints {
            what: self.model.name.to_owned(),
            found: self.points.len(),
            needed: parameters + 1,
        })
    }

    /// Σw·(T/T̂ − 1)², w the bandwidth share.
    fn squares(&self, fitted: &DVector<f64>) -> f64 {
        let square = |(p, time): (&Point, &f64)| {
            bandwidth_share(&self.network.hockney, p.size) * (p.time.0 / time - 1.0).powi(2)
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
