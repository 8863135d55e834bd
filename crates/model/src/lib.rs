//! netsig-model: models of collectives under contention, their fits, profiles, and what follows
//! from profiles: predictions, rankings, tuning files. The crate uses no clock, process, file or
//! network.
//!
//! Layers, each using only those before it: model, fit, profile, predict, tune. `cargo xtask tidy`
//! checks it.

#![forbid(unsafe_code)]

#[cfg(test)]
extern crate self as netsig_model;

pub mod fit;
pub mod model;
pub mod predict;
pub mod profile;
#[cfg(test)]
mod testing;
pub mod tune;
