//! netsig-base: quantities, texts, statistics, networks, schedules, algorithms and data. The crate
//! uses no clock, process, file or network.
//!
//! Layers, each using only those before it: units, text, stats, network, schedule, algorithm,
//! data. `cargo xtask tidy` checks it.

#![forbid(unsafe_code)]

#[cfg(test)]
extern crate self as netsig_base;

pub mod algorithm;
pub mod data;
pub mod network;
pub mod schedule;
pub mod stats;
#[cfg(test)]
mod testing;
pub mod text;
pub mod units;
