//! Predictions by a fitted model, with their intervals.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±t·s), where t is Student's quantile and s² = xᵀ·cov(θ̂)·x/T̂² + r²/w:
//! - x is the gradient of T in the parameters.
//! - r is the relative residual of the fitted points (of a signature: those on that side of M). It contains both noise
//!   and misfit of the model, which grows with the share of start-up.
//! - w = βm/(α+βm) is the share of bytes in the contention-free time, at least a tenth.
//!
//! For sizes within the interval of a signature's M both sides are possible: the interval then covers both.

use nalgebra::DMatrix;
use netsig_base::stats::interval::IntervalEstimate;
use netsig_base::units::{Bytes, Seconds};
use smallvec::SmallVec;

use super::outside_domain::OutsideDomain;
use super::prediction::{Interval, PortOverflow, Prediction, PredictionStanding};
use super::saturation::Saturation;
use super::{AlgorithmForecast, FittedModel, ParameterValue};
use crate::model::regimes::StallOnset;
use crate::model::{Case, KnownNetwork, Model, ModelError, ModelTime, ParameterRole, ParameterValues};

/// A fitted model with prepared derivatives.
#[derive(Debug)]
pub(crate) struct ModelForecast {
    entry: FittedModel,
    known: KnownNetwork,
    /// Threshold M, or infinity.
    threshold: f64,
    /// Interval of M, if it has one.
    threshold_interval: Option<IntervalEstimate>,
    below: SideParameters,
    at_or_above: SideParameters,
}

/// Parameters on one side of M, and copies with one estimated parameter changed, which give the
/// gradient.
#[derive(Debug)]
struct SideParameters {
    values: ParameterValues,
    /// For each estimated parameter that counts on this side: the parameters with this one changed
    /// by a step, and the reciprocal of the step.
    changed: Vec<(ParameterValues, f64)>,
    /// Index pairs of estimated parameters with their covariance, doubled if the two differ.
    covariance: Vec<(usize, usize, f64)>,
}

/// Side of M on which a message lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThresholdSide {
    Below,
    AtOrAbove,
}

impl ModelForecast {
    /// A fitted model with the `given` parameters in place of fitted ones, on a `known` network. Given
    /// values are exact; the other parameters keep their values and their covariance.
    ///
    /// # Errors
    /// If parameters have no value; the error names them.
    pub(crate) fn of(entry: &FittedModel, given: &[(String, f64)], known: KnownNetwork) -> Result<Self, ModelError> {
        let mut entry = entry.clone();
        for (name, value) in given {
            entry.set(name, *value);
        }
        let values = entry.values()?;
        let index_of = |role| {
            let mut all = entry.model.parameters.iter();
            all.position(|parameter| parameter.role == role)
        };
        let threshold_index = index_of(ParameterRole::Threshold);
        // Without an interval of M each size has one side, and M keeps its value.
        let threshold_interval = entry.threshold();
        let side_parameters = |side: ThresholdSide| {
            let mut side_values = values.clone();
            let Some(index) = threshold_index.filter(|_| threshold_interval.is_some()) else {
                return SideParameters::new(side_values, &entry, None);
            };
            side_values.numbers[index] = match side {
                ThresholdSide::Below => f64::INFINITY,
                ThresholdSide::AtOrAbove => 0.0,
            };
            SideParameters::new(side_values, &entry, Some(side))
        };
        Ok(Self {
            below: side_parameters(ThresholdSide::Below),
            at_or_above: side_parameters(ThresholdSide::AtOrAbove),
            threshold: threshold_index.map_or(f64::INFINITY, |place| values.numbers[place]),
            threshold_interval,
            entry,
            known,
        })
    }

    /// Side of M of a compared `size`, and the other side if the interval of M allows it.
    fn possible_sides(&self, size: Bytes) -> (ThresholdSide, Option<ThresholdSide>) {
        let size = size.as_f64();
        let interval = self.threshold_interval.as_ref();
        if size < self.threshold {
            let other_side = interval.filter(|m| size >= m.lower);
            (ThresholdSide::Below, other_side.map(|_| ThresholdSide::AtOrAbove))
        } else {
            let other_side = interval.filter(|m| size < m.upper);
            (ThresholdSide::AtOrAbove, other_side.map(|_| ThresholdSide::Below))
        }
    }

    /// Time and interval of a message on this side of M.
    fn time_on_side(&self, side: ThresholdSide, case: Case) -> Result<(ModelTime, Interval), ModelError> {
        let residuals = self.entry.residuals;
        let (parameters, residual) = match side {
            ThresholdSide::Below => (&self.below, residuals.below),
            ThresholdSide::AtOrAbove => (&self.at_or_above, residuals.above),
        };
        let timed = self.entry.model.time(&self.known, &parameters.values, case)?;
        if timed.time.0 == 0.0 {
            return Ok((timed, Interval::around(timed.time, 0.0)));
        }
        let variance = parameters.relative_variance(self.entry.model, &self.known, case, timed.time)?;
        let share = self.known.hockney.bandwidth_share(case.size);
        let spread = (variance + residual * residual / share).sqrt();
        let t = self.entry.student.quantile();
        Ok((timed, Interval::around(timed.time, t * spread)))
    }
}

impl AlgorithmForecast for ModelForecast {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        let compared = self.entry.model.threshold_quantity(&self.known, case)?;
        let (side, other_side) = self.possible_sides(compared);
        let (ModelTime { time, segment }, side_interval) = self.time_on_side(side, case)?;
        let interval = match other_side {
            Some(other_side) => side_interval.hull(self.time_on_side(other_side, case)?.1),
            None => side_interval,
        };
        let domain = &self.entry.domain;
        Ok(Prediction {
            time,
            interval: Some(interval),
            standing: match self.reason_outside(case) {
                None => domain.standing(case.procs, case.size),
                Some(_) => PredictionStanding::Outside,
            },
            segment,
        })
    }

    fn reason_outside(&self, case: Case) -> Option<OutsideDomain> {
        self.entry.domain.reason_outside(case.procs, case.size)
    }

    /// Overflow of the link that the messages of a case share, by a fitted M of the bytes there; `None` below M.
    fn overflow(&self, case: Case) -> Option<PortOverflow> {
        let model = self.entry.model;
        let onset = self.threshold_interval.filter(|_| !model.compares_sizes())?;
        let bytes = model.threshold_quantity(&self.known, case).ok()?.as_f64();
        let share = bytes / case.size.as_f64();
        (bytes >= onset.lower).then(|| PortOverflow {
            is_known: true,
            ..PortOverflow::new(StallOnset::of(onset), share)
        })
    }
}

impl SideParameters {
    /// Parameters on one `side` of M; `None` if the side depends on the size.
    fn new(values: ParameterValues, entry: &FittedModel, side: Option<ThresholdSide>) -> Self {
        let parameters = entry.model.parameters;
        let mut given = parameters.iter().zip(&values.numbers);
        let has_lower =
            given.any(|(parameter, value)| matches!(parameter.role, ParameterRole::Below(_)) && !value.is_nan());
        let counts = |role| match (role, side) {
            (ParameterRole::Below(_), Some(ThresholdSide::AtOrAbove))
            | (ParameterRole::Supplement, Some(ThresholdSide::Below)) => false,
            (ParameterRole::Linear(_), Some(ThresholdSide::Below)) => !has_lower,
            _ => true,
        };
        let estimated = entry.covariance_of.iter().enumerate();
        let index_pairs = estimated.filter_map(|(index, name)| {
            let place = parameters.iter().position(|parameter| parameter.name == name)?;
            counts(parameters[place].role).then_some((index, place))
        });
        let (indices, places): (Vec<usize>, Vec<usize>) = index_pairs.unzip();
        let changed = places.into_iter().map(|place| {
            let value = values.numbers[place];
            let changed_value = if value.abs() < 0.5 { 1.0 } else { 0.0 };
            let mut changed_values = values.clone();
            changed_values.numbers[place] = changed_value;
            (changed_values, (changed_value - value).recip())
        });
        let pairs = (0..indices.len()).flat_map(|a| (0..=a).map(move |b| (a, b)));
        let covariance = |(a, b): (usize, usize)| {
            let times = if a == b { 1.0 } else { 2.0 };
            (a, b, times * entry.covariance[(indices[a], indices[b])])
        };
        Self {
            changed: changed.collect(),
            covariance: pairs.map(covariance).collect(),
            values,
        }
    }

    /// xᵀ·cov(θ̂)·x/T̂² with x = ∂T/∂θ. The time is linear in each estimated parameter: a second
    /// point, well apart from the first, gives the slope.
    fn relative_variance(
        &self,
        model: &'static Model,
        network: &KnownNetwork,
        case: Case,
        time: Seconds,
    ) -> Result<f64, ModelError> {
        let mut slopes = SmallVec::<[f64; 4]>::new();
        for (changed_values, per_unit) in &self.changed {
            let changed_time = model.formula(network, changed_values, case)?.time;
            slopes.push((changed_time - time).0 * per_unit);
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
        if !known.iter().any(|parameter| parameter.name == name) {
            return;
        }
        self.parameters.insert(name.to_owned(), ParameterValue::Plain(value));
        if let Some(place) = self
            .covariance_of
            .iter()
            .position(|estimated_name| estimated_name == name)
        {
            self.covariance_of.remove(place);
            let covariance: DMatrix<f64> = self.covariance.clone();
            self.covariance = covariance.remove_row(place).remove_column(place);
            self.domain.saturation = Saturation::Unverified;
        }
    }
}
