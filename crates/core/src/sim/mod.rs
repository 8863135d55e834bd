//! A simulator of message passing: any schedule on a network model, for networks that do not
//! exist yet and for effects that no closed form shows.
//!
//! A [`program`] defines the operations of ranks, a [`network`] their times, and the [`engine`]
//! connects the two. Time is whole picoseconds; events of the same time happen in the order in
//! which they were caused. So a simulation is a function of its input.

pub mod closed;
pub mod engine;
mod flights;
pub mod goal;
mod matching;
pub mod network;
pub mod observer;
pub mod outcome;
pub mod program;
mod queue;
pub mod rounds;
pub mod setup;
#[cfg(test)]
mod testing;
mod time;

pub use engine::run;
pub use outcome::{Outcome, Stuck};
pub use time::Time;
