//! The choice of a model for an algorithm.

use netsig_base::algorithm::Collective;
use netsig_base::units::parameter::non_negative;
use serde::{Deserialize, Deserializer, Serialize};

use crate::model;

/// The model that a fit chose for an algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChosenModelEntry {
    /// The measured collective.
    pub collective: Collective,
    /// Algorithm that ran the collective.
    pub algorithm: String,
    /// Present name of the model; a file may have a former one.
    #[serde(deserialize_with = "present_model_name")]
    pub model: String,
    /// Reason in one sentence.
    pub reason: String,
    /// Mean relative error where a process count is left out; `None` if it was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

fn present_model_name<'de, D: Deserializer<'de>>(stored: D) -> Result<String, D::Error> {
    let name = String::deserialize(stored)?;
    Ok(model::present_name(&name).to_owned())
}

impl ChosenModelEntry {
    /// Refuses a model that does not exist, and an impossible error.
    pub(super) fn check(&self) -> Result<(), String> {
        non_negative("error", self.error.unwrap_or(0.0))?;
        let found = model::find(self.collective, &self.model);
        found.map(drop).map_err(|error| error.to_string())
    }
}
