//! Eager limit, result and error of a simulation.

use netsig_base::units::Bytes;

use super::network::{LinkUse, PacketLoss};
use super::program::UnfinishedOperations;
use super::time::Time;

/// Shortest message that uses the rendezvous protocol; `None` if every message is eager.
pub type SimEagerLimit = Option<Bytes>;

/// Result of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct SimOutcome {
    /// Time at which the last operation of all ranks completed; [`Time::MAX`] if some never did.
    pub time: Time,
    /// Number of messages sent.
    pub messages: u64,
    /// Sum of the message lengths.
    pub bytes: u64,
    /// Messages delayed by lost packets, by the time of the loss.
    pub losses: Vec<PacketLoss>,
    /// Traffic of each link, in the network's order.
    pub links: Vec<LinkUse>,
}

impl SimOutcome {
    /// Share of the simulated time in which a link carried data at its full rate; 0 if no time passed.
    pub fn utilisation(&self, link: &LinkUse) -> f64 {
        match self.time {
            Time::ZERO => 0.0,
            time => link.busy.seconds() / time.seconds(),
        }
    }
}

/// Error: a program does not end, or leaves messages that no rank receives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} receives wait for messages that never come, {} messages are never received", .0.receives.len(), .0.sends.len())]
pub struct StuckProgram(pub UnfinishedOperations);
