//! The properties that describe a model: subject, kind, inputs, parameters.

use derive_more::Display;
use netsig_base::algorithm::Collective;

use crate::model::signature::SignatureForm;

/// Subject of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum ModelSubject {
    /// One message between two processes.
    #[display("message")]
    Message,
    /// A collective of n processes with m bytes.
    Collective(Collective),
    /// Any message exchange, as a digraph.
    #[display("exchange")]
    Exchange,
    /// A whole program.
    #[display("program")]
    Program,
}

/// Meaning of a model's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum ModelKind {
    /// No schedule within the domain is faster.
    #[display("lower bound")]
    LowerBound,
    /// The time without contention.
    #[display("contention-free")]
    ContentionFree,
    /// The time under contention.
    #[display("contention")]
    Contention,
    /// The algorithm is at least as fast.
    #[display("upper bound")]
    UpperBound,
}

/// Input of a model from a profile, besides its own parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum ModelInput {
    /// α and β.
    #[display("α, β")]
    Hockney,
    /// L, g(m), os(m), or(m).
    #[display("L, g(m), os(m), or(m)")]
    PLogP,
    /// ω.
    #[display("ω, the time of the operation on a byte, if it was measured")]
    Operation,
    /// The links of the network.
    #[display("the links of the network (--network)")]
    Network,
    /// The clusters of the processes, and the times of messages between them.
    #[display("the clusters of the processes (--clusters)")]
    Clusters,
    /// The signature of the all-to-all inside a cluster; without it, a model assumes no contention there.
    #[display("the signature of the clusters' own alltoall, if there is one")]
    Signature,
}

/// Role of a parameter in a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterRole {
    /// The time is linear in the parameter, which is estimated with this lower limit.
    Linear(f64),
    /// As `Linear`, but below the threshold only; a value replaces the linear parameters there.
    Below(f64),
    /// As `Linear` with the lower limit 0, but from the threshold on only.
    Supplement,
    /// Size from which on another parameter counts; searched among the sizes.
    Threshold,
    /// A whole number from 1 on; searched among the possible values.
    Count,
    /// Not estimated: given by the user, or the default.
    Given,
}

impl ParameterRole {
    /// True if the time is linear in the parameter and a fit estimates it.
    pub fn is_estimated(self) -> bool {
        matches!(self, Self::Linear(_) | Self::Below(_) | Self::Supplement)
    }
}

/// A parameter of a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelParameter {
    /// Name in profiles and options; the suffix is the unit.
    pub name: &'static str,
    /// Meaning in words.
    pub meaning: &'static str,
    /// Role in a fit.
    pub role: ParameterRole,
    /// Value unless fitted or given.
    pub default: Option<f64>,
}

impl ModelParameter {
    /// A parameter that no fit estimates.
    pub(super) const fn given(name: &'static str, meaning: &'static str, default: Option<f64>) -> Self {
        Self {
            name,
            meaning,
            role: ParameterRole::Given,
            default,
        }
    }
}

/// Estimator of a model's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelEstimator {
    /// No estimator.
    None,
    /// Estimated as a contention signature of this form.
    Signature(SignatureForm),
    /// Estimated by the roles of the parameters.
    ByRole,
    /// Estimated from the repetitions of all algorithms together, as contention regimes.
    Repetitions,
    /// Estimated as latency at every size: L(m) = T − (n−1)·g(m).
    Latency,
}
