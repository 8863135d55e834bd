//! How a model is fitted.

use crate::fit::Covariance;
use crate::fit::hockney::BaseError;
use crate::units::Bytes;

/// Where the threshold comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThresholdChoice {
    /// The measured size that explains the data best.
    #[default]
    Search,
    /// Given by the user.
    At(Bytes),
    /// The network has none: what counts on all sizes alone.
    None,
}

/// What becomes of a supplement (δ) that the data do not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeltaRule {
    /// It is dropped.
    #[default]
    Tested,
    /// It stays, whatever its value.
    Kept,
}

/// How many points it takes on either side of M.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SidePoints {
    /// m < M; one is enough where M is given.
    pub below: usize,
    /// m ≥ M.
    pub from: usize,
}

impl Default for SidePoints {
    fn default() -> Self {
        Self { below: 2, from: 4 }
    }
}

/// What becomes of process counts that do not saturate the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unsaturated {
    /// They are left out, and the rest fitted again.
    #[default]
    LeftOut,
    /// They stay.
    Kept,
}

/// How to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The covariance of the errors.
    pub covariance: Covariance,
    /// Where M comes from.
    pub threshold: ThresholdChoice,
    /// How many points M needs below it and from it on.
    pub least: SidePoints,
    /// Whether an unsupported δ is dropped.
    pub delta: DeltaRule,
    /// What becomes of process counts that do not saturate the network, in a signature.
    pub unsaturated: Unsaturated,
    /// How uncertain α and β are; `None` takes them as exact. It enters the intervals of a
    /// signature's γ and δ by the delta method, but not their covariance: in a prediction an error
    /// of α or β is undone by the γ that was fitted on top of it.
    pub base_error: Option<BaseError>,
    /// The level of all intervals and tests.
    pub confidence: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            covariance: Covariance::default(),
            threshold: ThresholdChoice::default(),
            least: SidePoints::default(),
            delta: DeltaRule::default(),
            unsaturated: Unsaturated::default(),
            base_error: None,
            confidence: 0.95,
        }
    }
}
