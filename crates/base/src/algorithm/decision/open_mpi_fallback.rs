//! What Open MPI 4.1 and 5.0 run in place of the algorithm that the rules name.
//!
//! # Source
//! The algorithms of Open MPI 4.1.4, which called these functions.

use super::{AlgorithmFallback, RuleCondition as If};
use crate::algorithm::Collective::{self, Allreduce, Bcast, Reduce, ReduceScatter, ReduceScatterBlock, Scatter};
use crate::algorithm::{AlgorithmTraffic, ReductionForm};

/// Algorithms that hand calls on to others, in the order in which they do so. The rules call the segmented ring without
/// segments, so that it never runs by them.
pub(super) const OPEN_MPI_FALLBACKS: &[AlgorithmFallback] = &[
    AlgorithmFallback::new(Allreduce, "rabenseifner", If::FewerElementsThanPower).to("basic_linear"),
    AlgorithmFallback::new(Allreduce, "rabenseifner", If::KeepsOrder).to("basic_linear"),
    AlgorithmFallback::new(Allreduce, "segmented_ring", If::FewerElementsThanSegments).to("ring"),
    AlgorithmFallback::new(Allreduce, "ring", If::FewerElementsThanRanks).to("recursive_doubling"),
    AlgorithmFallback::new(Reduce, "rabenseifner", If::FewerElementsThanPower).to("linear"),
    AlgorithmFallback::new(Reduce, "rabenseifner", If::KeepsOrder).to("linear"),
    AlgorithmFallback::new(ReduceScatterBlock, "recursive_halving", If::KeepsOrder).to("basic_linear"),
    AlgorithmFallback::new(ReduceScatterBlock, "recursive_doubling", If::TooManyElements).to("basic_linear"),
];

/// Algorithms that call other collectives of the communicator, by their rules: a reduce, and then a broadcast or scatter.
/// A scatter of blocks that differ is left out, since no rules of it are known.
pub(super) const OPEN_MPI_CALLS: &[(Collective, &str, &[Collective])] = &[
    (Allreduce, "nonoverlapping", &[Reduce, Bcast]),
    (ReduceScatter, "non-overlapping", &[Reduce]),
    (ReduceScatterBlock, "basic_linear", &[Reduce, Scatter]),
];

/// Traffic of algorithms that the rules call without segments and with one chain.
pub(super) const OPEN_MPI_ONE_CHAIN: &[(Collective, &str, AlgorithmTraffic)] = &[
    (Reduce, "chain", AlgorithmTraffic::Reduction(ReductionForm::ReduceChain)),
    (
        Reduce,
        "pipeline",
        AlgorithmTraffic::Reduction(ReductionForm::ReduceChain),
    ),
];
