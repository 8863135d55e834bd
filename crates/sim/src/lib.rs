//! netsig-sim: a simulator of message passing. It runs any schedule on a network model, for networks
//! that do not exist yet and for effects that no closed form shows. The crate uses no clock, process,
//! file or network.
//!
//! A [`program`] defines the operations of ranks, a [`network`] their times, and the [`engine`]
//! connects the two. Time is whole picoseconds; events of the same time happen in the order in
//! which they were caused. So a simulation is a function of its input. [`simulate`] takes the
//! parameters of a network model from settings, a profile and a network.

#![forbid(unsafe_code)]

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
pub mod simulate;
#[cfg(test)]
mod testing;
mod time;

pub use engine::run;
pub use outcome::{SimOutcome, StuckProgram};
pub use time::Time;
