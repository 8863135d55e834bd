//! Recursive halving: fold to the odd ranks; in the steps numbers v and v xor Q/2, Q/4, … 1 exchange halves of their window,
//! and the lower one keeps the lower half. The blocks of a folded pair travel together; unfold. The operation must
//! commute.

use super::super::offer::{intel_reduction, mpich, tuned};
use super::super::served::ServedOperations;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::folded_ranks::{FoldRole, FoldedRanks, KeptRank, farthest_first_window};
use super::{all, combinations, copies, lone_round, message, of_equal_blocks};
use crate::schedule::{BlockSlot, OperandOrder, Round};
use crate::units::Rank;

const TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::Halving);

pub(in crate::algorithm) const HALVING: AlgorithmEntry = AlgorithmEntry {
    name: "recursive-halving",
    collective: Collective::ReduceScatter,
    summary: "halves of the vector with rank i xor n/2, n/4, ... 1",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Any, outline, round),
    traffic: Some(TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Halving)),
    offered: &[
        tuned(2, "recursive_halving", Some(TRAFFIC)).for_operations(ServedOperations::Commutative),
        mpich("recursive_halving", Some(TRAFFIC)).for_operations(ServedOperations::Commutative),
        intel_reduction(1, "recursive_halving", Some(TRAFFIC)),
    ],
};

pub(in crate::algorithm) const HALVING_BLOCK: AlgorithmEntry = of_equal_blocks(
    &HALVING,
    &[
        tuned(3, "recursive_halving", Some(TRAFFIC)),
        mpich("recursive_halving", Some(TRAFFIC)).for_operations(ServedOperations::Commutative),
    ],
);

fn outline(shape: ScheduleShape) -> ScheduleOutline {
    let ranks = FoldedRanks::new(shape.procs, KeptRank::Odd);
    let folds = ranks.folds();
    ScheduleOutline {
        scratch: 2 * shape.parts,
        longest_message: if folds > 0 {
            shape.parts
        } else {
            (shape.parts / 2).max(1)
        },
        ..ScheduleOutline::without_relays((ranks.steps() as usize + 2 * folds).max(1))
    }
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    if shape.procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let ranks = FoldedRanks::new(shape.procs, KeptRank::Odd);
    let work = |part| {
        if part == rank.0 {
            BlockSlot::Output(part)
        } else {
            BlockSlot::Scratch(part)
        }
    };
    let arrival = |part| BlockSlot::Scratch(shape.parts + part);
    let twin = ranks.twin(rank);
    let combine = |partner, sent: &[u32], parts: &[u32], is_first: bool| {
        let operand = |part| if is_first { BlockSlot::Input(part) } else { work(part) };
        Round {
            sends: (!sent.is_empty()).then(|| message(partner, sent, operand)).into(),
            receives: message(partner, parts, arrival).into(),
            copies: copies(if is_first { parts } else { &[] }, work).collect(),
            combinations: combinations(parts, arrival, work).collect(),
            ..Round::default()
        }
    };
    let step = ranks.step(index);
    match (step, ranks.role(rank), twin) {
        (None, FoldRole::Waiting, Some(twin)) => Round {
            sends: message(twin, &all(0..shape.parts), BlockSlot::Input).into(),
            ..Round::default()
        },
        (None, FoldRole::Number(_), Some(twin)) => combine(twin, &[], &all(0..shape.parts), true),
        (Some(step), FoldRole::Number(number), twin) if step < ranks.steps() => {
            let partner = number ^ ranks.power() >> (step + 1);
            let window = |number| all(ranks.blocks(farthest_first_window(ranks.steps(), number, step + 1)));
            let is_first = step == 0 && twin.is_none();
            combine(ranks.rank(partner), &window(partner), &window(number), is_first)
        }
        (Some(step), FoldRole::Number(_), Some(twin)) if step == ranks.steps() => Round {
            sends: message(twin, &[twin.0], work).into(),
            ..Round::default()
        },
        (Some(step), FoldRole::Waiting, Some(twin)) if step == ranks.steps() => Round {
            receives: message(twin, &[rank.0], BlockSlot::Output).into(),
            ..Round::default()
        },
        _ => Round::default(),
    }
}
