//! The choice of a model for an algorithm.

use netsig_base::algorithm::Collective;
use serde::{Deserialize, Serialize};

use crate::model;

/// The model that a fit chose for an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl Choice {
    /// Refuses a model that does not exist.
    pub(super) fn check(&self) -> Result<(), String> {
        let found = model::find(self.collective, &self.model);
        found.map(drop).map_err(|error| error.to_string())
    }
}
