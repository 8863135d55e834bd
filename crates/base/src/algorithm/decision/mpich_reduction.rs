//! Decisions of MPICH 4.0 for reductions and barriers, where no ranks share a node or all do.
//!
//! Sizes are those of the whole vector. A forced algorithm that cannot serve a call ends the job, or leaves the call to
//! the rules if `MPIR_CVAR_COLLECTIVE_FALLBACK` is `silent`.
//!
//! # Source
//! The generic selection tree in the library of MPICH 4.0.2, which ran these algorithms among 3 to 12 processes.

use super::{AlgorithmFallback, ConditionalRule, RuleCondition as If};
use crate::algorithm::Collective::{Allreduce, Reduce, ReduceScatterBlock};

/// Rules for `MPI_Allreduce`.
pub(super) const MPICH_ALLREDUCE: &[ConditionalRule] = &[
    (&[If::Empty, If::Commutes], "smp"),
    (&[If::AtMost(8)], "recursive_doubling"),
    (&[If::UserDefined], "recursive_doubling"),
    (&[If::FewerElementsThanPower], "recursive_doubling"),
    (&[], "reduce_scatter_allgather"),
];

/// Rules for `MPI_Reduce`.
pub(super) const MPICH_REDUCE: &[ConditionalRule] = &[
    (&[If::Empty, If::Commutes], "smp"),
    (&[If::AtMost(2048)], "binomial"),
    (&[If::UserDefined], "binomial"),
    (&[If::FewerElementsThanPower], "binomial"),
    (&[], "reduce_scatter_gather"),
];

/// Rules for `MPI_Reduce_scatter`.
pub(super) const MPICH_REDUCE_SCATTER: &[ConditionalRule] = &[
    (&[If::Commutes, If::Below(LONG_VECTOR)], "recursive_halving"),
    (&[If::Commutes], "pairwise"),
    (&[If::PowerOfTwo, If::EqualBlocks], "noncommutative"),
    (&[], "recursive_doubling"),
];

/// Rules for `MPI_Reduce_scatter_block`.
pub(super) const MPICH_REDUCE_SCATTER_BLOCK: &[ConditionalRule] = &[
    (&[If::Commutes, If::Below(LONG_VECTOR)], "recursive_halving"),
    (&[If::Commutes], "pairwise"),
    (&[If::PowerOfTwo], "noncommutative"),
    (&[], "recursive_doubling"),
];

/// Rules for `MPI_Barrier`.
pub(super) const MPICH_BARRIER: &[ConditionalRule] = &[(&[], "dissemination")];

/// Forced algorithms that leave calls to the rules. A reduce-scatter that keeps the order of operands ends the job.
pub(super) const MPICH_FALLBACKS: &[AlgorithmFallback] = &[
    AlgorithmFallback::new(Allreduce, "reduce_scatter_allgather", If::FewerElementsThanPower),
    AlgorithmFallback::new(Reduce, "reduce_scatter_gather", If::FewerElementsThanPower),
    AlgorithmFallback::new(ReduceScatterBlock, "noncommutative", If::OtherCount),
];

/// First size of a vector that is exchanged in pairs.
const LONG_VECTOR: u64 = 512 << 10;
