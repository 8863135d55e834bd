//! What fits produce and predictions need: one TOML file per network (FORMATS.md).
//!
//! The structs of this file are the domain's; its private `wire` module is what stands in the file.

mod regimes;
mod wire;

pub(crate) use self::regimes::find as find_regimes;
pub use self::regimes::{Choice, KindError, RegimesEntry};

use nalgebra::DMatrix;

use crate::algorithm::Collective;
use crate::data::Provenance;
use crate::fit::Point;
use crate::fit::breakpoints::EagerLimit;
use crate::fit::flows::Flows;
use crate::fit::hockney::HockneyFit;
use crate::fit::saturation::Saturation;
use crate::fit::signature::{Parameter, Residuals, ThresholdEstimate};
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::signature::Signature;
use crate::registry::{Model, Need, Network, Values};
use crate::stats::interval::{Estimate, Student};
use crate::text::file_error::FileError;
use crate::units::{Bytes, Procs, SecondsPerByte};

/// The version of the format that this netsig writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// The fitted models of one network.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Where the profile and its data come from.
    pub provenance: Provenance,
    /// Point-to-point parameters.
    pub hockney: HockneyEntry,
    /// L, g(m), os(m), or(m), where they are known.
    pub plogp: Option<PLogP>,
    /// What the protocol of the MPI library was seen to do.
    pub protocol: Option<ProtocolEntry>,
    /// What simultaneous transfers between disjoint pairs told.
    pub flows: Option<FlowsEntry>,
    /// Contention signatures, one for each collective and algorithm.
    pub signatures: Vec<SignatureEntry>,
    /// Other models with fitted parameters.
    pub models: Vec<ModelEntry>,
    /// The regimes of each algorithm, one for each class of process counts.
    pub regimes: Vec<RegimesEntry>,
    /// Which model a fit chose for each algorithm.
    pub choices: Vec<Choice>,
}

/// α and β with their intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HockneyEntry {
    /// The model.
    pub model: Hockney,
    /// α in seconds.
    pub alpha: Estimate,
    /// β in seconds per byte.
    pub beta: Estimate,
    /// Standard deviation of the relative residuals.
    pub residual: f64,
}

/// Between which sizes the eager limit lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolEntry {
    /// A message of this size is still sent at once.
    pub eager_above: Bytes,
    /// One of this size no longer is.
    pub eager_up_to: Bytes,
}

/// The gaps of free and of delayed transfers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowsEntry {
    /// `β_F`: of a transfer that is alone.
    pub beta_free: SecondsPerByte,
    /// `β_C`: of one that others delay.
    pub beta_contended: SecondsPerByte,
    /// ρ: the share of delayed transfers, from 0 to 1.
    pub rho: f64,
    /// The number of pairs that saturates the network, where it was reached.
    pub saturated_pairs: Option<u32>,
}

/// What a fit has seen; beyond it a prediction is an extrapolation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// The process counts, ascending.
    pub procs: Vec<Procs>,
    /// The smallest size.
    pub smallest: Bytes,
    /// The largest size.
    pub largest: Bytes,
}

/// A contention signature with its uncertainty.
#[derive(Debug, Clone, PartialEq)]
pub struct SignatureEntry {
    /// The collective that was measured.
    pub collective: Collective,
    /// Who ran it: an algorithm of netsig, or `library`.
    pub algorithm: String,
    /// The model.
    pub signature: Signature,
    /// The level of the intervals and the degrees of freedom.
    pub student: Student,
    /// The estimated parameters in the order of `covariance`.
    pub parameters: Vec<(Parameter, Estimate)>,
    /// Their covariance; γ is a pure number, δ is in seconds.
    pub covariance: DMatrix<f64>,
    /// What the fit assumed of the errors: the name of a covariance choice.
    pub errors: String,
    /// M, where there is one.
    pub threshold: Option<ThresholdEstimate>,
    /// How far the fitted points lie from the model, in relative terms.
    pub residuals: Residuals,
    /// Whether γ still grows with n.
    pub saturation: Saturation,
    /// What was measured.
    pub domain: Domain,
}

/// A model of the registry with the parameters that a fit gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelEntry {
    /// The model.
    pub model: &'static Model,
    /// The collective that was measured.
    pub collective: Collective,
    /// Who ran it.
    pub algorithm: String,
    /// All of its parameters.
    pub values: Values,
    /// Those that were estimated, by their place, in the order of `covariance`.
    pub estimates: Vec<(usize, Estimate)>,
    /// Their covariance.
    pub covariance: DMatrix<f64>,
    /// The level of the intervals and the degrees of freedom.
    pub student: Student,
    /// How far the fitted points lie from the model, in relative terms.
    pub residual: f64,
    /// What the fit assumed of the errors: the name of a covariance choice.
    pub errors: String,
    /// What the parameters were fitted on top of.
    pub base: Base,
    /// What was measured.
    pub domain: Domain,
}

/// What the parameters of a model were fitted on top of; predictions take the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Base {
    /// α and β, which also stood for pLogP.
    #[default]
    Hockney,
    /// The pLogP tables of the profile.
    Tables,
}

impl Base {
    /// What a fit of `model` draws on where `tables` are known.
    pub fn of(model: &Model, tables: Option<&PLogP>) -> Self {
        match tables {
            Some(_) if model.needs.contains(&Need::PLogP) => Self::Tables,
            _ => Self::Hockney,
        }
    }
}

impl Domain {
    /// The domain of fitted points; `None` if there are none.
    pub fn of(points: &[Point]) -> Option<Self> {
        let mut procs: Vec<Procs> = points.iter().map(|p| p.procs).collect();
        procs.sort_unstable();
        procs.dedup();
        let sizes = || points.iter().map(|p| p.size);
        Some(Self {
            procs,
            smallest: sizes().min()?,
            largest: sizes().max()?,
        })
    }
}

impl From<&HockneyFit> for HockneyEntry {
    fn from(fit: &HockneyFit) -> Self {
        Self {
            model: fit.model,
            alpha: fit.alpha,
            beta: fit.beta,
            residual: fit.residual,
        }
    }
}

impl From<&EagerLimit> for ProtocolEntry {
    fn from(limit: &EagerLimit) -> Self {
        Self {
            eager_above: limit.above,
            eager_up_to: limit.up_to,
        }
    }
}

impl From<&Flows> for FlowsEntry {
    fn from(flows: &Flows) -> Self {
        Self {
            beta_free: flows.beta_free,
            beta_contended: flows.modes.beta_contended,
            rho: flows.modes.rho,
            saturated_pairs: flows.saturated_pairs,
        }
    }
}

impl SignatureEntry {
    /// The interval of one parameter, where it was estimated.
    pub fn parameter(&self, wanted: Parameter) -> Option<Estimate> {
        self.parameters
            .iter()
            .find(|(parameter, _)| *parameter == wanted)
            .map(|(_, estimate)| *estimate)
    }
}

impl Profile {
    /// Reads a profile; `name` is what errors call it.
    ///
    /// # Errors
    /// If it is no profile, of a newer version, or holds impossible values.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        wire::parse(name, text)
    }

    /// The profile as TOML text.
    pub fn to_toml(&self) -> String {
        wire::to_toml(self)
    }

    /// What models know of the network; where pLogP was not measured it follows from α and
    /// β, see [`PLogP::from_hockney`].
    pub fn network(&self) -> Network {
        let hockney = self.hockney.model;
        let plogp = self.plogp.clone();
        Network {
            hockney,
            plogp: plogp.unwrap_or_else(|| PLogP::from_hockney(&hockney)),
            signature: None,
            tree: None,
        }
    }

    /// A fitted model of an algorithm.
    pub fn model(&self, model: &Model, algorithm: &str) -> Option<&ModelEntry> {
        self.models
            .iter()
            .find(|entry| entry.model == model && entry.algorithm == algorithm)
    }

    /// The signature of an algorithm.
    pub fn signature(&self, collective: Collective, algorithm: &str) -> Option<&SignatureEntry> {
        self.signatures
            .iter()
            .find(|entry| entry.collective == collective && entry.algorithm == algorithm)
    }
}
