//! Programs of ranks: the part of a simulation that defines operations and their order,
//! independent of simulated time.

use netsig_base::units::{Procs, Rank};

use super::time::Time;

/// Number of an operation of a rank.
pub type Op = u32;

/// The number of a message under way.
pub type FlightId = u32;

/// A send that may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Send {
    /// The operation.
    pub op: Op,
    /// The receiver.
    pub to: Rank,
    /// The tag, which the receive must fit.
    pub tag: u32,
    /// Length in bytes.
    pub bytes: u64,
}

/// A message that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    /// The message.
    pub flight: FlightId,
    /// The sender.
    pub from: Rank,
    /// The operation that sent the message.
    pub send: Op,
    /// The tag.
    pub tag: u32,
}

/// Work other than a send that a rank starts now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Receives a message that arrived before its receive was posted.
    Receive {
        /// The receive.
        op: Op,
        /// The message.
        flight: FlightId,
    },
    /// Computes on the rank's processor.
    Compute {
        /// The operation.
        op: Op,
        /// Time that the computation occupies the processor.
        duration: Time,
    },
}

/// The operations of all ranks. The engine reports completed operations, and the program returns
/// operations that may start.
pub trait Program {
    /// Number of ranks.
    fn procs(&self) -> Procs;

    /// Number of the rank's processor that executes an operation.
    fn processor(&self, _rank: Rank, _op: Op) -> u8 {
        0
    }

    /// Prepares the first operations of `rank`.
    fn start(&mut self, rank: Rank, tasks: &mut Vec<Task>);

    /// Takes the next send of `rank` that may start now. Its start may make other operations ready.
    fn next_send(&mut self, rank: Rank, tasks: &mut Vec<Task>) -> Option<Send>;

    /// Handles a send that is complete at its sender.
    fn sent(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>);

    /// Handles a message that has arrived at `rank`: returns the posted receive that takes it.
    /// Without one, the program keeps the message for a later [`Task::Receive`].
    fn deliver(&mut self, rank: Rank, envelope: Envelope) -> Option<Op>;

    /// Handles a completed receive.
    fn received(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>);

    /// Handles a completed computation.
    fn computed(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>);

    /// Operations and messages left when no event remains, if any.
    fn rest(&self) -> Option<Rest>;
}

/// Operations and messages left when a simulation stops, one readable line each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rest {
    /// Operations of ranks that wait for each other in a cycle, in the order of the cycle.
    pub cycle: Vec<String>,
    /// Receives for which no message came.
    pub receives: Vec<String>,
    /// Messages that no receive took.
    pub sends: Vec<String>,
}
