//! What a simulation would find, without simulating: for the simplest networks and the
//! algorithms whose ranks all do alike, in no time for any number of ranks.
//!
//! A closed form is given only where it is what the engine finds to the picosecond.

pub mod endpoint;
mod plogpt;

use super::time::Time;

pub use endpoint::endpoint;
pub use plogpt::plogpt;

/// What all ranks together take and send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// When the last operation of all ranks is complete.
    pub time: Time,
    /// How many messages are sent.
    pub messages: u64,
    /// How long they are together.
    pub bytes: u128,
    /// How many of them lose packets and have to wait.
    pub losses: u64,
}
