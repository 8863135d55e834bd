//! A fitted model of the registry as it stands in a profile.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::network::WireTable;
use super::{
    REMEDY, WireDomain, matrix, refuse_below, refuse_impossible, refuse_impossible_interval,
    refuse_impossible_residual, refuse_repeated, rows,
};
use crate::algorithm::Collective;
use crate::model::plogp::PLogP;
use crate::profile::{Base, ModelEntry};
use crate::registry::{self, Estimator, Model, Role, Values};
use crate::stats::interval::{Estimate, Student};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireModel {
    collective: String,
    algorithm: String,
    name: String,
    confidence: f64,
    errors: String,
    dof: usize,
    #[serde(default, with = "WireBase")]
    fitted_on: Base,
    relative_residual: f64,
    covariance_of: Vec<String>,
    covariance: Vec<Vec<f64>>,
    parameters: BTreeMap<String, WireValue>,
    /// L(m), for the model that has it.
    latency_s: Option<WireTable>,
    domain: WireDomain,
}

/// The names of [`Base`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Base")]
enum WireBase {
    #[serde(rename = "hockney")]
    Hockney,
    #[serde(rename = "plogp")]
    Tables,
}

/// A parameter: estimated, or found in another way.
#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(untagged)]
enum WireValue {
    Estimated(Estimate),
    Plain(f64),
}

impl WireValue {
    fn value(self) -> f64 {
        match self {
            Self::Estimated(estimate) => estimate.value,
            Self::Plain(value) => value,
        }
    }
}

impl WireModel {
    pub(super) fn into_domain(self, tables: Option<&PLogP>) -> Result<ModelEntry, String> {
        let who = format!("[[model]] {:?} of {:?}", self.name, self.algorithm);
        let wrong = |what: String| format!("{who}: {what}; {REMEDY}");
        let collective: Collective = self
            .collective
            .parse()
            .map_err(|e: crate::algorithm::UnknownAlgorithm| wrong(e.to_string()))?;
        let model = registry::find(collective, &self.name).map_err(|e| wrong(e.to_string()))?;
        refuse_impossible(self.confidence, self.dof, &self.covariance).map_err(wrong)?;
        refuse_impossible_residual("relative_residual", self.relative_residual).map_err(wrong)?;
        self.refuse_unsuitable(model).map_err(wrong)?;
        self.refuse_too_low(model).map_err(wrong)?;
        if self.fitted_on == Base::Tables && tables.is_none() {
            let lack = "fitted_on = \"plogp\", but the profile has no [plogp]";
            return Err(wrong(lack.to_owned()));
        }
        let estimates = self.estimates(model).map_err(wrong)?;
        let latency = self
            .latency_s
            .map(|rows| rows.into_domain("latency_s"))
            .transpose();
        Ok(ModelEntry {
            model,
            collective,
            estimates,
            values: Values {
                numbers: model
                    .values(|parameter| self.parameters.get(parameter.name).map(|v| v.value()))
                    .map_err(|error| wrong(error.to_string()))?
                    .numbers,
                latency: latency.map_err(|error| wrong(error.to_string()))?,
            },
            covariance: matrix(self.covariance_of.len(), &self.covariance).map_err(wrong)?,
            student: Student::new(self.confidence, self.dof),
            residual: self.relative_residual,
            errors: self.errors,
            base: self.fitted_on,
            domain: self.domain.into_domain().map_err(wrong)?,
            algorithm: self.algorithm,
        })
    }

    /// What the model does not have, or lacks.
    fn refuse_unsuitable(&self, model: &Model) -> Result<(), String> {
        let known: Vec<&str> = model.parameters.iter().map(|p| p.name).collect();
        let mut names = self.parameters.keys();
        if let Some(name) = names.find(|name| !known.contains(&name.as_str())) {
            return Err(match known.as_slice() {
                [] => format!(
                    "parameters.{name} is none, {} has no parameters",
                    model.name
                ),
                known => format!("parameters.{name} is none of {}", known.join(", ")),
            });
        }
        match (model.estimator == Estimator::Latency, &self.latency_s) {
            (true, None) => Err(format!("{} lacks its table latency_s", model.name)),
            (false, Some(_)) => Err(format!("{} takes no table latency_s", model.name)),
            _ => Ok(()),
        }
    }

    /// What no fit gives for a parameter of its role.
    fn refuse_too_low(&self, model: &Model) -> Result<(), String> {
        for parameter in model.parameters {
            let least = match parameter.role {
                Role::Linear(least) => least,
                Role::Supplement | Role::Threshold => 0.0,
                Role::Count => 1.0,
                Role::Given => continue,
            };
            if let Some(value) = self.parameters.get(parameter.name) {
                let key = format!("parameters.{}", parameter.name);
                refuse_below(&key, value.value(), least)?;
            }
        }
        Ok(())
    }

    /// The estimates in the order of the covariance, which must hold each; the time must be
    /// linear in them.
    fn estimates(&self, model: &Model) -> Result<Vec<(usize, Estimate)>, String> {
        refuse_repeated(&self.covariance_of)?;
        for (name, value) in &self.parameters {
            if let WireValue::Estimated(estimate) = value {
                refuse_impossible_interval(&format!("parameters.{name}"), *estimate)?;
                if !self.covariance_of.contains(name) {
                    return Err(format!("covariance_of does not name {name:?}"));
                }
            }
        }
        let estimate = |name: &String| {
            let mut places = model.parameters.iter().enumerate();
            let found = places.find(|(_, parameter)| parameter.name == name);
            match (found, self.parameters.get(name)) {
                (Some((place, parameter)), Some(WireValue::Estimated(estimate))) => {
                    match parameter.role {
                        Role::Linear(_) | Role::Supplement => Ok((place, *estimate)),
                        _ => Err(format!("covariance_of: the time is not linear in {name}")),
                    }
                }
                _ => Err(format!("covariance_of: {name} has no estimate")),
            }
        };
        self.covariance_of.iter().map(estimate).collect()
    }
}

impl From<&ModelEntry> for WireModel {
    fn from(entry: &ModelEntry) -> Self {
        let all = entry.model.parameters.iter().zip(&entry.values.numbers);
        let mut parameters: BTreeMap<String, WireValue> = all
            .map(|(parameter, value)| (parameter.name.to_owned(), WireValue::Plain(*value)))
            .collect();
        let mut covariance_of = Vec::new();
        for (place, estimate) in &entry.estimates {
            let name = entry.model.parameters[*place].name.to_owned();
            covariance_of.push(name.clone());
            parameters.insert(name, WireValue::Estimated(*estimate));
        }
        Self {
            collective: entry.collective.to_string(),
            algorithm: entry.algorithm.clone(),
            name: entry.model.name.to_owned(),
            confidence: entry.student.confidence(),
            errors: entry.errors.clone(),
            dof: entry.student.dof(),
            fitted_on: entry.base,
            relative_residual: entry.residual,
            covariance_of,
            covariance: rows(&entry.covariance),
            parameters,
            latency_s: entry.values.latency.as_ref().map(WireTable::from),
            domain: WireDomain::from(&entry.domain),
        }
    }
}
