//! Barriers, as messages without data.
//!
//! * Dissemination: in step k a signal goes from rank v to rank v+2^k.
//! * Tree: up the binomial tree and down again.
//! * Recursive doubling: rank Q+i signals to rank i; in step k ranks v and v xor 2^k exchange signals; back to rank Q+i. Q is
//!   the largest power of two ≤ n.
//! * Flat: all ranks signal to rank 0, and rank 0 to all.
//! * Double ring: a signal goes twice round.
//!
//! # Source
//! Hensgen, Finkel, Manber 1988 (Int. J. Parallel Programming) for dissemination; Open MPI 4.1.4 for the others.

use super::allgather::fold_partners;
use super::offer::{intel, mpich, tuned};
use super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::tree::BINOMIAL;
use super::{AlgorithmEntry, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape};
use crate::schedule::{Round, ScheduleMessage};
use crate::units::Rank;

const fn traffic(form: ReductionForm) -> AlgorithmTraffic {
    AlgorithmTraffic::Reduction(form)
}

pub(super) const DISSEMINATION: AlgorithmEntry = AlgorithmEntry {
    name: "dissemination",
    collective: Collective::Barrier,
    summary: "ceil(log2 n) rounds: a signal to rank i+2^x",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(dissemination_outline, dissemination),
    traffic: Some(traffic(ReductionForm::Dissemination)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Dissemination)),
    offered: &[
        tuned(4, "bruck", Some(traffic(ReductionForm::Dissemination))),
        mpich("dissemination", Some(traffic(ReductionForm::Dissemination))),
        intel(1, "dissemination", Some(traffic(ReductionForm::Dissemination))),
    ],
};

pub(super) const TREE: AlgorithmEntry = AlgorithmEntry {
    name: "tree",
    summary: "signals up the binomial tree and down again",
    rounds: &RoundFunctions(tree_outline, tree),
    traffic: Some(traffic(ReductionForm::BarrierTree)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::BarrierTree)),
    offered: &[
        tuned(6, "tree", Some(traffic(ReductionForm::BarrierTree))),
        intel(5, "binomial", Some(traffic(ReductionForm::BarrierTree))),
    ],
    ..DISSEMINATION
};

pub(super) const RECURSIVE_DOUBLING: AlgorithmEntry = AlgorithmEntry {
    name: "recursive-doubling",
    summary: "exchanges of signals with rank i xor 2^x",
    rounds: &RoundFunctions(doubling_outline, doubling),
    traffic: Some(traffic(ReductionForm::BarrierDoubling)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::BarrierDoubling)),
    offered: &[
        tuned(3, "recursive_doubling", Some(traffic(ReductionForm::BarrierDoubling))),
        intel(2, "recursive_doubling", Some(traffic(ReductionForm::BarrierDoubling))),
    ],
    ..DISSEMINATION
};

pub(super) const FLAT: AlgorithmEntry = AlgorithmEntry {
    name: "flat",
    summary: "all ranks signal to rank 0, and rank 0 to all",
    rounds: &RoundFunctions(flat_outline, flat),
    traffic: Some(traffic(ReductionForm::BarrierFlat)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::BarrierFlat)),
    offered: &[tuned(1, "linear", Some(traffic(ReductionForm::BarrierFlat)))],
    ..DISSEMINATION
};

pub(super) const DOUBLE_RING: AlgorithmEntry = AlgorithmEntry {
    name: "double-ring",
    summary: "a signal goes twice from each rank to the next",
    rounds: &RoundFunctions(ring_outline, ring),
    traffic: Some(traffic(ReductionForm::DoubleRing)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::DoubleRing)),
    offered: &[tuned(2, "double_ring", Some(traffic(ReductionForm::DoubleRing)))],
    ..DISSEMINATION
};

/// A message without data.
pub(super) fn signal(partner: Rank) -> ScheduleMessage {
    ScheduleMessage::of(partner, [])
}

fn outline(rounds: usize) -> ScheduleOutline {
    ScheduleOutline {
        longest_message: 0,
        ..ScheduleOutline::without_relays(rounds)
    }
}

/// A round with at most one signal each way.
fn round(to: Option<Rank>, from: Option<Rank>) -> Round {
    Round {
        sends: to.map(signal).into(),
        receives: from.map(signal).into(),
        ..Round::default()
    }
}

fn dissemination_outline(shape: ScheduleShape) -> ScheduleOutline {
    outline(shape.procs.ceil_log2() as usize)
}

fn dissemination(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let (procs, distance) = (shape.procs, 1 << index);
    round(
        Some(rank.successor(distance, procs)),
        Some(rank.predecessor(distance, procs)),
    )
}

fn tree_outline(shape: ScheduleShape) -> ScheduleOutline {
    outline(2 * BINOMIAL.rounds(shape.procs))
}

fn tree(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let (procs, rounds) = (shape.procs, BINOMIAL.rounds(shape.procs));
    let is_upwards = index < rounds;
    let downwards = if is_upwards { rounds - 1 - index } else { index - rounds };
    let children = BINOMIAL.children_in(procs, rank, downwards).map(signal).collect();
    let parent = BINOMIAL.parent_in(procs, rank, downwards).map(signal).into();
    let (sends, receives) = if is_upwards {
        (parent, children)
    } else {
        (children, parent)
    };
    Round {
        sends,
        receives,
        ..Round::default()
    }
}

fn doubling_outline(shape: ScheduleShape) -> ScheduleOutline {
    let folds = usize::from(!shape.procs.get().is_power_of_two());
    outline(shape.procs.floor_log2() as usize + 2 * folds)
}

fn doubling(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    let steps = procs.floor_log2() as usize;
    let is_folded = !procs.get().is_power_of_two();
    let (below, beyond) = fold_partners(procs, rank);
    match index.checked_sub(usize::from(is_folded)) {
        None => round(below, beyond),
        Some(step) if step == steps => round(beyond, below),
        Some(step) => {
            let partner = Some(Rank(rank.0 ^ 1 << step)).filter(|_| below.is_none());
            round(partner, partner)
        }
    }
}

fn flat_outline(shape: ScheduleShape) -> ScheduleOutline {
    outline(if shape.procs.get() == 1 { 0 } else { 2 })
}

fn flat(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let signals = match rank {
        Rank(0) => shape.procs.ranks().skip(1).map(signal).collect(),
        _ => signal(Rank(0)).into(),
    };
    if (rank == Rank(0)) == (index == 1) {
        Round {
            sends: signals,
            ..Round::default()
        }
    } else {
        Round {
            receives: signals,
            ..Round::default()
        }
    }
}

fn ring_outline(shape: ScheduleShape) -> ScheduleOutline {
    outline(if shape.procs.get() == 1 {
        0
    } else {
        2 * shape.procs.get() as usize
    })
}

fn ring(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    let sender = u32::try_from(index).expect("fewer than twice the ranks") % procs.get();
    round(
        (rank.0 == sender).then(|| rank.successor(1, procs)),
        (rank.predecessor(1, procs).0 == sender).then(|| rank.predecessor(1, procs)),
    )
}
