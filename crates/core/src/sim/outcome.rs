//! What a simulation takes besides a program and a network, and what it finds.

use super::network::{LinkUse, Loss};
use super::program::Rest;
use super::time::Time;
use crate::units::Bytes;

/// From which size on a sender asks before it sends; `None` if every message is sent at once.
pub type EagerLimit = Option<Bytes>;

/// What a simulation finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// When the last operation of all ranks was complete; [`Time::MAX`] if some never were.
    pub time: Time,
    /// How many messages were sent.
    pub messages: u64,
    /// How long they were together.
    pub bytes: u64,
    /// The messages that had to wait for lost packets, by the time of the loss.
    pub losses: Vec<Loss>,
    /// What each link carried, in the network's order.
    pub links: Vec<LinkUse>,
}

/// A program that does not end, or leaves something over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} receives wait for messages that never come, {} messages are never received", .0.receives.len(), .0.sends.len())]
pub struct Stuck(pub Rest);
