//! Predictions by a fitted model, with their intervals.

use nalgebra::DMatrix;
use smallvec::SmallVec;

use super::{Interval, Prediction, Spread};
use crate::fit::bandwidth_share;
use crate::fit::domain::Domain;
use crate::fit::fitted::{FittedModel, Found};
use crate::fit::saturation::Saturation;
use crate::model::{Case, Known, Model, ModelError, Role, Timed, Values};
use crate::stats::interval::Estimate;
use crate::units::{Bytes, Seconds};

/// A fitted model, ready to predict.
#[derive(Debug)]
pub(super) struct Fitting {
    entry: FittedModel,
    values: Values,
    /// M, or infinity.
    threshold: f64,
    /// The interval of M, where it has one.
    uncertain: Option<Estimate>,
    below: Probe,
    from: Probe,
}

/// The parameters on one side of M, and the same with one estimated parameter moved, from
/// which the gradient follows.
#[derive(Debug)]
struct Probe {
    values: Values,
    /// In the order of the covariance: the moved parameters, and by how much.
    moved: Vec<(Values, f64)>,
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
        let values = entry.values()?;
        let place = |role| {
            let mut all = entry.model.parameters.iter();
            all.position(|own| own.role == role)
        };
        let threshold = place(Role::Threshold);
        // Without an interval of M each size has one side, and M stays where it is.
        let uncertain = entry.threshold();
        let probe = |side: Side| {
            let mut values = values.clone();
            if let Some(place) = threshold.filter(|_| uncertain.is_some()) {
                values.numbers[place] = match side {
                    Side::Below => f64::INFINITY,
                    Side::From => 0.0,
                };
            }
            Probe::new(values, &entry)
        };
        Ok(Self {
            below: probe(Side::Below),
            from: probe(Side::From),
            threshold: threshold.map_or(f64::INFINITY, |place| values.numbers[place]),
            uncertain,
            values,
            entry,
        })
    }

    pub(super) fn domain(&self) -> &Domain {
        &self.entry.domain
    }

    /// Predicts a case.
    pub(super) fn predict(&self, network: &Known, case: Case) -> Result<Prediction, ModelError> {
        let Timed { time, segment } = self.entry.model.time(network, &self.values, case)?;
        let (own, other) = self.possible_sides(case.size);
        let interval = self.interval(network, own, case)?;
        let interval = match other {
            Some(other) => interval.hull(self.interval(network, other, case)?),
            None => interval,
        };
        Ok(Prediction {
            time,
            interval: Some(interval),
            standing: self.entry.domain.standing(case.procs, case.size),
            segment,
        })
    }

    /// The side of M that `size` is on, and the other if the interval of M allows it.
    fn possible_sides(&self, size: Bytes) -> (Side, Option<Side>) {
        let size = size.as_f64();
        let interval = self.uncertain.as_ref();
        if size < self.threshold {
            let other = interval.filter(|m| size >= m.lower);
            (Side::Below, other.map(|_| Side::From))
        } else {
            let other = interval.filter(|m| size < m.upper);
            (Side::From, other.map(|_| Side::Below))
        }
    }

    /// The interval if a message is on this side of M.
    fn interval(&self, network: &Known, side: Side, case: Case) -> Result<Interval, ModelError> {
        let residuals = self.entry.residuals;
        let (probe, residual) = match side {
            Side::Below => (&self.below, residuals.below),
            Side::From => (&self.from, residuals.above),
        };
        let time = self.entry.model.time(network, &probe.values, case)?.time;
        let spread = Spread {
            gradient: &probe.gradient(self.entry.model, network, case, time)?,
            covariance: &self.entry.covariance,
            residual: residual / bandwidth_share(&network.hockney, case.size).sqrt(),
            t: self.entry.student.quantile(),
        };
        Ok(spread.around(time.0))
    }
}

impl Probe {
    fn new(values: Values, entry: &FittedModel) -> Self {
        let place = |name: &String| {
            let mut all = entry.model.parameters.iter();
            all.position(|own| own.name == name)
        };
        let moved = |place: usize| {
            let own = values.numbers[place];
            let other = if own.abs() < 0.5 { 1.0 } else { 0.0 };
            let mut moved = values.clone();
            moved.numbers[place] = other;
            (moved, other - own)
        };
        let places = entry.covariance_of.iter().filter_map(place);
        Self {
            moved: places.map(moved).collect(),
            values,
        }
    }

    /// ∂T/∂θ of the estimated parameters. The time is linear in each: a second point, well
    /// apart from the first, tells the slope.
    fn gradient(
        &self,
        model: &'static Model,
        network: &Known,
        case: Case,
        time: Seconds,
    ) -> Result<SmallVec<[f64; 4]>, ModelError> {
        let slope = |(moved, step): &(Values, f64)| {
            Ok((model.time(network, moved, case)?.time - time).0 / step)
        };
        self.moved.iter().map(slope).collect()
    }
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
