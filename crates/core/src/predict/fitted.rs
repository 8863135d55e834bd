//! Predictions by a fitted model, with their intervals.

use nalgebra::DMatrix;

use super::{Interval, Prediction, Spread};
use crate::fit::bandwidth_share;
use crate::fit::domain::Domain;
use crate::fit::fitted::{FittedModel, Found};
use crate::fit::saturation::Saturation;
use crate::registry::{Case, Model, ModelError, Network, Role, Timed, Values};
use crate::units::{Bytes, Seconds};

/// A fitted model, ready to predict.
#[derive(Debug)]
pub(super) struct Fitting {
    entry: FittedModel,
    values: Values,
    /// The places of the estimated parameters, in the order of the covariance.
    free: Vec<usize>,
    /// The place of M.
    threshold: Option<usize>,
}

/// The side of M that a message is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    From,
}

impl Fitting {
    /// A fitted model in which the `given` parameters take the place of fitted ones. They are
    /// exact; the others keep their values and their covariance.
    ///
    /// # Errors
    /// Names the parameters that have no value.
    pub(super) fn of(entry: &FittedModel, given: &[(String, f64)]) -> Result<Self, ModelError> {
        let mut entry = entry.clone();
        for (name, value) in given {
            entry.set(name, *value);
        }
        let place = |name: &String| {
            let mut all = entry.model.parameters.iter();
            all.position(|own| own.name == name)
        };
        let mut roles = entry.model.parameters.iter().map(|own| own.role);
        Ok(Self {
            values: entry.values()?,
            free: entry.covariance_of.iter().filter_map(place).collect(),
            threshold: roles.position(|role| role == Role::Threshold),
            entry,
        })
    }

    pub(super) fn domain(&self) -> &Domain {
        &self.entry.domain
    }

    /// Predicts a case.
    pub(super) fn predict(&self, network: &Network, case: Case) -> Result<Prediction, ModelError> {
        let Timed { time, segment } = self.entry.model.time(network, &self.values, case)?;
        let intervals = self.possible_sides(case.size).into_iter();
        let intervals = intervals.map(|side| self.interval(network, side, case));
        let intervals = intervals.collect::<Result<Vec<_>, _>>()?;
        Ok(Prediction {
            time,
            interval: intervals.into_iter().reduce(Interval::hull),
            standing: self.entry.domain.standing(case.procs, case.size),
            segment,
        })
    }

    /// The side of M that `size` is on, and the other if the interval of M allows it.
    fn possible_sides(&self, size: Bytes) -> Vec<Side> {
        let value = self.threshold.map(|place| self.values.numbers[place]);
        let own = match value {
            Some(m) if size.as_f64() >= m => Side::From,
            _ => Side::Below,
        };
        match (self.entry.threshold(), own) {
            (Some(m), Side::Below) if size.as_f64() >= m.lower => vec![own, Side::From],
            (Some(m), Side::From) if size.as_f64() < m.upper => vec![own, Side::Below],
            _ => vec![own],
        }
    }

    /// The interval if a message is on this side of M.
    fn interval(&self, network: &Network, side: Side, case: Case) -> Result<Interval, ModelError> {
        let FittedModel {
            model,
            residuals,
            covariance,
            student,
            ..
        } = &self.entry;
        let mut values = self.values.clone();
        if let (Some(place), Some(_)) = (self.threshold, self.entry.threshold()) {
            values.numbers[place] = match side {
                Side::Below => f64::INFINITY,
                Side::From => 0.0,
            };
        }
        let time = model.time(network, &values, case)?.time;
        let residual = match side {
            Side::Below => residuals.below,
            Side::From => residuals.above,
        };
        let spread = Spread {
            gradient: &gradient(model, network, (&values, &self.free), case, time)?,
            covariance,
            residual: residual / bandwidth_share(&network.hockney, case.size).sqrt(),
            t: student.quantile(),
        };
        Ok(spread.around(time.0))
    }
}

/// ∂T/∂θ of the free parameters. The time is linear in each: a second point, well apart from
/// the first, tells the slope.
fn gradient(
    model: &'static Model,
    network: &Network,
    (values, free): (&Values, &[usize]),
    case: Case,
    time: Seconds,
) -> Result<Vec<f64>, ModelError> {
    let mut moved = values.clone();
    let slope = |&place: &usize| {
        let own = values.numbers[place];
        let other = if own.abs() < 0.5 { 1.0 } else { 0.0 };
        moved.numbers[place] = other;
        let time_there = model.time(network, &moved, case)?.time;
        moved.numbers[place] = own;
        Ok((time_there - time).0 / (other - own))
    };
    free.iter().map(slope).collect()
}

impl FittedModel {
    /// Gives a parameter a value that is exact; others are passed over. The diagnosis of
    /// saturation was about the fitted values and ends with them.
    fn set(&mut self, name: &str, value: f64) {
        let known = &self.model.parameters;
        if !known.iter().any(|own| own.name == name) {
            return;
        }
        self.parameters.insert(name.to_owned(), Found::Plain(value));
        if let Some(place) = self.covariance_of.iter().position(|own| own == name) {
            self.covariance_of.remove(place);
            let covariance: DMatrix<f64> = self.covariance.clone();
            self.covariance = covariance.remove_row(place).remove_column(place);
            self.domain.saturation = Saturation::Unverified;
        }
    }
}
