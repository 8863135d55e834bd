//! Programs of ranks: the part of a simulation that defines operations and their order,
//! independent of simulated time.

use netsig_base::units::{Procs, Rank};

use super::time::Time;

/// Number of an operation of a rank.
pub type OperationId = u32;

/// The number of a message under way.
pub type FlightId = u32;

/// A send that may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadySend {
    /// The operation.
    pub op: OperationId,
    /// The receiver.
    pub to: Rank,
    /// The tag, which the receive must fit.
    pub tag: u32,
    /// Length in bytes.
    pub bytes: u64,
}

/// A message that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrivedMessage {
    /// The message.
    pub flight: FlightId,
    /// The sender.
    pub from: Rank,
    /// The operation that sent the message.
    pub send: OperationId,
    /// The tag.
    pub tag: u32,
}

/// Work other than a send that a rank starts now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimTask {
    /// Receives a message that arrived before its receive was posted.
    Receive {
        /// The receive.
        op: OperationId,
        /// The message.
        flight: FlightId,
    },
    /// Computes on the rank's processor.
    Compute {
        /// The operation.
        op: OperationId,
        /// Time that the computation occupies the processor.
        duration: Time,
    },
}

/// The operations of all ranks. The engine reports completed operations, and the program returns
/// operations that may start.
pub trait SimProgram {
    /// Number of ranks.
    fn procs(&self) -> Procs;

    /// Number of the rank's processor that executes an operation.
    fn processor(&self, _rank: Rank, _op: OperationId) -> u8 {
        0
    }

    /// Prepares the first operations of `rank`.
    fn start(&mut self, rank: Rank, tasks: &mut Vec<SimTask>);

    /// Takes the next send of `rank` that may start now. Its start may make other operations ready.
    fn next_send(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) -> Option<ReadySend>;

    /// Handles a send that is complete at its sender.
    fn sent(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>);

    /// Handles a message that has arrived at `rank`: returns the posted receive that takes it. Without one, the
    /// program keeps the message for a later [`SimTask::Receive`].
    fn deliver(&mut self, rank: Rank, envelope: ArrivedMessage) -> Option<OperationId>;

    /// Handles a completed receive.
    fn received(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>);

    /// Handles a completed computation.
    fn computed(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>);

    /// Operations and messages left when no event remains, if any.
    fn unfinished_work(&self) -> Option<UnfinishedOperations>;
}

/// Operations and messages left when a simulation stops, one readable line each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnfinishedOperations {
    /// Operations of ranks that wait for each other in a cycle, in the order of the cycle.
    pub cycle: Vec<String>,
    /// Receives for which no message came.
    pub receives: Vec<String>,
    /// Messages that no receive took.
    pub sends: Vec<String>,
}
