//! Reductions that are composed of two collectives: a binomial reduce to rank 0, and then a binomial broadcast or
//! scatter of the result. The operation must commute.

use super::super::offer::{intel_reduction, tuned};
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::tree::BINOMIAL;
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::tree::TreeOperands;
use super::{all, lone_round, message, of_equal_blocks};
use crate::schedule::{BlockCopy, BlockSlot, OperandOrder, Round};
use crate::units::Rank;

const BCAST_TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::ReduceBcast);
const SCATTER_TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::ReduceThenScatter);

pub(in crate::algorithm) const REDUCE_BCAST: AlgorithmEntry = AlgorithmEntry {
    name: "reduce-bcast",
    collective: Collective::Allreduce,
    summary: "binomial reduce to rank 0, then binomial broadcast",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &CombiningRounds(OperandOrder::Any, bcast_outline, bcast),
    traffic: Some(BCAST_TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceBcast)),
    offered: &[
        tuned(2, "nonoverlapping", Some(BCAST_TRAFFIC)),
        intel_reduction(3, "reduce_bcast", Some(BCAST_TRAFFIC)),
    ],
};

pub(in crate::algorithm) const REDUCE_SCATTER: AlgorithmEntry = AlgorithmEntry {
    name: "reduce-then-scatter",
    collective: Collective::ReduceScatter,
    summary: "binomial reduce to rank 0, then binomial scatter",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Any, scatter_outline, scatter),
    traffic: Some(SCATTER_TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceThenScatter)),
    offered: &[
        tuned(1, "non-overlapping", Some(SCATTER_TRAFFIC)),
        intel_reduction(4, "reduce_scatterv", Some(SCATTER_TRAFFIC)),
    ],
};

pub(in crate::algorithm) const REDUCE_SCATTER_BLOCK: AlgorithmEntry =
    of_equal_blocks(&REDUCE_SCATTER, &[tuned(1, "basic_linear", Some(SCATTER_TRAFFIC))]);

fn bcast_outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline {
        buffers: 1,
        ..ScheduleOutline::without_relays((2 * BINOMIAL.rounds(shape.procs)).max(1))
    }
}

fn bcast(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let Some(downwards) = index.checked_sub(BINOMIAL.rounds(procs)) else {
        let operands = TreeOperands {
            tree: BINOMIAL,
            procs,
            number: rank,
            parts: &[0],
            is_input: true,
            held: &BlockSlot::Output,
            arrival: &|_, part| BlockSlot::Buffer { number: 0, part },
        };
        return operands.round(index);
    };
    let parent = BINOMIAL.parent_in(procs, rank, downwards);
    let children = BINOMIAL.children_in(procs, rank, downwards);
    Round {
        sends: children.map(|child| message(child, &[0], BlockSlot::Output)).collect(),
        receives: parent.map(|parent| message(parent, &[0], BlockSlot::Output)).into(),
        ..Round::default()
    }
}

fn scatter_outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline {
        scratch: 2 * shape.parts,
        longest_message: shape.parts,
        ..ScheduleOutline::without_relays((2 * BINOMIAL.rounds(shape.procs)).max(1))
    }
}

fn scatter(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let Some(downwards) = index.checked_sub(BINOMIAL.rounds(procs)) else {
        let operands = TreeOperands {
            tree: BINOMIAL,
            procs,
            number: rank,
            parts: &all(0..shape.parts),
            is_input: true,
            held: &BlockSlot::Scratch,
            arrival: &|_, part| BlockSlot::Scratch(shape.parts + part),
        };
        return operands.round(index);
    };
    let place = |part| {
        if part == rank.0 {
            BlockSlot::Output(part)
        } else {
            BlockSlot::Scratch(part)
        }
    };
    let blocks = |child| all(BINOMIAL.subtree(procs, child));
    let parent = BINOMIAL.parent_in(procs, rank, downwards);
    let children = BINOMIAL.children_in(procs, rank, downwards);
    let own_copy = BlockCopy {
        from: BlockSlot::Scratch(0),
        to: BlockSlot::Output(0),
    };
    Round {
        sends: children.map(|child| message(child, &blocks(child), place)).collect(),
        receives: parent.map(|parent| message(parent, &blocks(rank), place)).into(),
        copies: (rank == Rank(0) && downwards == 0)
            .then_some(own_copy)
            .into_iter()
            .collect(),
        ..Round::default()
    }
}
