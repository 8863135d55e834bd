//! Why a model gives no time, or is none.

use super::Model;
use crate::units::parameter::ParameterError;

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
    /// The formula gives what is no time.
    #[error("{model} gives {time} s, which is no time; its parameters do not suit this network")]
    Impossible {
        /// Which model.
        model: &'static str,
        /// What it gives.
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

/// No model of `known` is called `name`.
pub(super) fn unknown(
    name: &str,
    of: String,
    known: impl Iterator<Item = &'static Model>,
) -> ModelError {
    let mut names: Vec<&str> = known.map(|model| model.name).collect();
    names.sort_unstable();
    names.dedup();
    ModelError::Unknown {
        name: name.to_owned(),
        of,
        known: names.join(", "),
    }
}
