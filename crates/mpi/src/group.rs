//! A group of the first ranks of a job: its communicator and collective operations.

use std::time::Duration;

use mpi::collective::SystemOperation;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives, Equivalence, Root};
use netsig_core::units::{Procs, Rank};

/// Sleep of an idle rank between tests of a barrier.
const NAP: Duration = Duration::from_micros(500);

/// A communicator of the first ranks.
pub struct Group {
    comm: SimpleCommunicator,
    procs: Procs,
}

impl Group {
    /// The group of the first `procs` ranks of `world`; all ranks must call this. `None` on the
    /// other ranks. `procs` is at most the size of `world`.
    pub fn split(world: &SimpleCommunicator, procs: Procs) -> Option<Self> {
        let takes_part = world.rank() < i32::try_from(procs.get()).unwrap_or(i32::MAX);
        let color = if takes_part {
            Color::with_value(0)
        } else {
            Color::undefined()
        };
        let comm = world.split_by_color(color)?;
        Some(Self { comm, procs })
    }

    /// Number of ranks.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// This rank's number.
    pub fn rank(&self) -> Rank {
        rank(&self.comm)
    }

    /// The communicator, for calls of MPI functions.
    pub fn comm(&self) -> &SimpleCommunicator {
        &self.comm
    }

    /// Replaces all ranks' values by rank 0's.
    pub fn broadcast<T: Equivalence>(&self, values: &mut [T]) {
        self.comm.process_at_rank(0).broadcast_into(values);
    }

    /// Applies `operation` element by element to the values of all ranks; the result is on rank 0.
    pub fn reduce<T: Equivalence>(&self, mine: &[T], all: &mut [T], operation: SystemOperation) {
        let root = self.comm.process_at_rank(0);
        if self.rank() == Rank(0) {
            root.reduce_into_root(mine, all, operation);
        } else {
            root.reduce_into(mine, operation);
        }
    }
}

/// This rank's number in `comm`.
pub fn rank(comm: &SimpleCommunicator) -> Rank {
    Rank(u32::try_from(comm.rank()).expect("ranks are not negative"))
}

/// A barrier in which waiting ranks sleep, to leave the processors to the other ranks.
pub fn sleepy_barrier(comm: &SimpleCommunicator) {
    let mut request = comm.immediate_barrier();
    while let Err(pending) = request.test() {
        request = pending;
        std::thread::sleep(NAP);
    }
}
