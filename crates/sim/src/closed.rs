//! Closed forms of simulations: exact totals without following events, for the simplest networks
//! and for algorithms whose ranks all act alike.
//!
//! A closed form exists only where it equals the engine's result to the picosecond.

pub mod endpoint;
mod plogpt;

use super::time::Time;

pub use endpoint::endpoint;
pub use plogpt::plogpt;

/// Totals over all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SimTotals {
    /// Time at which the last operation of all ranks completes.
    pub time: Time,
    /// Number of messages sent.
    pub messages: u64,
    /// Sum of the message lengths.
    pub bytes: u128,
    /// Number of messages that lose packets and are delayed.
    pub losses: u64,
}
