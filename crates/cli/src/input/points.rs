//! The common options of `predict` and `select`: profile, collective, process counts and sizes.

use std::path::PathBuf;

use itertools::iproduct;
use netsig_core::algorithm::Collective;
use netsig_core::units::list::List;
use netsig_core::units::{Bytes, Procs};

/// Process counts and sizes of a collective, and the profile to predict them from.
#[derive(clap::Args)]
pub struct PointArgs {
    /// The profile that `netsig fit` wrote.
    pub profile: PathBuf,
    /// The collective: bcast, scatter, gather, allgather or alltoall.
    #[arg(long)]
    pub collective: Collective,
    /// Process counts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps).
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub procs: List<Procs>,
    /// Bytes per destination (of a bcast: of the message), as for --procs, with kB MB KiB MiB.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub size: List<Bytes>,
}

impl PointArgs {
    /// All combinations of process counts and sizes.
    pub fn cells(&self) -> impl Iterator<Item = (Procs, Bytes)> {
        let all = iproduct!(self.procs.items(), self.size.items());
        all.map(|(&procs, &size)| (procs, size))
    }
}
