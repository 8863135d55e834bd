//! The butterfly reduce-scatter, in the order of the ranks: fold to the odd ranks. In step k numbers v and v xor 2^k exchange
//! halves of their window, and the lower one keeps the lower half. So v ends with the blocks of its bit-reversed number.
//! It sends them there: first the block of the rank itself, then that of the rank that was folded to it.
//!
//! # Source
//! Träff 2005 (EuroPVM/MPI), as in Open MPI.

use super::super::offer::tuned;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::folded_ranks::{FoldRole, FoldedRanks, KeptRank, nearest_first_window};
use super::ordered_exchange::OrderedExchange;
use super::path::placing_steps;
use super::{all, lone_round, message, of_equal_blocks};
use crate::schedule::{BlockSlot, OperandOrder, Round};
use crate::units::{Procs, Rank};

const TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::Butterfly);

pub(in crate::algorithm) const BUTTERFLY: AlgorithmEntry = AlgorithmEntry {
    name: "butterfly",
    collective: Collective::ReduceScatter,
    summary: "halves with rank i xor 1, 2, ... in rank order, then to their places",
    settings: &[],
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Ranks, outline, round),
    traffic: Some(TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Butterfly)),
    offered: &[tuned(4, "butterfly", Some(TRAFFIC))],
};

pub(in crate::algorithm) const BUTTERFLY_BLOCK: AlgorithmEntry =
    of_equal_blocks(&BUTTERFLY, &[tuned(4, "butterfly", Some(TRAFFIC))]);

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
        ..ScheduleOutline::without_relays((ranks.steps() as usize + folds + placing_steps(shape.procs) as usize).max(1))
    }
}

/// `number` with its ℓ bits in reverse.
fn reversed(ranks: FoldedRanks, number: u32) -> u32 {
    (0..ranks.steps()).fold(0, |reversed, bit| reversed << 1 | number >> bit & 1)
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let ranks = FoldedRanks::new(procs, KeptRank::Odd);
    let (steps, twin) = (ranks.steps(), ranks.twin(rank));
    let step = ranks.step(index);
    let slot = |array, part| held(procs, ranks, rank, array, part);
    let ordered = |number, partner, step| OrderedExchange::of_step(ranks, number, partner, step, slot);
    match (step, ranks.role(rank), twin) {
        (Some(step), _, _) if step >= steps => place(procs, ranks, rank, step - steps),
        (None, FoldRole::Waiting, Some(twin)) => Round {
            sends: message(twin, &all(0..shape.parts), BlockSlot::Input).into(),
            ..Round::default()
        },
        (None, FoldRole::Number(number), Some(twin)) => ordered(number, twin, None).receive(&all(0..shape.parts)),
        (Some(step), FoldRole::Number(number), _) => {
            let partner = number ^ 1 << step;
            let window = |number| all(ranks.blocks(nearest_first_window(ranks.power(), number, step + 1)));
            ordered(number, ranks.rank(partner), Some(step)).exchange(&window(partner), &window(number))
        }
        _ => Round::default(),
    }
}

/// Place of a part in array 0 or 1. A rank that ends with its own block has it in its output.
fn held(procs: Procs, ranks: FoldedRanks, rank: Rank, array: u32, part: u32) -> BlockSlot {
    let keeps_own = matches!(ranks.role(rank), FoldRole::Number(number) if reversed(ranks, number) == number);
    if array == 0 && part == rank.0 && keeps_own {
        BlockSlot::Output(part)
    } else {
        BlockSlot::Scratch(array * procs.get() + part)
    }
}

/// A round in which blocks go to their places.
fn place(procs: Procs, ranks: FoldedRanks, rank: Rank, round: u32) -> Round {
    let sends = match ranks.role(rank) {
        FoldRole::Waiting => None,
        FoldRole::Number(number) => {
            let mut destinations = destinations(ranks, number);
            destinations.nth(round as usize)
        }
    };
    let group = match ranks.role(rank) {
        FoldRole::Waiting => rank.0 / 2,
        FoldRole::Number(number) => number,
    };
    let holder = reversed(ranks, group);
    let comes_now = destinations(ranks, holder).nth(round as usize) == Some(rank);
    Round {
        sends: sends
            .map(|to| message(to, &[to.0], |part| held(procs, ranks, rank, 0, part)))
            .into(),
        receives: comes_now
            .then(|| message(ranks.rank(holder), &[rank.0], BlockSlot::Output))
            .into(),
        ..Round::default()
    }
}

/// Ranks to which `number` sends blocks in the end.
fn destinations(ranks: FoldedRanks, number: u32) -> impl Iterator<Item = Rank> {
    let owner = ranks.rank(reversed(ranks, number));
    let other = (owner != ranks.rank(number)).then_some(owner);
    other.into_iter().chain(ranks.twin(owner))
}
