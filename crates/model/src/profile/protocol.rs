//! The eager limit of the MPI library, where a measurement has shown it.

use netsig_base::units::Bytes;
use serde::{Deserialize, Serialize};

/// Sizes between which the eager limit lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolEntry {
    /// A message of this size is still sent at once.
    #[serde(rename = "eager_above_bytes")]
    pub eager_above: Bytes,
    /// A message of this size is sent after a request.
    #[serde(rename = "eager_up_to_bytes")]
    pub eager_up_to: Bytes,
}

impl ProtocolEntry {
    pub(super) fn check(&self) -> Result<(), String> {
        let (Bytes(above), Bytes(up_to)) = (self.eager_above, self.eager_up_to);
        if above < up_to {
            return Ok(());
        }
        Err(format!(
            "eager_above_bytes = {above} is not below eager_up_to_bytes = {up_to}"
        ))
    }
}
