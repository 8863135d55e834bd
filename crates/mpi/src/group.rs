//! The first so many ranks of a job: their communicator and what they do together.

use std::time::Duration;

use mpi::collective::SystemOperation;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives, Equivalence, Root};
use netsig_core::units::{Procs, Rank};

/// How long an idle rank sleeps between looks at whether the others are done.
const NAP: Duration = Duration::from_micros(500);

/// A communicator of the first ranks.
pub struct Group {
    comm: SimpleCommunicator,
    procs: Procs,
}

impl Group {
    /// The first `procs` of `world`, which has them; all ranks call it together. `None` on
    /// the others.
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

    /// How many ranks it has.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// The number of this rank.
    pub fn rank(&self) -> Rank {
        rank(&self.comm)
    }

    /// For MPI's functions.
    pub fn comm(&self) -> &SimpleCommunicator {
        &self.comm
    }

    /// Makes rank 0's values everyone's.
    pub fn broadcast<T: Equivalence>(&self, values: &mut [T]) {
        self.comm.process_at_rank(0).broadcast_into(values);
    }

    /// What `operation` makes of all ranks' values, place by place, on rank 0.
    pub fn reduce<T: Equivalence>(&self, mine: &[T], all: &mut [T], operation: SystemOperation) {
        let root = self.comm.process_at_rank(0);
        if self.rank() == Rank(0) {
            root.reduce_into_root(mine, all, operation);
        } else {
            root.reduce_into(mine, operation);
        }
    }
}

/// The number of this rank among all of `comm`.
pub fn rank(comm: &SimpleCommunicator) -> Rank {
    Rank(u32::try_from(comm.rank()).expect("ranks are not negative"))
}

/// A barrier whose waiting ranks sleep, so that they leave the processors to the others.
pub fn sleepy_barrier(comm: &SimpleCommunicator) {
    let mut request = comm.immediate_barrier();
    while let Err(pending) = request.test() {
        request = pending;
        std::thread::sleep(NAP);
    }
}
