//! One rank's rounds of a schedule, ready to run in its blocks.

use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw;
use netsig_base::algorithm::ProvenSchedule;
use netsig_base::units::Rank;
use netsig_mpi::{LocalOperation, MemoryLayout, MpiChannel, ReadyRound};

/// The rounds of a rank.
pub struct RankRounds(Vec<ReadyRound>);

impl RankRounds {
    /// Prepares the rounds of `rank` in the blocks of `layout`.
    pub fn new(proven: &ProvenSchedule, rank: Rank, layout: &MemoryLayout) -> Self {
        let rounds = 0..proven.rounds();
        Self(
            rounds
                .map(|index| ReadyRound::new(proven, rank, index, layout))
                .collect(),
        )
    }

    /// Runs all rounds on `comm`; `operation` combines blocks.
    ///
    /// # Safety
    /// The blocks are memory of this process that nothing else uses during the call.
    pub unsafe fn run(&self, comm: &SimpleCommunicator, operation: Option<LocalOperation>) {
        let channel = MpiChannel::whole(comm.as_raw());
        for round in &self.0 {
            // SAFETY: guaranteed by the caller until all rounds are complete.
            let done = unsafe { round.run(channel, operation) };
            done.expect("MPI's default error handler ends the program on failure");
        }
    }
}
