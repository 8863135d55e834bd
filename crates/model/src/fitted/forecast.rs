//! Predictions by a fitted model, with their intervals.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±t·s) with s² = xᵀ·cov(θ̂)·x/T̂² + r²/w, where x is the
//! gradient of T in the parameters, r the relative residual of the fitted points (of a signature:
//! those on that side of M), w = βm/(α+βm) the share of bytes in the contention-free time (at least
//! a tenth), and t Student's quantile. r contains both noise and misfit of the model, which grows
//! with the share of start-up. For sizes within the interval of a signature's M both sides are
//! possible: the interval then covers both.

use nalgebra::DMatrix;
use netsig_base::stats::interval::Estimate;
use netsig_base::units::{Bytes, Seconds};
use smallvec::SmallVec;

use super::outside::Outside;
use super::prediction::{Interval, Overflow, Prediction, Standing};
use super::saturation::Saturation;
use super::{AlgorithmForecast, FittedModel, Found};
use crate::model::{Case, Known, Model, ModelError, Role, Timed, Values};

/// A fitted model with prepared derivatives.
#[derive(Debug)]
pub(crate) struct ModelForecast {
    entry: FittedModel,
    known: Known,
    /// Threshold M, or infinity.
    threshold: f64,
    /// Interval of M, if it has one.
    uncertain: Option<Estimate>,
    below: Probe,
    from: Probe,
}

/// Parameters on one side of M, and copies with one estimated parameter changed, which give the
/// gradient.
#[derive(Debug)]
struct Probe {
    values: Values,
    /// For each estimated parameter that counts on this side: the parameters with this one changed
    /// by a step, and the reciprocal of the step.
    moved: Vec<(Values, f64)>,
    /// Index pairs of estimated parameters with their covariance, doubled if the two differ.
    covariance: Vec<(usize, usize, f64)>,
}

/// Side of M on which a message lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    From,
}

impl ModelForecast {
    /// A fitted model with the `given` parameters in place of fitted ones, on a `known` network. Given
    /// values are exact; the other parameters keep their values and their covariance.
    ///
    /// # Errors
    /// Names the parameters without a value.
    pub(crate) fn of(entry: &FittedModel, given: &[(String, f64)], known: Known) -> Result<Self, ModelError> {
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
        // Without an interval of M each size has one side, and M keeps its value.
        let uncertain = entry.threshold();
        let probe = |side: Side| {
            let mut values = values.clone();
            let Some(place) = threshold.filter(|_| uncertain.is_some()) else {
                return Probe::new(values, &entry, None);
            };
            values.numbers[place] = match side {
                Side::Below => f64::INFINITY,
                Side::From => 0.0,
            };
            Probe::new(values, &entry, Some(side))
        };
        Ok(Self {
            below: probe(Side::Below),
            from: probe(Side::From),
            threshold: threshold.map_or(f64::INFINITY, |place| values.numbers[place]),
            uncertain,
            entry,
            known,
        })
    }

    /// Side of M for what is compared with it, and the other side if the interval of M allows it.
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

    /// Time and interval of a message on this side of M.
    fn on(&self, side: Side, case: Case) -> Result<(Timed, Interval), ModelError> {
        let residuals = self.entry.residuals;
        let (probe, residual) = match side {
            Side::Below => (&self.below, residuals.below),
            Side::From => (&self.from, residuals.above),
        };
        let timed = self.entry.model.time(&self.known, &probe.values, case)?;
        if timed.time.0 == 0.0 {
            return Ok((timed, Interval::around(timed.time, 0.0)));
        }
        let variance = probe.variance(self.entry.model, &self.known, case, timed.time)?;
        let share = self.known.hockney.bandwidth_share(case.size);
        let spread = (variance + residual * residual / share).sqrt();
        let t = self.entry.student.quantile();
        Ok((timed, Interval::around(timed.time, t * spread)))
    }
}

impl AlgorithmForecast for ModelForecast {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        let compared = self.entry.model.compared(&self.known, case)?;
        let (own, other) = self.possible_sides(compared);
        let (Timed { time, segment }, interval) = self.on(own, case)?;
        let interval = match other {
            Some(other) => interval.hull(self.on(other, case)?.1),
            None => interval,
        };
        let domain = &self.entry.domain;
        Ok(Prediction {
            time,
            interval: Some(interval),
            standing: match self.outside(case) {
                None => domain.standing(case.procs, case.size),
                Some(_) => Standing::Outside,
            },
            segment,
        })
    }

    fn outside(&self, case: Case) -> Option<Outside> {
        self.entry.domain.outside(case.procs, case.size)
    }

    /// The overflow of what messages of a case share, by a fitted M of the bytes there; `None` below it.
    fn overflow(&self, case: Case) -> Option<Overflow> {
        let model = self.entry.model;
        let onset = self.uncertain.filter(|_| !model.compares_sizes())?;
        let bytes = model.compared(&self.known, case).ok()?.as_f64();
        let share = bytes / case.size.as_f64();
        (bytes >= onset.lower).then(|| Overflow::new(onset, share, true))
    }
}

impl Probe {
    /// Probes of the formula on one side of M; `None` if the side depends on the size.
    fn new(values: Values, entry: &FittedModel, side: Option<Side>) -> Self {
        let parameters = entry.model.parameters;
        let mut given = parameters.iter().zip(&values.numbers);
        let has_lower = given.any(|(own, value)| matches!(own.role, Role::Below(_)) && !value.is_nan());
        let counts = |role| match (role, side) {
            (Role::Below(_), Some(Side::From)) | (Role::Supplement, Some(Side::Below)) => false,
            (Role::Linear(_), Some(Side::Below)) => !has_lower,
            _ => true,
        };
        let estimated = entry.covariance_of.iter().enumerate();
        let places = estimated.filter_map(|(index, name)| {
            let place = parameters.iter().position(|own| own.name == name)?;
            counts(parameters[place].role).then_some((index, place))
        });
        let (indices, places): (Vec<usize>, Vec<usize>) = places.unzip();
        let moved = places.into_iter().map(|place| {
            let own = values.numbers[place];
            let other = if own.abs() < 0.5 { 1.0 } else { 0.0 };
            let mut moved = values.clone();
            moved.numbers[place] = other;
            (moved, (other - own).recip())
        });
        let pairs = (0..indices.len()).flat_map(|a| (0..=a).map(move |b| (a, b)));
        let covariance = |(a, b): (usize, usize)| {
            let times = if a == b { 1.0 } else { 2.0 };
            (a, b, times * entry.covariance[(indices[a], indices[b])])
        };
        Self {
            moved: moved.collect(),
            covariance: pairs.map(covariance).collect(),
            values,
        }
    }

    /// xᵀ·cov(θ̂)·x/T̂² with x = ∂T/∂θ. The time is linear in each estimated parameter: a second
    /// point, well apart from the first, gives the slope.
    fn variance(&self, model: &'static Model, network: &Known, case: Case, time: Seconds) -> Result<f64, ModelError> {
        let mut slopes = SmallVec::<[f64; 4]>::new();
        for (moved, per_unit) in &self.moved {
            let moved = model.formula(network, moved, case)?.time;
            slopes.push((moved - time).0 * per_unit);
        }
        let terms = self.covariance.iter();
        let variance: f64 = terms.map(|&(a, b, both)| both * slopes[a] * slopes[b]).sum();
        Ok(variance.max(0.0) / (time.0 * time.0))
    }
}

impl FittedModel {
    /// Gives a parameter an exact value; other names are ignored. The diagnosis of saturation holds
    /// for the fitted values only and is withdrawn.
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
