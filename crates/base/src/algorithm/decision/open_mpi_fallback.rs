//! What Open MPI 4.1 and 5.0 run in place of the algorithm that the rules name.
//!
//! # Source
//! The algorithms of Open MPI 4.1.4, which called these functions.

use super::{AlgorithmFallback, RuleCondition};
use crate::algorithm::Collective::{self, Allreduce, Reduce, ReduceScatter, ReduceScatterBlock};
use crate::algorithm::{AlgorithmTraffic, ReductionForm};

/// Algorithms that hand calls on to others, in the order in which they do so. The rules call the segmented ring without
/// segments, so that it never runs by them.
pub(super) const OPEN_MPI_FALLBACKS: &[AlgorithmFallback] = &[
    refused(
        Allreduce,
        "rabenseifner",
        RuleCondition::FewerElementsThanPower,
        "basic_linear",
    ),
    refused(Allreduce, "rabenseifner", RuleCondition::KeepsOrder, "basic_linear"),
    refused(
        Allreduce,
        "segmented_ring",
        RuleCondition::FewerElementsThanSegments,
        "ring",
    ),
    refused(
        Allreduce,
        "ring",
        RuleCondition::FewerElementsThanRanks,
        "recursive_doubling",
    ),
    refused(Reduce, "rabenseifner", RuleCondition::FewerElementsThanPower, "linear"),
    refused(Reduce, "rabenseifner", RuleCondition::KeepsOrder, "linear"),
    refused(
        ReduceScatterBlock,
        "recursive_halving",
        RuleCondition::KeepsOrder,
        "basic_linear",
    ),
    refused(
        ReduceScatterBlock,
        "recursive_doubling",
        RuleCondition::TooManyElements,
        "basic_linear",
    ),
];

const fn refused(
    collective: Collective,
    chosen: &'static str,
    condition: RuleCondition,
    instead: &'static str,
) -> AlgorithmFallback {
    AlgorithmFallback {
        collective,
        chosen,
        condition,
        instead,
    }
}

/// Algorithms that call the reduce of the communicator, by its rules, and then a broadcast or scatter.
pub(super) const OPEN_MPI_CALLS_REDUCE: &[(Collective, &str)] = &[
    (Allreduce, "nonoverlapping"),
    (ReduceScatter, "non-overlapping"),
    (ReduceScatterBlock, "basic_linear"),
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
