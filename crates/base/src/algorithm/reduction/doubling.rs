//! Recursive doubling, in the order of the ranks.
//!
//! * All-reduce: fold to the odd ranks; in step k numbers v and v xor 2^k exchange all that they have combined; unfold.
//! * Reduce-scatter: in step k ranks exchange what their groups of 2^k ranks have combined of all blocks outside of the
//!   sender's group, as in the libraries. The receiver combines those that it still needs. Where the partner of a rank does
//!   not exist, another rank of that group serves it.

use std::ops::Range;

use super::super::offer::{intel_reduction, mpich, tuned};
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::folded_ranks::{FoldRole, FoldedRanks, KeptRank};
use super::ordered_exchange::OrderedExchange;
use super::{lone_round, message, of_equal_blocks};
use crate::schedule::{BlockSlot, OperandOrder, Round};
use crate::units::{Procs, Rank};

const TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::RecursiveDoubling);
const SCATTER_TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::ScatterDoubling);

pub(in crate::algorithm) const ALLREDUCE: AlgorithmEntry = AlgorithmEntry {
    name: "recursive-doubling",
    collective: Collective::Allreduce,
    summary: "exchanges of the whole vector with rank i xor 2^x",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &CombiningRounds(OperandOrder::Ranks, allreduce_outline, allreduce),
    traffic: Some(TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::RecursiveDoubling)),
    offered: &[
        tuned(3, "recursive_doubling", Some(TRAFFIC)),
        mpich("recursive_doubling", Some(TRAFFIC)),
        intel_reduction(1, "recursive_doubling", Some(TRAFFIC)),
    ],
};

pub(in crate::algorithm) const REDUCE_SCATTER: AlgorithmEntry = AlgorithmEntry {
    name: "recursive-doubling",
    collective: Collective::ReduceScatter,
    summary: "exchanges with rank i xor 2^x of all that is still needed",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Ranks, scatter_outline, scatter),
    traffic: Some(SCATTER_TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ScatterDoubling)),
    offered: &[
        mpich("recursive_doubling", Some(SCATTER_TRAFFIC)),
        intel_reduction(3, "recursive_doubling", Some(SCATTER_TRAFFIC)),
    ],
};

pub(in crate::algorithm) const REDUCE_SCATTER_BLOCK: AlgorithmEntry = of_equal_blocks(
    &REDUCE_SCATTER,
    &[
        tuned(2, "recursive_doubling", Some(SCATTER_TRAFFIC)),
        mpich("recursive_doubling", Some(SCATTER_TRAFFIC)),
    ],
);

fn allreduce_outline(shape: ScheduleShape) -> ScheduleOutline {
    let ranks = FoldedRanks::new(shape.procs, KeptRank::Odd);
    ScheduleOutline {
        buffers: 1,
        ..ScheduleOutline::without_relays((ranks.steps() as usize + 2 * ranks.folds()).max(1))
    }
}

fn allreduce(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    if shape.procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let ranks = FoldedRanks::new(shape.procs, KeptRank::Odd);
    let held = |array, part| match array {
        0 => BlockSlot::Output(part),
        _ => BlockSlot::Buffer { number: 0, part },
    };
    let ordered = |number, partner, step| OrderedExchange::of_step(ranks, number, partner, step, held);
    let vector = [0];
    match (ranks.step(index), ranks.role(rank), ranks.twin(rank)) {
        (None, FoldRole::Waiting, Some(twin)) => Round {
            sends: message(twin, &vector, BlockSlot::Input).into(),
            ..Round::default()
        },
        (None, FoldRole::Number(number), Some(twin)) => ordered(number, twin, None).receive(&vector),
        (Some(step), FoldRole::Number(number), _) if step < ranks.steps() => {
            let partner = ranks.rank(number ^ (1 << step));
            ordered(number, partner, Some(step)).exchange(&vector, &vector)
        }
        (Some(step), role, Some(twin)) if step == ranks.steps() => {
            let result = message(twin, &vector, BlockSlot::Output).into();
            match role {
                FoldRole::Number(_) => Round {
                    sends: result,
                    ..Round::default()
                },
                FoldRole::Waiting => Round {
                    receives: result,
                    ..Round::default()
                },
            }
        }
        _ => Round::default(),
    }
}

fn scatter_outline(shape: ScheduleShape) -> ScheduleOutline {
    let procs = shape.procs;
    ScheduleOutline {
        scratch: 2 * procs.get(),
        longest_message: (procs.get() - 1).max(1),
        ..ScheduleOutline::without_relays((procs.ceil_log2() as usize).max(1))
    }
}

/// The aligned group of 2^`step` ranks that has `rank`, as far as its ranks exist.
fn group(procs: Procs, rank: u32, step: u32) -> Range<u32> {
    let first = rank >> step << step;
    first..(first + (1 << step)).min(procs.get())
}

/// The ranks of the other group of a step; none if it does not exist.
fn other_group(procs: Procs, rank: Rank, step: u32) -> Range<u32> {
    let other = rank.0 >> step << step ^ 1 << step;
    if other < procs.get() {
        group(procs, other, step)
    } else {
        0..0
    }
}

/// The rank of the group `from` that serves a rank with this place in its own group.
fn server(from: &Range<u32>, place: u32) -> Option<Rank> {
    let length = u32::try_from(from.len()).expect("fewer than ranks");
    (length > 0).then(|| Rank(from.start + place % length))
}

fn scatter(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let step = u32::try_from(index).expect("fewer rounds than bits");
    let (ours, theirs) = (group(procs, rank.0, step), other_group(procs, rank, step));
    let Some(partner) = server(&theirs, rank.0 - ours.start) else {
        return Round::default();
    };
    let is_higher = |step: u32| other_group(procs, rank, step).start > rank.0;
    let outside =
        |group: &Range<u32>| -> Vec<u32> { (0..procs.get()).filter(|block| !group.contains(block)).collect() };
    let exchange = OrderedExchange {
        partner,
        is_higher: is_higher(step),
        is_first: (0..step).all(|earlier| other_group(procs, rank, earlier).is_empty()),
        later_swaps: (step + 1..procs.ceil_log2())
            .map(|later| u32::from(is_higher(later)))
            .sum(),
        slot: |array, part| match array {
            0 if part == rank.0 => BlockSlot::Output(part),
            array => BlockSlot::Scratch(array * procs.get() + part),
        },
    };
    let sent = outside(&ours);
    let is_served = |place: &u32| server(&ours, *place) == Some(rank);
    let served = (0..).zip(theirs.clone()).filter(|(place, _)| is_served(place));
    let sends = served.map(|(_, to)| message(Rank(to), &sent, |part| exchange.operand(part)));
    // Of the blocks of both groups, a rank still needs its own.
    let merged = ours.start.min(theirs.start)..ours.end.max(theirs.end);
    let needed = |block: &u32| *block == rank.0 || !merged.contains(block);
    let received = outside(&theirs);
    let combined: Vec<u32> = received.iter().copied().filter(needed).collect();
    Round {
        sends: sends.collect(),
        ..exchange.receive_more(&received, &combined)
    }
}
