//! Direct reductions: every rank sends block j to rank j, which combines the blocks in the order of the ranks when all are
//! there. In an all-reduce every rank then sends its block to all others. Any operation; in windows no port overflows.

use std::num::NonZeroU32;

use super::super::setting::WINDOW;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::{copies, lone_round, message, of_equal_blocks};
use crate::schedule::{BlockCombination, BlockSlot, InFlightLimit, OperandOrder, Round};
use crate::units::Rank;

const TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::Direct);
const SCATTER_TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::ScatterDirect);

pub(in crate::algorithm) const ALLREDUCE: AlgorithmEntry = AlgorithmEntry {
    name: "direct",
    collective: Collective::Allreduce,
    summary: "block j to rank j, combined in rank order, then to all; all at once",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Ranks, allreduce_outline, allreduce),
    traffic: Some(TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Direct)),
    offered: &[],
};

pub(in crate::algorithm) const ALLREDUCE_WINDOWED: AlgorithmEntry = AlgorithmEntry {
    name: "windowed",
    summary: "as direct, WINDOW exchanges at a time",
    settings: &[WINDOW],
    ..ALLREDUCE
};

pub(in crate::algorithm) const REDUCE_SCATTER: AlgorithmEntry = AlgorithmEntry {
    name: "direct",
    collective: Collective::ReduceScatter,
    summary: "block j to rank j, combined in rank order; all at once",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Ranks, scatter_outline, scatter),
    traffic: Some(SCATTER_TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ScatterDirect)),
    offered: &[],
};

pub(in crate::algorithm) const REDUCE_SCATTER_WINDOWED: AlgorithmEntry = AlgorithmEntry {
    name: "windowed",
    summary: "as direct, WINDOW exchanges at a time",
    settings: &[WINDOW],
    ..REDUCE_SCATTER
};

pub(in crate::algorithm) const REDUCE_SCATTER_BLOCK: AlgorithmEntry = of_equal_blocks(&REDUCE_SCATTER, &[]);
pub(in crate::algorithm) const REDUCE_SCATTER_BLOCK_WINDOWED: AlgorithmEntry =
    of_equal_blocks(&REDUCE_SCATTER_WINDOWED, &[]);

fn scatter_outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline {
        buffers: shape.procs.get(),
        ..ScheduleOutline::without_relays(1)
    }
}

fn allreduce_outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline {
        rounds: if shape.procs.get() == 1 { 1 } else { 2 },
        ..scatter_outline(shape)
    }
}

/// The other ranks, the next first, with the rank as many places before.
fn partners(shape: ScheduleShape, rank: Rank) -> impl Iterator<Item = (Rank, Rank)> {
    let procs = shape.procs;
    (1..procs.get()).map(move |distance| (rank.successor(distance, procs), rank.predecessor(distance, procs)))
}

fn limit(shape: ScheduleShape) -> InFlightLimit {
    let window = shape.algorithm.window().and_then(NonZeroU32::new);
    window.map_or(InFlightLimit::Unlimited, InFlightLimit::Exchanges)
}

fn scatter(shape: ScheduleShape, rank: Rank, _: usize) -> Round {
    if shape.procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let block = rank.0;
    let last = shape.procs.get() - 1;
    // The result replaces the operand of the last rank, and each operand that of the next one.
    let place = |of: Rank| {
        move |part| match of.0 {
            number if number == last => BlockSlot::Output(part),
            number => BlockSlot::Buffer { number, part },
        }
    };
    // The first operand is never on the right.
    let operand = |of: u32| match of {
        0 if rank == Rank(0) => BlockSlot::Input(block),
        of => place(Rank(of))(block),
    };
    let own_copy: &[u32] = if rank == Rank(0) { &[] } else { &[block] };
    Round {
        sends: partners(shape, rank)
            .map(|(to, _)| message(to, &[to.0], BlockSlot::Input))
            .collect(),
        receives: partners(shape, rank)
            .map(|(_, from)| message(from, &[block], place(from)))
            .collect(),
        copies: copies(own_copy, place(rank)).collect(),
        combinations: (0..last)
            .map(|of| BlockCombination {
                left: operand(of),
                right: operand(of + 1),
            })
            .collect(),
        in_flight: limit(shape),
    }
}

fn allreduce(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    if index == 0 {
        return scatter(shape, rank, 0);
    }
    let output = |to, block| message(to, &[block], BlockSlot::Output);
    Round {
        sends: partners(shape, rank).map(|(to, _)| output(to, rank.0)).collect(),
        receives: partners(shape, rank).map(|(_, from)| output(from, from.0)).collect(),
        in_flight: limit(shape),
        ..Round::default()
    }
}
