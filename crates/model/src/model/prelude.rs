//! The names that the file of a formula needs: the entry of a model with its words and its
//! example, the network, and the quantities.

pub(super) use netsig_base::algorithm::Collective;
pub(super) use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

pub(super) use super::case::{Known, Timed};
pub(super) use super::entry::{Inputs, Model};
pub(super) use super::error::ModelError;
pub(super) use super::examples::{Example, FAST_ETHERNET, GIGABIT_ETHERNET, ROUND, Setting};
pub(super) use super::hockney::Hockney;
pub(super) use super::plogp::PLogP;
pub(super) use super::words::{Estimator, Kind, Need, Parameter, Role, Subject};
