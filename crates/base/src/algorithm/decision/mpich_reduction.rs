//! Decisions of MPICH 4.0 for reductions and barriers, where no ranks share a node or all do.
//!
//! Sizes are those of the whole vector.
//!
//! # Source
//! The generic selection tree in the library of MPICH 4.0.2, which ran these algorithms among 3 to 12 processes.

use super::{ConditionalRule, RuleCondition as If};

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

/// First size of a vector that is exchanged in pairs.
const LONG_VECTOR: u64 = 512 << 10;
