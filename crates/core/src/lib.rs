//! netsig-core: quantities, data, models of contention, their fits, and algorithms as schedules.
//! The crate uses no clock, process, file or network.
//!
//! Layers, each using only those before it: units, text, stats, network, schedule, algorithm,
//! data, model, fit, profile, predict, tune, sim, simulate. `cargo xtask tidy` checks it.

#![forbid(unsafe_code)]

pub mod algorithm;
pub mod data;
pub mod fit;
pub mod model;
pub mod network;
pub mod predict;
pub mod profile;
pub mod schedule;
pub mod sim;
pub mod simulate;
pub mod stats;
pub mod text;
pub mod tune;
pub mod units;
