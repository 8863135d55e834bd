//! What ranks do: the side of a simulation that knows the operations and their order, but
//! nothing of time.

use super::time::Time;
use crate::units::{Procs, Rank};

/// The number of an operation among those of its rank.
pub type Op = u32;

/// The number of a message under way.
pub type FlightId = u32;

/// A send that may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Send {
    /// Which operation it is.
    pub op: Op,
    /// The receiver.
    pub to: Rank,
    /// What the receiver tells it from others by.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
}

/// A message that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    /// Which one.
    pub flight: FlightId,
    /// The sender.
    pub from: Rank,
    /// The operation that sent it.
    pub send: Op,
    /// What it is told from others by.
    pub tag: u32,
}

/// What a rank has to do now besides sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Takes in a message that was kept until its receive was posted.
    Receive {
        /// The receive.
        op: Op,
        /// The message.
        flight: FlightId,
    },
    /// Computes.
    Compute {
        /// The operation.
        op: Op,
        /// How long it keeps the processor busy.
        duration: Time,
    },
}

/// The operations of all ranks. The engine tells it what is complete; it answers with what
/// may start.
pub trait Program {
    /// How many ranks there are.
    fn procs(&self) -> Procs;

    /// Which of its rank's processors an operation keeps busy.
    fn processor(&self, _rank: Rank, _op: Op) -> u8 {
        0
    }

    /// Makes ready what `rank` does first.
    fn start(&mut self, rank: Rank, tasks: &mut Vec<Task>);

    /// The next send of `rank` that may start now. It then has started, which may make more
    /// ready.
    fn next_send(&mut self, rank: Rank, tasks: &mut Vec<Task>) -> Option<Send>;

    /// A send is complete at its sender.
    fn sent(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>);

    /// A message has come to `rank`: the posted receive that takes it, or none yet; then the
    /// program keeps it for a later [`Task::Receive`].
    fn deliver(&mut self, rank: Rank, envelope: Envelope) -> Option<Op>;

    /// A receive is complete.
    fn received(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>);

    /// A computation is complete.
    fn computed(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>);

    /// What is left to do when nothing happens any more, if anything.
    fn rest(&self) -> Option<Rest>;
}

/// Why a simulation cannot go on, or what it leaves over: one line for people each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rest {
    /// The operations of a cycle of ranks that wait for each other, in its order.
    pub cycle: Vec<String>,
    /// Receives for which no message came.
    pub receives: Vec<String>,
    /// Messages that no receive took.
    pub sends: Vec<String>,
}
