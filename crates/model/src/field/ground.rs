//! What a fit of the field knows beside the times.

use netsig_base::network::Network;
use netsig_base::units::Seconds;

use super::free::FieldWire;
use super::kernel::FieldPrior;

/// Facts about the ranks and links of the data.
#[derive(Debug, Clone)]
pub struct FieldGround<'a> {
    /// Name of the MPI library, whose rules tell its own choice.
    pub mpi: Option<&'a str>,
    /// Ranks on a host.
    pub per_host: u32,
    /// Links, where known.
    pub network: Option<&'a Network>,
    /// Prior of the hyperparameters.
    pub prior: FieldPrior,
    /// Confidence level of the intervals.
    pub confidence: f64,
    /// Times between two processes, where they were measured: γ is relative to them.
    pub pairs: Option<FieldPairs>,
}

/// Times between two processes.
#[derive(Debug, Clone)]
pub struct FieldPairs {
    /// α.
    pub startup: Seconds,
    /// Times of bytes.
    pub wire: FieldWire,
}

impl FieldPairs {
    /// Bytes that take as long as a start-up.
    pub(super) fn balance(&self) -> f64 {
        (self.startup.0 / self.wire.wire.beta().0).max(1.0)
    }
}
