//! Rings. The operation must commute.
//!
//! * All-reduce: the vector has n blocks. In step s = 0 … n−2 rank k sends block k−s to rank k+1, receives block k−s−1 and
//!   combines it with its own; so it ends with block k+1. Then n−1 steps of an all-gather start from there.
//! * In segments, each block is cut in p, and the reduce-scatter runs p times, one phase after the other. The all-gather
//!   follows once, with whole blocks.
//! * Reduce-scatter: as the first n−1 steps, but rank k begins with block k−1, so that it ends with block k.

use super::super::offer::{intel_reduction, tuned};
use super::super::served::ServedOperations;
use super::super::setting::SEGMENT;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::{all, combinations, copies, lone_round, message, of_equal_blocks};
use crate::schedule::{BlockSlot, OperandOrder, Round};
use crate::units::{Procs, Rank};

const TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::Ring);
const SEGMENTED_TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::RingSegmented);
const SCATTER_TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::ScatterRing);

pub(in crate::algorithm) const ALLREDUCE: AlgorithmEntry = AlgorithmEntry {
    name: "ring",
    collective: Collective::Allreduce,
    summary: "blocks of 1/n from each rank to the next, combined, then allgather",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Any, allreduce_outline, allreduce),
    traffic: Some(TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Ring)),
    offered: &[
        tuned(4, "ring", Some(TRAFFIC)).for_operations(ServedOperations::Commutative),
        intel_reduction(8, "ring", Some(TRAFFIC)),
    ],
};

pub(in crate::algorithm) const ALLREDUCE_SEGMENTED: AlgorithmEntry = AlgorithmEntry {
    name: "ring-segmented",
    summary: "as ring, combining each block in segments",
    settings: &[SEGMENT],
    cut: PieceCut::RingSegments,
    traffic: Some(SEGMENTED_TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::RingSegmented)),
    offered: &[tuned(5, "segmented_ring", Some(SEGMENTED_TRAFFIC))
        .with_segments()
        .for_operations(ServedOperations::Commutative)],
    ..ALLREDUCE
};

pub(in crate::algorithm) const REDUCE_SCATTER: AlgorithmEntry = AlgorithmEntry {
    name: "ring",
    collective: Collective::ReduceScatter,
    summary: "blocks from each rank to the next, combined on the way",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Any, scatter_outline, scatter),
    traffic: Some(SCATTER_TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ScatterRing)),
    offered: &[tuned(3, "ring", Some(SCATTER_TRAFFIC)).for_operations(ServedOperations::Commutative)],
};

pub(in crate::algorithm) const REDUCE_SCATTER_BLOCK: AlgorithmEntry = of_equal_blocks(&REDUCE_SCATTER, &[]);

fn allreduce_outline(shape: ScheduleShape) -> ScheduleOutline {
    let steps = shape.procs.get() as usize - 1;
    let phases = shape.parts / shape.procs.get();
    ScheduleOutline {
        buffers: 1,
        longest_message: if steps > 0 { phases } else { 1 },
        ..ScheduleOutline::without_relays((steps * (phases as usize + 1)).max(1))
    }
}

fn allreduce(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let (phases, steps) = (shape.parts / procs.get(), procs.get() as usize - 1);
    let step = u32::try_from(index % steps).expect("fewer than ranks");
    let phase = u32::try_from(index / steps).expect("no more than segments");
    if phase < phases {
        let part = |block: Rank| block.0 * phases + phase;
        return combine(procs, rank, step, (step == 0, rank), BlockSlot::Output, part);
    }
    let block = |behind: u32| {
        let block = rank.successor(1, procs).predecessor(step + behind, procs).0;
        all(block * phases..(block + 1) * phases)
    };
    Round {
        sends: message(rank.successor(1, procs), &block(0), BlockSlot::Output).into(),
        receives: message(rank.predecessor(1, procs), &block(1), BlockSlot::Output).into(),
        ..Round::default()
    }
}

/// A step in which `rank` sends block `first`−`step`, which is still its input if `is_input`, and combines the one before with
/// its own. `result` is the place of a part of what the rank has combined, and `part` the part of a block.
fn combine(
    procs: Procs,
    rank: Rank,
    step: u32,
    first: (bool, Rank),
    result: impl Fn(u32) -> BlockSlot,
    part: impl Fn(Rank) -> u32,
) -> Round {
    let (is_input, first) = first;
    let [sent, combined] = [step, step + 1].map(|behind| part(first.predecessor(behind % procs.get(), procs)));
    let sent_from = if is_input { BlockSlot::Input(sent) } else { result(sent) };
    let arrival = |part| BlockSlot::Buffer { number: 0, part };
    Round {
        sends: message(rank.successor(1, procs), &[sent], |_| sent_from).into(),
        receives: message(rank.predecessor(1, procs), &[combined], arrival).into(),
        copies: copies(&[combined], &result).collect(),
        combinations: combinations(&[combined], arrival, &result).collect(),
        ..Round::default()
    }
}

fn scatter_outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline {
        buffers: 3,
        ..ScheduleOutline::without_relays((shape.procs.get() as usize - 1).max(1))
    }
}

fn scatter(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let step = u32::try_from(index).expect("fewer than ranks");
    let begin = rank.predecessor(1, procs);
    // Blocks on their way are in one of two buffers in turn.
    let result = |part: u32| {
        let behind = Rank(part).0;
        let place = (begin.0 + procs.get() - behind) % procs.get();
        match place {
            _ if part == rank.0 => BlockSlot::Output(part),
            place => BlockSlot::Buffer {
                number: 1 + place % 2,
                part,
            },
        }
    };
    combine(procs, rank, step, (step == 0, begin), result, |block| block.0)
}
