//! A group of ranks of a job, spread over all of them: its communicator and collective operations.

use std::time::Duration;

use mpi::collective::SystemOperation;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives, Equivalence, Root};
use netsig_base::units::Rank;

/// Sleep of an idle rank between tests of a barrier.
const POLL_INTERVAL: Duration = Duration::from_micros(500);

/// A communicator of some of the ranks, in their order.
pub struct RankGroup {
    comm: SimpleCommunicator,
    /// The ranks in the whole job, ascending.
    ranks: Vec<u32>,
}

impl RankGroup {
    /// The group of `ranks` of `world`, ascending, rank 0 among them; all ranks must call this.
    /// `None` on the other ranks.
    pub fn split(world: &SimpleCommunicator, ranks: Vec<u32>) -> Option<Self> {
        let takes_part = ranks.contains(&rank(world).0);
        let color = if takes_part {
            Color::with_value(0)
        } else {
            Color::undefined()
        };
        let comm = world.split_by_color(color)?;
        Some(Self { comm, ranks })
    }

    /// The ranks in the whole job, ascending.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
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

    /// After a reduction, waits until all ranks have taken part in it. No rank sends before, as in a barrier: TCP
    /// repairs a lost last segment sooner if further data follow it.
    pub fn await_all(&self) {
        self.broadcast(&mut [0u8]);
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
pub fn sleeping_barrier(comm: &SimpleCommunicator) {
    let mut request = comm.immediate_barrier();
    while let Err(pending) = request.test() {
        request = pending;
        std::thread::sleep(POLL_INTERVAL);
    }
}
