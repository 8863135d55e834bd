//! A fitted model of the registry as it stands in a profile.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::network::WireTable;
use super::{WireDomain, matrix, refuse_impossible, rows};
use crate::collective::Collective;
use crate::fit::{Estimate, Student};
use crate::model::plogp::Table;
use crate::profile::ModelEntry;
use crate::registry::{self, Model, Values};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireModel {
    collective: String,
    algorithm: String,
    name: String,
    confidence: f64,
    errors: String,
    dof: usize,
    relative_residual: f64,
    covariance_of: Vec<String>,
    covariance: Vec<Vec<f64>>,
    parameters: BTreeMap<String, WireValue>,
    /// L(m), for the model that has it.
    latency_s: Option<WireTable>,
    domain: WireDomain,
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
    pub(super) fn into_domain(self) -> Result<ModelEntry, String> {
        let who = format!("model {:?} of {:?}", self.name, self.algorithm);
        let wrong = |what: String| format!("{who}: {what}; fit again");
        let collective: Collective = self
            .collective
            .parse()
            .map_err(|e: crate::collective::UnknownAlgorithm| wrong(e.to_string()))?;
        let model = registry::find(collective, &self.name).map_err(|e| wrong(e.to_string()))?;
        refuse_impossible(self.confidence, self.dof, &self.covariance).map_err(wrong)?;
        if !(self.relative_residual.is_finite() && self.relative_residual >= 0.0) {
            let residual = self.relative_residual;
            return Err(wrong(format!(
                "the relative residual {residual} is not possible"
            )));
        }
        let latency = self
            .latency_s
            .map(|rows| Table::new("latency_s", rows))
            .transpose();
        Ok(ModelEntry {
            model,
            collective,
            estimates: estimates(model, &self.covariance_of, &self.parameters).map_err(wrong)?,
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
            domain: self.domain.into_domain().map_err(wrong)?,
            algorithm: self.algorithm,
        })
    }
}

fn estimates(
    model: &'static Model,
    names: &[String],
    parameters: &BTreeMap<String, WireValue>,
) -> Result<Vec<(usize, Estimate)>, String> {
    let estimate = |name: &String| {
        let place = model
            .parameters
            .iter()
            .position(|parameter| parameter.name == name);
        match (place, parameters.get(name)) {
            (Some(place), Some(WireValue::Estimated(estimate))) => Ok((place, *estimate)),
            _ => Err(format!("{name} has no estimate")),
        }
    };
    names.iter().map(estimate).collect()
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
            relative_residual: entry.residual,
            covariance_of,
            covariance: rows(&entry.covariance),
            parameters,
            latency_s: entry
                .values
                .latency
                .as_ref()
                .map(|table| table.rows().to_vec()),
            domain: WireDomain::from(&entry.domain),
        }
    }
}
