//! The names that the file of a formula needs: the entry of a model, its properties and its example, the network, and
//! the quantities.

pub(super) use netsig_base::algorithm::Collective;
pub(super) use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

pub(super) use super::case::{KnownNetwork, ModelTime};
pub(super) use super::entry::{FormulaInputs, Model};
pub(super) use super::error::ModelError;
pub(super) use super::examples::{ExampleNetwork, FAST_ETHERNET, GIGABIT_ETHERNET, ROUND_NUMBERS, WorkedExample};
pub(super) use super::hockney::Hockney;
pub(super) use super::plogp::PLogP;
pub(super) use super::properties::{
    ModelEstimator, ModelInput, ModelKind, ModelParameter, ModelSubject, ParameterRole,
};
