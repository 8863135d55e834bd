//! The fitted regimes of an algorithm as predictions need them, and which model was chosen.
//!
//! The regimes are the one fitted model with a type of its own. A [`FittedModel`] has numbers by
//! name with one covariance and one spread. The regimes have two sets of parameters, one for
//! either protocol of the MPI library, of which either may be missing; the wire time V(w) and the
//! corrections ρ(m) as tables; stalls with an asymmetric interval that no covariance holds; and
//! a spread for each kind of cell.
//!
//! [`FittedModel`]: crate::fit::fitted::FittedModel

use itertools::Itertools;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use crate::algorithm::Collective;
use crate::fit::domain::Domain;
use crate::fit::fitted::{check_covariance, square};
use crate::fit::regimes::{Column, Kind};
use crate::model;
use crate::model::regimes::{Class, Onset, Pattern, Protocol, ProtocolParameters, Regimes, Stalls};
use crate::stats::interval::check_confidence;
use crate::units::Procs;
use crate::units::parameter::{ParameterError, finite, non_negative};

/// The regimes of one algorithm at the process counts of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegimesEntry {
    /// The collective that was measured.
    pub collective: Collective,
    /// Who ran it.
    pub algorithm: String,
    /// The process counts that the entry is for.
    #[serde(rename = "procs_class")]
    pub class: Class,
    /// The level of the intervals.
    pub confidence: f64,
    /// The model.
    pub model: Regimes,
    /// The estimated parameters, in the order of `covariance`.
    #[serde(rename = "covariance_of")]
    pub columns: Vec<Column>,
    /// Their covariance; b is in seconds, the others are pure numbers.
    #[serde(with = "square")]
    pub covariance: DMatrix<f64>,
    /// How far the model is off process counts that were left out.
    pub errors: Vec<KindError>,
    /// The measured process counts and sizes.
    pub domain: Domain,
    /// What the data tell of single repetitions.
    #[serde(default, skip_serializing_if = "Repetitions::are_known")]
    pub repetitions: Repetitions,
}

/// What data tell of single repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repetitions {
    /// Their times, at least of some cells.
    #[default]
    Known,
    /// Nothing: every cell is one statistic of another program.
    Unknown,
}

impl Repetitions {
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    fn are_known(&self) -> bool {
        *self == Self::Known
    }
}

/// How far a model is off where one thing takes most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindError {
    /// What takes most of the time.
    pub kind: Kind,
    /// The scaled median absolute deviation of ln(T/T̂) of cells that were left out.
    pub deviation: f64,
    /// How many cells.
    pub cells: usize,
}

/// The model that a fit chose for an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The collective that was measured.
    pub collective: Collective,
    /// Who ran it.
    pub algorithm: String,
    /// The name of the model.
    pub model: String,
    /// Why, in a sentence.
    pub reason: String,
}

impl RegimesEntry {
    /// How far the model is off where `kind` takes most of the time; the greatest that is known
    /// where it was not left out.
    pub fn error(&self, kind: Kind) -> Option<KindError> {
        let known = self.errors.iter().find(|error| error.kind == kind);
        let greatest = || {
            self.errors
                .iter()
                .max_by(|a, b| a.deviation.total_cmp(&b.deviation))
        };
        known.or_else(greatest).copied()
    }

    /// Of the entries of an algorithm the one that is for n processes, else the first.
    pub(crate) fn for_procs<'a>(
        own: impl IntoIterator<Item = &'a Self> + Clone,
        procs: Procs,
    ) -> Option<&'a Self> {
        let fits = |entry: &&Self| entry.class == entry.model.pattern.class(procs);
        let fitting = own.clone().into_iter().find(fits);
        fitting.or_else(|| own.into_iter().next())
    }

    /// Gives a parameter a value that is exact; others are passed over.
    ///
    /// # Errors
    /// If the parameter cannot have that value.
    pub(crate) fn set(&mut self, name: &str, value: f64) -> Result<(), ParameterError> {
        self.model.set(name, value)?;
        if let Some(place) = self.columns.iter().position(|own| own.name() == name) {
            self.columns.remove(place);
            let covariance = self.covariance.clone();
            self.covariance = covariance.remove_row(place).remove_column(place);
        }
        Ok(())
    }

    /// Refuses values that no fit gives and no prediction can work with.
    ///
    /// # Errors
    /// Names the key and what is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self {
            collective,
            algorithm,
            model,
            ..
        } = self;
        match Pattern::of(*collective, algorithm) {
            None => return Err(format!("{collective} {algorithm} has no regimes")),
            Some(pattern) if pattern != model.pattern => {
                return Err("model.pattern is not that of the algorithm".to_owned());
            }
            Some(_) => {}
        }
        check_confidence(self.confidence)?;
        check_model(model).map_err(|what| format!("model.{what}"))?;
        self.check_columns()?;
        check_covariance(&self.covariance, self.columns.len())?;
        self.check_errors()?;
        self.domain.check()?;
        let mut counts = self.domain.procs.iter();
        match counts.find(|procs| model.pattern.class(**procs) != self.class) {
            Some(procs) => Err(format!("domain.procs: {procs} is not of the procs_class")),
            None => Ok(()),
        }
    }

    /// An estimate that stands twice, or of a protocol that is not there.
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
                return Err(format!(
                    "covariance_of names {name:?}, whose protocol is not there"
                ));
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

impl Choice {
    /// Refuses a model that there is not.
    pub(super) fn check(&self) -> Result<(), String> {
        let found = model::find(self.collective, &self.model);
        found.map(drop).map_err(|error| error.to_string())
    }
}

fn check_model(model: &Regimes) -> Result<(), String> {
    if model.eager.is_none() && model.rendezvous.is_none() {
        return Err("eager or model.rendezvous is missing".to_owned());
    }
    non_negative("latency_s", model.latency.0)?;
    non_negative("startup_s", model.startup.0)?;
    for &protocol in Protocol::VARIANTS {
        if let Some(own) = model.parameters(protocol) {
            check_protocol(own).map_err(|what| format!("{protocol}.{what}"))?;
        }
    }
    Ok(())
}

fn check_protocol(protocol: &ProtocolParameters) -> Result<(), String> {
    non_negative("gamma", protocol.gamma)?;
    finite("growth", protocol.growth)?;
    non_negative("overlap", protocol.overlap)?;
    non_negative("slowdown", protocol.slowdown)?;
    non_negative("spread", protocol.spread)?;
    for (_, rho) in &protocol.corrections {
        finite("corrections", *rho)?;
    }
    let mut pairs = protocol.corrections.windows(2);
    if let Some(pair) = pairs.find(|pair| pair[0].0 >= pair[1].0) {
        let [before, after] = [pair[0].0.0, pair[1].0.0];
        return Err(format!("corrections: {before}, {after} do not ascend"));
    }
    let stalls = protocol.stalls.as_ref();
    stalls.map_or(Ok(()), |stalls| {
        check_stalls(stalls).map_err(|what| format!("stalls.{what}"))
    })
}

fn check_stalls(stalls: &Stalls) -> Result<(), String> {
    non_negative("rate", stalls.rate)?;
    non_negative("cost_s", stalls.cost.0)?;
    non_negative("spread", stalls.spread)?;
    let Some(Onset {
        bytes,
        lower,
        upper,
    }) = stalls.onset
    else {
        return Ok(());
    };
    if 0.0 < lower && lower <= bytes && bytes <= upper && upper.is_finite() {
        return Ok(());
    }
    Err(format!(
        "onset = {bytes} bytes, from {lower} to {upper}, is not finite and above 0 with lower <= bytes <= upper"
    ))
}
