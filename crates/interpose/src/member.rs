//! A process in a communicator.

use netsig_base::units::{Procs, Rank};

/// A rank of a communicator.
#[derive(Debug, Clone, Copy)]
pub struct CommMember {
    /// Number of processes.
    pub procs: Procs,
    /// This process.
    pub rank: Rank,
}
