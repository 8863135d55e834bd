//! What a rank repeats, whatever it is, and which times it contributes.

use mpi::topology::SimpleCommunicator;
use netsig_core::units::{Rank, Seconds};
use netsig_measure::plan::{Cell, Operation};

use crate::flow::Flow;
use crate::operation::{Fault, Prepared};
use crate::pair::Pair;

/// A step that is ready to be repeated.
pub enum Task {
    /// Between ranks 0 and 1; the time is half of rank 0's.
    PingPong(Prepared, Rank),
    /// The time is the greatest of all ranks'.
    Collective(Prepared),
    /// A step of pLogP, which rank 0 times itself.
    Pair(Pair),
    /// Each receiver has a time of its own.
    Flow(Flow),
}

impl Task {
    /// Whether the time counts from a start that all ranks have in common; else rank 0 alone
    /// times it.
    pub fn has_common_start(&self) -> bool {
        matches!(self, Self::Collective(_) | Self::Flow(_))
    }

    /// How many times a repetition gives.
    pub fn width(&self) -> usize {
        match self {
            Self::PingPong(..) | Self::Collective(_) => 1,
            Self::Pair(pair) => pair.width(),
            Self::Flow(flow) => flow.pairs(),
        }
    }

    /// Writes what this rank sends.
    pub fn fill(&mut self, repetition: u32) {
        match self {
            Self::PingPong(prepared, _) | Self::Collective(prepared) => prepared.fill(repetition),
            Self::Pair(pair) => pair.fill(repetition),
            Self::Flow(flow) => flow.fill(repetition),
        }
    }

    /// Carries it out.
    pub fn run(&mut self, comm: &SimpleCommunicator) {
        match self {
            Self::PingPong(prepared, _) | Self::Collective(prepared) => prepared.run(comm),
            Self::Pair(pair) => pair.run(comm),
            Self::Flow(flow) => flow.run(comm),
        }
    }

    /// Checks what this rank received.
    ///
    /// # Errors
    /// The first byte that is not what was sent in this repetition.
    pub fn verify(&self, repetition: u32) -> Result<(), Fault> {
        match self {
            Self::PingPong(prepared, _) | Self::Collective(prepared) => prepared.verify(repetition),
            Self::Pair(pair) => pair.verify(repetition),
            Self::Flow(flow) => flow.verify(repetition),
        }
    }

    /// Writes this rank's times of a repetition that took it `elapsed`. The greatest of all
    /// ranks' stand for the repetition: where this rank has none, it writes nothing over the
    /// zeros.
    pub fn times(&self, elapsed: Seconds, times: &mut [f64]) {
        match self {
            Self::PingPong(_, Rank(0)) => times[0] = elapsed.0 / 2.0,
            Self::PingPong(..) => {}
            Self::Collective(_) => times[0] = elapsed.0,
            Self::Pair(pair) => {
                for (time, own) in times.iter_mut().zip(pair.times()) {
                    *time = own.0;
                }
            }
            Self::Flow(flow) => {
                if let Some(pair) = flow.receives() {
                    times[pair] = elapsed.0;
                }
            }
        }
    }
}

/// Whether a cell takes all ranks of the plan, whatever it says of its own.
pub fn takes_all_ranks(cell: &Cell) -> bool {
    cell.operation == Operation::Flows
}
