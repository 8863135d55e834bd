//! The words that describe a model: its subject, its kind, its needs, its parameters.

use derive_more::Display;

use crate::algorithm::Collective;
use crate::model::signature::Form;

/// What a model is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Subject {
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

/// What the time of a model means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Kind {
    /// No schedule can be faster that keeps to the domain.
    #[display("lower bound")]
    LowerBound,
    /// The time without contention.
    #[display("contention-free")]
    ContentionFree,
    /// The time under contention.
    #[display("contention")]
    Contention,
    /// The algorithm is not slower.
    #[display("upper bound")]
    UpperBound,
}

/// What a model takes from a profile, besides parameters of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Need {
    /// α and β.
    #[display("α, β")]
    Hockney,
    /// L, g(m), os(m), or(m).
    #[display("L, g(m), os(m), or(m)")]
    PLogP,
    /// The links of the network.
    #[display("the links of the network (--network)")]
    Network,
}

/// What becomes of a parameter when a model is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Role {
    /// The time is linear in it; it is estimated, and not below this value.
    Linear(f64),
    /// As linear, and where it has a value it counts below the threshold in the place of those
    /// that are linear.
    Below(f64),
    /// As linear from zero on, and it counts from the threshold on.
    Supplement,
    /// The size from which on another parameter counts; searched among the sizes.
    Threshold,
    /// A whole number from 1 on; searched among the possible.
    Count,
    /// Not estimated: given, or its default.
    Given,
}

impl Role {
    /// Whether the time is linear in the parameter and a fit estimates it.
    pub fn is_estimated(self) -> bool {
        matches!(self, Self::Linear(_) | Self::Below(_) | Self::Supplement)
    }
}

/// A parameter of a model's own.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in profiles and options; the suffix says the unit.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
    /// What a fit does with it.
    pub role: Role,
    /// What it is unless fitted or given.
    pub default: Option<f64>,
}

impl Parameter {
    /// A parameter that no fit estimates.
    pub(super) const fn given(
        name: &'static str,
        meaning: &'static str,
        default: Option<f64>,
    ) -> Self {
        Self {
            name,
            meaning,
            role: Role::Given,
            default,
        }
    }
}

/// How the parameters of a model are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// It has none.
    None,
    /// As a contention signature of this form.
    Signature(Form),
    /// By the roles of its parameters.
    ByRole,
    /// From the repetitions of all algorithms together, as contention regimes.
    Regimes,
    /// The latency L(m) that is left over (T − (n−1)·g(m)) at every size.
    Latency,
}
