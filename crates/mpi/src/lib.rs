//! The executor: carries out one rank's part of a proven schedule over MPI, in memory that the caller
//! names by addresses.
//!
//! `netsig-rank` measures schedules with it, and the preloaded library of `crates/interpose` runs them
//! in place of an MPI library's collectives. All calls go to the `PMPI_` names, so that tools which
//! intercept MPI see none of them.

mod channel;
mod combination;
mod error;
mod exchange_window;
mod executor;
mod layout;
mod message;

pub use channel::MpiChannel;
pub use combination::LocalOperation;
pub use error::MpiError;
pub use executor::ReadyRound;
pub use layout::{MemoryLayout, PartPlaces, PieceAddresses, SegmentOrder};
