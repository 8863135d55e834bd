//! Why a model gives no time, or is none.

use crate::units::parameter::ParameterError;
use crate::units::{Procs, Seconds};

/// Why a model gives no time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A number is not allowed.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The model needs what is not known.
    #[error("{model} needs {what}; {remedy}")]
    Missing {
        /// Which model.
        model: &'static str,
        /// What is missing.
        what: String,
        /// How to give it.
        remedy: &'static str,
    },
    /// The network is too small.
    #[error(
        "network {network} has {hosts} hosts for {procs} processes; choose a larger one or fewer processes"
    )]
    TooFewHosts {
        /// Its name.
        network: String,
        /// Its hosts.
        hosts: Procs,
        /// The processes of the case.
        procs: Procs,
    },
    /// The formula gives what is no time.
    #[error("{model} gives {time}, which is no time; its parameters do not suit this network")]
    Impossible {
        /// Which model.
        model: &'static str,
        /// The value of its formula.
        time: String,
    },
    /// No model of that name.
    #[error("{name:?} is not a model{of}; write one of: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Of what, with a leading " of "; empty for any.
        of: String,
        /// What there is.
        known: String,
    },
}

/// `time`, if it is one.
///
/// # Errors
/// If it is negative or not finite.
pub(crate) fn possible(model: &'static str, time: Seconds) -> Result<Seconds, ModelError> {
    if time.0.is_finite() && time.0 >= 0.0 {
        return Ok(time);
    }
    Err(ModelError::Impossible {
        model,
        time: time.to_string(),
    })
}
