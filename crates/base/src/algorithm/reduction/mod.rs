//! Reductions: the vectors of all ranks, combined element by element. Vectors are cut between elements.
//!
//! n ranks, Q = 2^ℓ the largest power of two ≤ n, r = n − Q. Algorithms in steps of powers of two first fold: of the ranks
//! 0 … 2r−1 each pair (2i, 2i+1) becomes number i, and every other rank k becomes k − r. One rank of a pair takes part in
//! the steps, the other one waits for the result.
//!
//! # Source
//! Thakur, Rabenseifner, Gropp 2005 (IJHPCA); Rabenseifner 2004 (ICCS); Patarasuk and Yuan 2009 (JPDC); Träff 2005
//! (EuroPVM/MPI). The folds, the order of the operands and the cuts are those of Open MPI 4.1.4 and MPICH 4.0.2.

pub(super) mod butterfly;
pub(super) mod composed;
pub(super) mod direct;
pub(super) mod doubling;
mod folded_ranks;
pub(super) mod halving;
pub(super) mod in_order;
mod operands;
mod ordered_exchange;
mod pairs;
pub(super) mod pairwise;
mod path;
pub(super) mod rabenseifner;
pub(super) mod ring;
#[cfg(test)]
mod tests;
pub(super) mod tree;

use std::ops::Range;

pub use operands::{ElementType, ReductionOperands, ReductionOperation, UnknownOperands};
pub use pairs::OperandPairs;
pub use path::{CriticalPath, PathStep, ReducedVector};

use super::{AlgorithmEntry, Collective, OfferedAlgorithm};
use crate::schedule::{BlockCombination, BlockCopy, BlockSlot, PieceDivision, Round, ScheduleMessage};
use crate::units::{Bytes, Procs, Rank};

/// Segments of a vector: of ⌊S/e⌋ elements, one more if the rest is more than half an element. Segments shorter than
/// an element leave the vector whole.
pub(super) fn segment_elements(size: Bytes, element: Bytes, segment: Bytes) -> PieceDivision {
    match elements_of_segment(element, segment) {
        0 => PieceDivision::whole(size),
        elements => PieceDivision::segments(size, Bytes(elements.saturating_mul(element.0))),
    }
}

/// Number of phases of a segmented ring: c div nq with q elements in a segment, at least 1. A rest of at least n elements
/// that is more than ⌊nq/2⌋ has a phase of its own.
pub(super) fn ring_phases(procs: Procs, size: Bytes, element: Bytes, segment: Bytes) -> u32 {
    let ranks = u64::from(procs.get());
    let elements = size.0 / element.0.max(1);
    let is_cut = element <= segment && segment < size;
    let of_segment = if is_cut {
        elements_of_segment(element, segment)
    } else {
        elements
    };
    let of_phase = of_segment.saturating_mul(ranks).max(1);
    let rest = elements % of_phase;
    let further = u64::from(rest >= ranks && rest > of_phase / 2);
    u32::try_from(elements / of_phase + further).unwrap_or(u32::MAX).max(1)
}

/// q; 0 if a segment has no room for an element.
pub(super) fn elements_of_segment(element: Bytes, segment: Bytes) -> u64 {
    let bytes = element.0.max(1);
    let (whole, rest) = (segment.0 / bytes, segment.0 % bytes);
    if whole == 0 {
        0
    } else {
        whole + u64::from(rest > bytes / 2)
    }
}

/// The entry of `MPI_Reduce_scatter_block` for an algorithm of `MPI_Reduce_scatter`, with its names in libraries.
const fn of_equal_blocks(entry: &AlgorithmEntry, offered: &'static [OfferedAlgorithm]) -> AlgorithmEntry {
    AlgorithmEntry {
        collective: Collective::ReduceScatterBlock,
        offered,
        ..*entry
    }
}

/// A message of the parts `parts`, each at the place of `slot`.
fn message(partner: Rank, parts: &[u32], slot: impl Fn(u32) -> BlockSlot) -> ScheduleMessage {
    ScheduleMessage::of(partner, parts.iter().map(|&part| slot(part)))
}

/// Copies of the parts `parts` from the input to the place of `slot`.
fn copies(parts: &[u32], slot: impl Fn(u32) -> BlockSlot) -> impl Iterator<Item = BlockCopy> {
    parts.iter().map(move |&part| BlockCopy {
        from: BlockSlot::Input(part),
        to: slot(part),
    })
}

/// Combinations of the parts `parts`: `right` becomes left ∘ right.
fn combinations(
    parts: &[u32],
    left: impl Fn(u32) -> BlockSlot,
    right: impl Fn(u32) -> BlockSlot,
) -> impl Iterator<Item = BlockCombination> {
    parts.iter().map(move |&part| BlockCombination {
        left: left(part),
        right: right(part),
    })
}

/// The parts of a range.
fn all(parts: Range<u32>) -> Vec<u32> {
    parts.collect()
}

/// The only round of a lone rank, whose vector is the result.
fn lone_round(parts: u32) -> Round {
    Round {
        copies: copies(&all(0..parts), BlockSlot::Output).collect(),
        ..Round::default()
    }
}
