//! Errors of models.

use netsig_base::network::TooFewHosts;
use netsig_base::text::guess::guess;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Seconds;
use netsig_base::units::parameter::ParameterError;

/// Reason why a model gives no time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A number is not allowed.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// An input of the model is missing.
    #[error("{model} needs {what}; {remedy}")]
    Missing {
        /// Name of the model.
        model: &'static str,
        /// The missing input.
        what: String,
        /// Remedy as an imperative.
        remedy: &'static str,
    },
    /// The network has fewer hosts than the case has processes.
    #[error(transparent)]
    TooFewHosts(#[from] TooFewHosts),
    /// The result of the formula is negative or not finite.
    #[error("{model} gives {time}, which is no time; its parameters do not suit this network")]
    Impossible {
        /// Name of the model.
        model: &'static str,
        /// Result of the formula.
        time: String,
    },
    /// No model has this name.
    #[error("{name:?} is not a model{of}; {}write one of: {known}", guess(name, known))]
    Unknown {
        /// The name as given.
        name: String,
        /// Scope of the search with a leading " of "; empty for all models.
        of: String,
        /// Names of all models in the scope.
        known: String,
    },
}

/// A missing input, or a model that does not suit the network, is a fault of the data; others are
/// faults of the request.
impl From<ModelError> for Refusal {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Missing { .. } | ModelError::Impossible { .. } => Self::data(error),
            ModelError::Parameter(_) | ModelError::Unknown { .. } | ModelError::TooFewHosts(_) => Self::request(error),
        }
    }
}

/// Checks that a result is a time.
///
/// # Errors
/// If it is negative or not finite.
pub(crate) fn check_time(model: &'static str, time: Seconds) -> Result<Seconds, ModelError> {
    if time.0.is_finite() && time.0 >= 0.0 {
        return Ok(time);
    }
    Err(ModelError::Impossible {
        model,
        time: time.to_string(),
    })
}
