//! The choice of a model for an algorithm.

use netsig_base::algorithm::Collective;
use netsig_base::units::parameter::non_negative;
use serde::{Deserialize, Serialize};

use crate::model;

/// The model that a fit chose for an algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The measured collective.
    pub collective: Collective,
    /// Algorithm that ran the collective.
    pub algorithm: String,
    /// Name of the model.
    pub model: String,
    /// Reason in one sentence.
    pub reason: String,
    /// Mean relative error where a process count is left out; `None` if it was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

impl Choice {
    /// Refuses a model that does not exist, and an impossible error.
    pub(super) fn check(&self) -> Result<(), String> {
        non_negative("error", self.error.unwrap_or(0.0))?;
        let found = model::find(self.collective, &self.model);
        found.map(drop).map_err(|error| error.to_string())
    }
}
