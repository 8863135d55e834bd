//! Pairwise reduce-scatter: in step i rank k sends block k+i to rank k+i, receives its own block from rank k−i and combines
//! it with what it has: xₖ₊₁∘(…∘(xₖ₋₁∘xₖ)). The operation must commute.

use super::super::offer::{intel_reduction, mpich};
use super::super::served::ServedOperations;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::{combinations, copies, lone_round, message, of_equal_blocks};
use crate::schedule::{BlockSlot, OperandOrder, Round};
use crate::units::Rank;

const TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::Pairwise);

pub(in crate::algorithm) const PAIRWISE: AlgorithmEntry = AlgorithmEntry {
    name: "pairwise",
    collective: Collective::ReduceScatter,
    summary: "n-1 rounds: block i+t to rank i+t, combined there",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Any, outline, round),
    traffic: Some(TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Pairwise)),
    offered: &[
        mpich("pairwise", Some(TRAFFIC)).for_operations(ServedOperations::Commutative),
        intel_reduction(2, "pairwise", Some(TRAFFIC)),
    ],
};

pub(in crate::algorithm) const PAIRWISE_BLOCK: AlgorithmEntry = of_equal_blocks(
    &PAIRWISE,
    &[mpich("pairwise", Some(TRAFFIC)).for_operations(ServedOperations::Commutative)],
);

fn outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline {
        buffers: 1,
        ..ScheduleOutline::without_relays((shape.procs.get() as usize - 1).max(1))
    }
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let distance = u32::try_from(index + 1).expect("fewer than ranks");
    let to = rank.successor(distance, procs);
    let arrival = |part| BlockSlot::Buffer { number: 0, part };
    let block: &[u32] = &[rank.0];
    Round {
        sends: message(to, &[to.0], BlockSlot::Input).into(),
        receives: message(rank.predecessor(distance, procs), block, arrival).into(),
        copies: copies(if index == 0 { block } else { &[] }, BlockSlot::Output).collect(),
        combinations: combinations(block, arrival, BlockSlot::Output).collect(),
        ..Round::default()
    }
}
