//! Files that make other software use a profile, one file of this folder for each consumer.

pub mod loggopsim;
mod origin;
pub mod simgrid;
