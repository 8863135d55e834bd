//! Fitted contention models in a common form for files, tables and predictions.
//!
//! A fit of an algorithm is a [`ContentionModel`]: the parameters with their covariance, and the domain of
//! the data. Made ready for predictions it is an [`AlgorithmForecast`]. Implementors are
//! [`FittedModel`], whose parameters are numbers by name, and the regimes ([`crate::regimes`]).

pub mod covariance;
pub mod domain;
pub mod error;
mod forecast;
mod model;
pub mod outside_domain;
pub mod prediction;
pub mod saturation;
pub mod statistic;

use std::fmt::Debug;

use nalgebra::DMatrix;
use netsig_base::algorithm::{Collective, PairSizes};

use self::domain::MeasuredDomain;
pub(crate) use self::forecast::ModelForecast;
pub use self::model::{ContentionFreeBase, FittedModel, ParameterValue, Residuals};
use self::outside_domain::OutsideDomain;
use self::prediction::{PortOverflow, Prediction};
use crate::model::regimes::TimeDistribution;
use crate::model::{Case, Model, ModelError};

/// A contention model that was fitted to one algorithm, as a profile stores it.
pub trait ContentionModel {
    /// Entry of the model in the list of models.
    fn entry(&self) -> &'static Model;

    /// The collective that was measured.
    fn collective(&self) -> Option<Collective>;

    /// Algorithm that ran the collective.
    fn algorithm(&self) -> &str;

    /// The measured process counts and sizes.
    fn domain(&self) -> &MeasuredDomain;

    /// The values by name of the parameter, in the order of tables.
    fn parameters(&self) -> Vec<(String, ParameterValue)>;

    /// Names of the estimated parameters, and their covariance in the units of the parameters.
    fn covariance(&self) -> (Vec<&str>, &DMatrix<f64>);

    /// Standard deviations of ln(T/T̂) at process counts left out of the fit, by kind of cell; empty if
    /// none was left out.
    fn left_out_errors(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Refuses values that no fit returns and no prediction can use.
    ///
    /// # Errors
    /// If a value is impossible; the error names the key and the fault.
    fn check(&self) -> Result<(), String>;
}

/// Predictions for an algorithm by one contention model; given parameters replace fitted ones.
pub trait AlgorithmForecast: Debug + Send + Sync {
    /// Predicts a case.
    ///
    /// # Errors
    /// The errors of [`Model::time`].
    fn predict(&self, case: Case) -> Result<Prediction, ModelError>;

    /// Reason why a case is too far from the data of the fit, if it is; `None` without a fit.
    fn reason_outside(&self, case: Case) -> Option<OutsideDomain>;

    /// Distribution of the times of single repetitions; `None` for a model that has none.
    fn distribution(&self, _case: Case) -> Option<TimeDistribution> {
        None
    }

    /// M(n), as far as it is known: size from which the eager messages of an exchange among the processes of a case
    /// overflow ports or, between clusters, a link. `None` for other cases.
    fn overflow(&self, _case: Case) -> Option<PortOverflow> {
        None
    }

    /// False for settings that a choice must not try. These are segments that may fill a port up to its overflow,
    /// relayed or segmented messages that ask for permission, and a radix that relays nothing.
    fn is_selectable(&self, _case: Case) -> bool {
        true
    }

    /// The times of an exchange with these sizes; `None` for a model of pieces of one size.
    fn with_pair_sizes<'p>(self: Box<Self>, _pairs: &'p PairSizes) -> Option<Box<dyn AlgorithmForecast + 'p>>
    where
        Self: 'p,
    {
        None
    }
}
