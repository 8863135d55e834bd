//! The fitted regimes of an algorithm in the form of a profile.
//!
//! The regimes are the only fitted model with a type of its own. A [`FittedModel`] has numbers by
//! name with one covariance and one spread. The regimes have two sets of parameters, one for each
//! protocol of the MPI library, and one of the two may be missing; the wire time V(w) and the
//! corrections ρ(m) as tables; stalls with an asymmetric interval, which a covariance cannot
//! express; and a spread for each kind of cell.
//!
//! [`FittedModel`]: crate::fitted::FittedModel

use itertools::Itertools;
use nalgebra::DMatrix;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::stats::interval::check_confidence;
use netsig_base::units::Bytes;
use netsig_base::units::parameter::{ParameterError, finite, non_negative};
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use super::fit::{CellKind, RegimesParameter};
use crate::fitted::covariance::{check_covariance, square};
use crate::fitted::domain::MeasuredDomain;
use crate::model::regimes::{
    AlgorithmPatterns, CountClass, Protocol, ProtocolParameters, Regimes, StallOnset, StallParameters,
};

/// The regimes of one algorithm at the process counts of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegimesEntry {
    /// The measured collective.
    pub collective: Collective,
    /// Algorithm that ran the collective.
    pub algorithm: String,
    /// Class of process counts of the entry.
    #[serde(rename = "procs_class")]
    pub class: CountClass,
    /// Confidence level of the intervals.
    pub confidence: f64,
    /// The model.
    pub model: Regimes,
    /// Estimated parameters, in the order of `covariance`.
    #[serde(rename = "covariance_of")]
    pub columns: Vec<RegimesParameter>,
    /// Covariance of the estimated parameters; a and b are in seconds, the others are pure numbers.
    #[serde(with = "square")]
    pub covariance: DMatrix<f64>,
    /// Errors of the model at process counts left out of the fit.
    pub errors: Vec<CellKindError>,
    /// Measured process counts and sizes.
    pub domain: MeasuredDomain,
    /// Bytes through a port beyond which repetitions may stall: the most that were measured, where messages
    /// travel by TCP over Ethernet and nothing was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalls_beyond_bytes: Option<Bytes>,
    /// Availability of the times of single repetitions.
    #[serde(default, skip_serializing_if = "RepetitionAvailability::are_known")]
    pub repetitions: RepetitionAvailability,
}

/// Availability of the times of single repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepetitionAvailability {
    /// At least some cells have the times of repetitions.
    #[default]
    Known,
    /// Every cell is one statistic of another program.
    Unknown,
}

impl RepetitionAvailability {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn are_known(&self) -> bool {
        *self == Self::Known
    }
}

/// Error of a model on cells of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellKindError {
    /// Part that takes most of the time of these cells.
    pub kind: CellKind,
    /// Scaled median absolute deviation of ln(T/T̂) of the cells left out of the fit.
    pub deviation: f64,
    /// Number of these cells.
    pub cells: usize,
}

impl RegimesEntry {
    /// Error of the model on cells of this `kind`; the largest known error if no such cell was left
    /// out of a fit.
    pub fn error(&self, kind: CellKind) -> Option<CellKindError> {
        let known = self.errors.iter().find(|error| error.kind == kind);
        let greatest = || self.errors.iter().max_by(|a, b| a.deviation.total_cmp(&b.deviation));
        known.or_else(greatest).copied()
    }

    /// Gives a parameter an exact value; other names are ignored.
    ///
    /// # Errors
    /// If the parameter does not allow the value.
    pub(crate) fn set(&mut self, name: &str, value: f64) -> Result<(), ParameterError> {
        self.model.set(name, value)?;
        if let Some(place) = self.columns.iter().position(|parameter| parameter.name() == name) {
            self.columns.remove(place);
            let covariance = self.covariance.clone();
            self.covariance = covariance.remove_row(place).remove_column(place);
        }
        Ok(())
    }

    /// Refuses values that no fit produces and no prediction can use.
    pub(super) fn refuse_impossible(&self) -> Result<(), String> {
        let Self {
            collective,
            algorithm,
            model,
            ..
        } = self;
        let patterns = AlgorithmPatterns::of(*collective, algorithm, None).all();
        if patterns.is_empty() {
            return Err(format!("{collective} {algorithm} has no regimes"));
        }
        if !patterns.contains(&model.pattern) && algorithm != LIBRARY {
            return Err("model.pattern is not that of the algorithm".to_owned());
        }
        check_confidence(self.confidence)?;
        check_model(model).map_err(|what| format!("model.{what}"))?;
        self.check_columns()?;
        check_covariance(&self.covariance, self.columns.len())?;
        self.check_errors()?;
        self.domain.check()
    }

    /// Refuses an estimate that is listed twice, or whose protocol is missing.
    fn check_columns(&self) -> Result<(), String> {
        let mut names = self.columns.iter().map(|column| column.name()).duplicates();
        if let Some(name) = names.next() {
            return Err(format!("covariance_of names {name:?} twice"));
        }
        for column in &self.columns {
            let name = column.name();
            let is_there = column
                .protocol()
                .is_none_or(|protocol| self.model.parameters(protocol).is_some());
            if !is_there {
                return Err(format!("covariance_of names {name:?}, whose protocol is not there"));
            }
        }
        Ok(())
    }

    fn check_errors(&self) -> Result<(), String> {
        let mut kinds = self.errors.iter().map(|error| error.kind).duplicates();
        if let Some(kind) = kinds.next() {
            return Err(format!("errors has {kind:?} twice"));
        }
        for error in &self.errors {
            non_negative("errors.deviation", error.deviation)?;
            if error.cells == 0 {
                return Err("errors.cells is 0; it must be at least 1".to_owned());
            }
        }
        Ok(())
    }
}

fn check_model(model: &Regimes) -> Result<(), String> {
    if model.eager.is_none() && model.rendezvous.is_none() {
        return Err("eager or model.rendezvous is missing".to_owned());
    }
    non_negative("latency_s", model.latency.0)?;
    non_negative("startup_s", model.startup.0)?;
    non_negative("request_s", model.request.0)?;
    for &protocol in Protocol::VARIANTS {
        if let Some(parameters) = model.parameters(protocol) {
            check_protocol(parameters).map_err(|what| format!("{protocol}.{what}"))?;
        }
    }
    Ok(())
}

fn check_protocol(protocol: &ProtocolParameters) -> Result<(), String> {
    non_negative("gamma", protocol.gamma)?;
    finite("growth", protocol.growth)?;
    non_negative("slowdown", protocol.slowdown)?;
    non_negative("spread", protocol.spread)?;
    if let Some(correction) = &protocol.correction {
        correction.check()?;
    }
    let stalls = protocol.stalls.as_ref();
    stalls.map_or(Ok(()), |stalls| {
        check_stalls(stalls).map_err(|what| format!("stalls.{what}"))
    })
}

fn check_stalls(stalls: &StallParameters) -> Result<(), String> {
    non_negative("rate", stalls.rate)?;
    non_negative("cost_s", stalls.cost.0)?;
    non_negative("spread", stalls.spread)?;
    let StallOnset {
        bytes, lower, upper, ..
    } = stalls.onset;
    if 0.0 < lower && lower <= bytes && bytes <= upper && upper.is_finite() {
        return Ok(());
    }
    Err(format!(
        "onset = {bytes} bytes, from {lower} to {upper}, is not finite and above 0 with lower <= bytes <= upper"
    ))
}
