//! A fitted model whose parameters are numbers by name: their values, their uncertainty, and their
//! domain. Profiles store a list of these models unchanged.

use std::collections::BTreeMap;

use itertools::Itertools;
use nalgebra::DMatrix;
use netsig_base::algorithm::Collective;
use netsig_base::stats::interval::{IntervalEstimate, StudentQuantile};
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds};
use serde::{Deserialize, Serialize};

use super::ContentionModel;
use super::covariance::{check_covariance, square};
use super::domain::MeasuredDomain;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::regimes::OnsetSource;
use crate::model::signature::Signature;
use crate::model::{Model, ModelError, ModelEstimator, ModelInput, ModelSubject, ParameterRole, ParameterValues};

/// A model with its fitted parameters, for one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedModel {
    /// The model; in a file `SUBJECT/NAME`, such as `alltoall/signature`.
    #[serde(with = "entry")]
    pub model: &'static Model,
    /// Algorithm that ran the collective: one of netsig or of the library, or `library`.
    pub algorithm: String,
    /// Base on which the parameters were fitted.
    pub fitted_on: ContentionFreeBase,
    /// The assumption about the errors of the times: the name of a covariance.
    pub errors: String,
    /// The level of the intervals and the degrees of freedom.
    pub student: StudentQuantile,
    /// The values, by name of the parameter.
    pub parameters: BTreeMap<String, ParameterValue>,
    /// L(m), if the model has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_s: Option<SizeTable>,
    /// The parameters in the order of `covariance`. The time is linear in each.
    pub covariance_of: Vec<String>,
    /// cov(θ̂), in the units of the parameters.
    #[serde(with = "square")]
    pub covariance: DMatrix<f64>,
    /// Relative residuals of the fitted points.
    pub residuals: Residuals,
    /// The measured process counts and sizes.
    pub domain: MeasuredDomain,
}

/// The relative residuals on either side of the threshold, for a message whose time is all
/// bandwidth; those of a message with the bandwidth share w are 1/√w times as large.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residuals {
    /// For m < M, or for all sizes without a threshold.
    pub below: f64,
    /// For m ≥ M; without a threshold 0 in a signature and equal to `below` in other models.
    pub above: f64,
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    /// An estimate with an interval.
    Estimated(IntervalEstimate),
    /// A value without an interval: found by a search, dropped or given.
    Plain(f64),
    /// A value with bounds that no data of it determine, and its origin; no stored parameter is one.
    #[serde(skip)]
    Assumed(IntervalEstimate, OnsetSource),
}

/// Base on which the parameters of a model were fitted; predictions use the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContentionFreeBase {
    /// α and β, also in place of pLogP tables.
    #[default]
    Hockney,
    /// The pLogP tables of the profile.
    #[serde(rename = "plogp")]
    Tables,
}

impl ContentionFreeBase {
    /// Base of a fit of `model` if the pLogP `tables` are known.
    pub fn of(model: &Model, tables: Option<&PLogP>) -> Self {
        match tables {
            Some(_) if model.needs.contains(&ModelInput::PLogP) => Self::Tables,
            _ => Self::Hockney,
        }
    }
}

impl ParameterValue {
    /// The value.
    pub fn value(self) -> f64 {
        match self {
            Self::Estimated(estimate) | Self::Assumed(estimate, _) => estimate.value,
            Self::Plain(value) => value,
        }
    }

    /// The ends of the interval, if it has one.
    pub fn interval(self) -> Option<IntervalEstimate> {
        match self {
            Self::Estimated(estimate) | Self::Assumed(estimate, _) => Some(estimate),
            Self::Plain(_) => None,
        }
    }

    /// What a text says behind a value that was not measured.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Self::Assumed(_, source) => source.remark(),
            Self::Estimated(_) | Self::Plain(_) => None,
        }
    }
}

impl FittedModel {
    /// The collective that was measured.
    pub fn collective(&self) -> Option<Collective> {
        match self.model.subject {
            ModelSubject::Collective(collective) => Some(collective),
            _ => None,
        }
    }

    /// The value of a parameter.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.parameters.get(name).map(|found| found.value())
    }

    /// All values in the order of the model's parameters; a parameter that the fit did not
    /// find has its default.
    ///
    /// # Errors
    /// If parameters have no value; the error names them.
    pub fn values(&self) -> Result<ParameterValues, ModelError> {
        let values = self.model.values(|parameter| self.value(parameter.name))?;
        Ok(ParameterValues {
            latency: self.latency_s.clone(),
            ..values
        })
    }

    /// M and its interval, if the model has an M that was found.
    pub fn threshold(&self) -> Option<IntervalEstimate> {
        let threshold_index = self.model.role_index(ParameterRole::Threshold)?;
        match self.parameters.get(self.model.parameters[threshold_index].name)? {
            ParameterValue::Estimated(estimate) => Some(*estimate),
            ParameterValue::Plain(_) | ParameterValue::Assumed(..) => None,
        }
    }

    /// The contention signature on top of `base`; `None` for other models.
    pub fn signature(&self, base: Hockney) -> Option<Signature> {
        let ModelEstimator::Signature(form) = self.model.estimator else {
            return None;
        };
        let value = |is: fn(ParameterRole) -> bool| {
            let mut parameters = self.model.parameters.iter();
            self.value(parameters.find(|parameter| is(parameter.role))?.name)
        };
        let threshold = value(|role| role == ParameterRole::Threshold).filter(|m| m.is_finite());
        Some(Signature {
            base,
            form,
            gamma: value(|role| matches!(role, ParameterRole::Linear(_)))?,
            gamma_below: value(|role| matches!(role, ParameterRole::Below(_))),
            delta: Seconds(value(|role| role == ParameterRole::Supplement).unwrap_or(0.0)),
            threshold: threshold.map(Bytes::rounded),
        })
    }

    /// Refuses unknown parameters, and a table that the model lacks or does not have.
    fn refuse_unsuitable(&self) -> Result<(), String> {
        let name = self.model.name;
        let known: Vec<&str> = self.model.parameters.iter().map(|p| p.name).collect();
        let is_unknown = |key: &&String| !known.contains(&key.as_str());
        if let Some(unknown_key) = self.parameters.keys().find(is_unknown) {
            return Err(match known.as_slice() {
                [] => format!("parameters.{unknown_key} is none, {name} has no parameters"),
                known => format!("parameters.{unknown_key} is none of {}", known.join(", ")),
            });
        }
        match (self.model.estimator == ModelEstimator::Latency, &self.latency_s) {
            (true, None) => Err(format!("{name} lacks its table latency_s")),
            (false, Some(_)) => Err(format!("{name} takes no table latency_s")),
            _ => Ok(()),
        }
    }

    /// Refuses values below the least value of a parameter's role.
    fn refuse_too_low(&self) -> Result<(), String> {
        for parameter in self.model.parameters {
            let least = match parameter.role {
                ParameterRole::Linear(least) | ParameterRole::Below(least) => least,
                ParameterRole::Supplement | ParameterRole::Threshold => 0.0,
                ParameterRole::Count => 1.0,
                ParameterRole::Given => continue,
            };
            let key = parameter.name;
            let rule = match self.value(key) {
                Some(value) if value.is_nan() || value < least => {
                    format!("= {value} is not at least {least}")
                }
                Some(value) if parameter.role == ParameterRole::Threshold && !is_size(value) => {
                    format!("= {value} is neither a whole number of bytes nor inf")
                }
                _ => continue,
            };
            return Err(format!("parameters.{key} {rule}"));
        }
        Ok(())
    }

    /// Refuses estimates that are not finite, and a covariance that does not match them.
    fn refuse_bad_estimates(&self) -> Result<(), String> {
        for (name, found) in &self.parameters {
            if let ParameterValue::Estimated(estimate) = found {
                estimate.check(&format!("parameters.{name}"))?;
            }
        }
        let is_linear = |name: &String| {
            let mut all = self.model.parameters.iter();
            all.find(|parameter| parameter.name == name)
                .is_some_and(|parameter| parameter.role.is_estimated())
        };
        let names = &self.covariance_of;
        if let Some(name) = names.iter().duplicates().next() {
            return Err(format!("covariance_of names {name:?} twice"));
        }
        for name in names {
            if !matches!(self.parameters.get(name), Some(ParameterValue::Estimated(_))) {
                return Err(format!("covariance_of: {name} has no estimate"));
            }
            if !is_linear(name) {
                return Err(format!("covariance_of: the time is not linear in {name}"));
            }
        }
        let is_unlisted = |(name, found): &(&String, &ParameterValue)| {
            matches!(found, ParameterValue::Estimated(_)) && is_linear(name) && !names.contains(*name)
        };
        if let Some((name, _)) = self.parameters.iter().find(is_unlisted) {
            return Err(format!("covariance_of does not name {name:?}"));
        }
        check_covariance(&self.covariance, names.len())
    }
}

impl ContentionModel for FittedModel {
    fn entry(&self) -> &'static Model {
        self.model
    }

    fn collective(&self) -> Option<Collective> {
        self.collective()
    }

    fn algorithm(&self) -> &str {
        &self.algorithm
    }

    fn domain(&self) -> &MeasuredDomain {
        &self.domain
    }

    fn parameters(&self) -> Vec<(String, ParameterValue)> {
        let numbers = self.model.parameters.iter().filter_map(|parameter| {
            let found = self.parameters.get(parameter.name)?;
            Some((parameter.name.to_owned(), *found))
        });
        let latency_rows = self.latency_s.iter().flat_map(SizeTable::rows);
        let latency_values =
            latency_rows.map(|(size, value)| (format!("latency_s@{}", size.0), ParameterValue::Plain(value.0)));
        numbers.chain(latency_values).collect()
    }

    fn covariance(&self) -> (Vec<&str>, &DMatrix<f64>) {
        let names = self.covariance_of.iter().map(String::as_str);
        (names.collect(), &self.covariance)
    }

    fn check(&self) -> Result<(), String> {
        self.refuse_unsuitable()?;
        self.refuse_too_low()?;
        self.refuse_bad_estimates()?;
        for (side, residual) in [("below", self.residuals.below), ("above", self.residuals.above)] {
            if !(residual.is_finite() && residual >= 0.0) {
                return Err(format!("residuals.{side} = {residual} is not finite and at least 0"));
            }
        }
        self.domain.check()?;
        self.values().map(drop).map_err(|error| error.to_string())
    }
}

/// True if a number stands for a size, or for no threshold.
fn is_size(bytes: f64) -> bool {
    bytes == f64::INFINITY || bytes.fract() == 0.0 && bytes < 2f64.powi(64)
}

/// A model as `SUBJECT/NAME`.
mod entry {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::model::{self, Model};

    pub(super) fn serialize<S: Serializer>(model: &Model, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{}/{}", model.subject, model.name))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Model, D::Error> {
        let text = String::deserialize(from)?;
        let (subject, name) = text.split_once('/').unwrap_or(("", &text));
        let collective = subject.parse().map_err(Error::custom)?;
        model::find(collective, name).map_err(Error::custom)
    }
}
