//! What a fit of the field knows beside the times.

use netsig_base::network::Network;
use netsig_base::units::SecondsPerByte;

use super::kernel::FieldPrior;

/// Facts about the ranks and links of the data.
#[derive(Debug, Clone, Copy)]
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
    /// Time of a byte between two processes, where it was measured: γ is relative to it.
    pub byte: Option<SecondsPerByte>,
}
