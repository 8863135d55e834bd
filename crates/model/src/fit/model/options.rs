//! Options of the fit of a model.

use netsig_base::units::Bytes;

use crate::fit::Covariance;
use crate::fit::hockney::HockneyVariances;

/// Source of the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThresholdChoice {
    /// The measured size that explains the data best.
    #[default]
    Search,
    /// Given by the user.
    At(Bytes),
    /// The network has none: only parameters of all sizes are fitted.
    None,
}

/// Treatment of a supplement (δ) that the data do not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeltaRule {
    /// It is dropped.
    #[default]
    Tested,
    /// It stays, whatever its value.
    Kept,
}

/// Least numbers of points on either side of M.
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

/// Treatment of process counts that do not saturate the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnsaturatedRule {
    /// They are left out, and the others are fitted again.
    #[default]
    LeftOut,
    /// They stay.
    Kept,
}

/// Options of the fit of a model to points.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFitOptions {
    /// The covariance of the errors.
    pub covariance: Covariance,
    /// Source of M.
    pub threshold: ThresholdChoice,
    /// Least numbers of points below M and from M on.
    pub least_points: SidePoints,
    /// Treatment of an unsupported δ.
    pub delta: DeltaRule,
    /// Treatment of process counts that do not saturate the network, in a signature.
    pub unsaturated: UnsaturatedRule,
    /// Variances of α and β; `None` takes them as exact. They enter the intervals of a signature's γ and δ by the delta
    /// method. They do not enter the covariance, because in a prediction the γ fitted on top of α and β compensates
    /// their errors.
    pub hockney_variances: Option<HockneyVariances>,
    /// The level of all intervals and tests.
    pub confidence: f64,
}

impl Default for ModelFitOptions {
    fn default() -> Self {
        Self {
            covariance: Covariance::default(),
            threshold: ThresholdChoice::default(),
            least_points: SidePoints::default(),
            delta: DeltaRule::default(),
            unsaturated: UnsaturatedRule::default(),
            hockney_variances: None,
            confidence: 0.9,
        }
    }
}
