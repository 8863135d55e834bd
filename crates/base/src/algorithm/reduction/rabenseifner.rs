//! Rabenseifner's algorithm: a reduce-scatter by recursive halving, then an all-gather or a gather by the same steps
//! backwards. The operation must commute.
//!
//! In step k numbers v and v xor 2^k exchange halves of their window of the vector; the lower one keeps the lower half. So v
//! ends with the window of its bit-reversed number.
//!
//! * Halves: ranks are folded by halves. The even rank of a pair combines the lower half of the vector and the odd
//!   rank the upper one. One of them takes part in the steps and gets the other half: the even one. Windows are halves of
//!   halves.
//! * Blocks: one rank of a pair sends its whole vector to the other one. Windows consist of Q blocks.
//!
//! # Source
//! Rabenseifner 2004 (ICCS) for halves, as in Open MPI; Thakur, Rabenseifner, Gropp 2005 (IJHPCA) for blocks, as in MPICH.

use super::super::offer::{OfferedAlgorithm, intel_reduction, mpich, tuned};
use super::super::served::ServedOperations;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, Fold, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::folded_ranks::{FoldRole, FoldedRanks, KeptRank, nearest_first_window};
use super::{all, combinations, copies, lone_round, message};
use crate::schedule::{BlockSlot, OperandOrder, Round};
use crate::units::{Procs, Rank};

const HALVES: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::Rabenseifner(Fold::Halves));
const BLOCKS: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::Rabenseifner(Fold::Whole));
const REDUCE_HALVES: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::ReduceRabenseifner(Fold::Halves));
const REDUCE_WHOLE: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::ReduceRabenseifner(Fold::Whole));

/// MPICH's algorithms. They are offered by both entries: without folded ranks these take the same steps.
const MPICH_ALLREDUCE: OfferedAlgorithm = mpich("reduce_scatter_allgather", Some(BLOCKS))
    .for_operations(ServedOperations::Predefined)
    .leaving_calls();
const MPICH_REDUCE: OfferedAlgorithm = mpich("reduce_scatter_gather", Some(REDUCE_WHOLE))
    .for_operations(ServedOperations::Predefined)
    .leaving_calls();

pub(in crate::algorithm) const ALLREDUCE: AlgorithmEntry = AlgorithmEntry {
    name: "rabenseifner",
    collective: Collective::Allreduce,
    summary: "halves of halves with rank i xor 2^x, then allgather backwards",
    settings: &[],
    cut: PieceCut::Halves,
    rounds: &CombiningRounds(OperandOrder::Any, allreduce_outline, allreduce),
    traffic: Some(HALVES),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Rabenseifner(Fold::Halves))),
    offered: &[
        tuned(6, "rabenseifner", Some(HALVES)),
        intel_reduction(2, "rabenseifner", Some(HALVES)),
        MPICH_ALLREDUCE,
    ],
};

pub(in crate::algorithm) const ALLREDUCE_BLOCKS: AlgorithmEntry = AlgorithmEntry {
    name: "rabenseifner-blocks",
    summary: "as rabenseifner, in blocks; pairs are folded whole",
    cut: PieceCut::PowerOfTwoElements,
    rounds: &CombiningRounds(OperandOrder::Any, allreduce_outline, allreduce),
    traffic: Some(BLOCKS),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::Rabenseifner(Fold::Whole))),
    offered: &[MPICH_ALLREDUCE],
    ..ALLREDUCE
};

pub(in crate::algorithm) const REDUCE: AlgorithmEntry = AlgorithmEntry {
    name: "rabenseifner",
    collective: Collective::Reduce,
    summary: "halves of halves with rank i xor 2^x, then gather backwards",
    settings: &[],
    cut: PieceCut::Halves,
    rounds: &CombiningRounds(OperandOrder::Any, reduce_outline, reduce),
    traffic: Some(REDUCE_HALVES),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceRabenseifner(Fold::Halves))),
    offered: &[
        tuned(7, "rabenseifner", Some(REDUCE_HALVES)),
        intel_reduction(5, "rabenseifner", Some(REDUCE_HALVES)),
        MPICH_REDUCE,
    ],
};

pub(in crate::algorithm) const REDUCE_BLOCKS: AlgorithmEntry = AlgorithmEntry {
    name: "rabenseifner-blocks",
    summary: "as rabenseifner, in blocks; pairs are folded whole",
    cut: PieceCut::PowerOfTwoElements,
    rounds: &CombiningRounds(OperandOrder::Any, reduce_outline, reduce),
    traffic: Some(REDUCE_WHOLE),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceRabenseifner(Fold::Whole))),
    offered: &[MPICH_REDUCE],
    ..REDUCE
};

/// A rank among the others, with its memory.
struct HalvingRank {
    ranks: FoldedRanks,
    rank: Rank,
    parts: u32,
    /// True if pairs are folded by halves.
    by_halves: bool,
    /// True if the rank may use its output.
    has_output: bool,
    /// True if the rank's own operand is its input, else it has it already.
    is_input: bool,
}

/// Part of the algorithm that a round belongs to.
enum HalvingPhase {
    Fold,
    /// The upper half goes to the even rank, in a fold by halves.
    HandOver,
    Halve(u32),
    /// The number of the step, counted from the end of the halvings.
    Gather(u32),
    Unfold,
}

impl HalvingRank {
    fn new(shape: ScheduleShape, rank: Rank) -> Self {
        let by_halves = shape.algorithm.entry.cut == PieceCut::Halves;
        let is_reduce = shape.algorithm.collective() == Collective::Reduce;
        let kept = if is_reduce || by_halves {
            KeptRank::Even
        } else {
            KeptRank::Odd
        };
        Self {
            ranks: FoldedRanks::new(shape.procs, kept),
            rank,
            parts: shape.parts,
            by_halves,
            has_output: !is_reduce || rank == Rank(0),
            is_input: true,
        }
    }

    /// Number of rounds of the fold.
    fn fold_rounds(&self) -> usize {
        self.ranks.folds() * if self.by_halves { 2 } else { 1 }
    }

    fn phase(&self, index: usize) -> HalvingPhase {
        let Some(step) = index.checked_sub(self.fold_rounds()) else {
            return if index == 0 {
                HalvingPhase::Fold
            } else {
                HalvingPhase::HandOver
            };
        };
        let (step, steps) = (u32::try_from(step).expect("fewer steps than bits"), self.ranks.steps());
        match step {
            step if step < steps => HalvingPhase::Halve(step),
            step if step < 2 * steps => HalvingPhase::Gather(step - steps),
            _ => HalvingPhase::Unfold,
        }
    }

    /// Place of a part of what this rank has combined.
    fn work(&self, part: u32) -> BlockSlot {
        if self.has_output {
            BlockSlot::Output(part)
        } else {
            BlockSlot::Scratch(self.parts + part)
        }
    }

    /// The parts that a rank of a pair combines in the fold.
    fn folded_parts(&self, rank: Rank) -> Vec<u32> {
        let half = self.parts / 2;
        match (self.by_halves, rank.0.is_multiple_of(2)) {
            (true, true) => all(0..half),
            (true, false) => all(half..self.parts),
            (false, _) if matches!(self.ranks.role(rank), FoldRole::Number(_)) => all(0..self.parts),
            (false, _) => Vec::new(),
        }
    }

    /// The round in which this rank receives `parts` of the partner, combines them and sends `sent`. `is_first` if its own
    /// operand is still its input.
    fn combine(&self, partner: Rank, sent: &[u32], parts: &[u32], is_first: bool) -> Round {
        let is_first = is_first && self.is_input;
        let operand = |part| {
            if is_first {
                BlockSlot::Input(part)
            } else {
                self.work(part)
            }
        };
        let to =
            |parts: &[u32], slot: &dyn Fn(u32) -> BlockSlot| (!parts.is_empty()).then(|| message(partner, parts, slot));
        Round {
            sends: to(sent, &operand).into(),
            receives: to(parts, &BlockSlot::Scratch).into(),
            copies: copies(if is_first { parts } else { &[] }, |part| self.work(part)).collect(),
            combinations: combinations(parts, BlockSlot::Scratch, |part| self.work(part)).collect(),
            ..Round::default()
        }
    }

    fn fold(&self) -> Round {
        let Some(twin) = self.ranks.twin(self.rank) else {
            return Round::default();
        };
        self.combine(twin, &self.folded_parts(twin), &self.folded_parts(self.rank), true)
    }

    /// What one rank of a pair sends the other.
    fn hand(&self, parts: &[u32], is_giver: bool) -> Round {
        let Some(twin) = self.ranks.twin(self.rank) else {
            return Round::default();
        };
        let handed = message(twin, parts, |part| self.work(part)).into();
        if is_giver {
            Round {
                sends: handed,
                ..Round::default()
            }
        } else {
            Round {
                receives: handed,
                ..Round::default()
            }
        }
    }

    fn halve(&self, number: u32, step: u32) -> Round {
        let partner = number ^ 1 << step;
        let window = |number| all(nearest_first_window(self.parts, number, step + 1));
        let is_first = step == 0 && self.ranks.twin(self.rank).is_none();
        self.combine(self.ranks.rank(partner), &window(partner), &window(number), is_first)
    }

    fn allreduce_rounds(&self) -> usize {
        self.fold_rounds() + 2 * self.ranks.steps() as usize + self.ranks.folds()
    }

    fn allreduce_round(&self, index: usize) -> Round {
        let (ranks, parts) = (self.ranks, self.parts);
        match (self.phase(index), ranks.role(self.rank)) {
            (HalvingPhase::Fold, _) => self.fold(),
            (HalvingPhase::HandOver, role) => self.hand(&all(parts / 2..parts), role == FoldRole::Waiting),
            (HalvingPhase::Unfold, role) => self.hand(&all(0..parts), role != FoldRole::Waiting),
            (_, FoldRole::Waiting) => Round::default(),
            (HalvingPhase::Halve(step), FoldRole::Number(number)) => self.halve(number, step),
            (HalvingPhase::Gather(step), FoldRole::Number(number)) => {
                let distance = ranks.steps() - 1 - step;
                let partner = number ^ 1 << distance;
                let window = |number| all(nearest_first_window(parts, number, distance + 1));
                let partner_rank = ranks.rank(partner);
                Round {
                    sends: message(partner_rank, &window(number), BlockSlot::Output).into(),
                    receives: message(partner_rank, &window(partner), BlockSlot::Output).into(),
                    ..Round::default()
                }
            }
        }
    }
}

fn allreduce_outline(shape: ScheduleShape) -> ScheduleOutline {
    let halving = HalvingRank::new(shape, Rank(0));
    let ranks = halving.ranks;
    ScheduleOutline {
        scratch: shape.parts,
        longest_message: if ranks.folds() > 0 {
            shape.parts
        } else {
            (shape.parts / 2).max(1)
        },
        ..ScheduleOutline::without_relays(halving.allreduce_rounds().max(1))
    }
}

fn allreduce(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    if shape.procs.get() == 1 {
        return lone_round(shape.parts);
    }
    HalvingRank::new(shape, rank).allreduce_round(index)
}

/// The all-reduce between the heads of clusters, whose numbers are those of the clusters.
pub(in crate::algorithm) struct HeadExchange(HalvingRank);

impl HeadExchange {
    /// `is_input` if the vector of the cluster is the head's input, else it is in the output.
    pub(in crate::algorithm) fn new(clusters: Procs, parts: u32, number: Rank, is_input: bool) -> Self {
        Self(HalvingRank {
            ranks: FoldedRanks::new(clusters, KeptRank::Even),
            rank: number,
            parts,
            by_halves: true,
            has_output: true,
            is_input,
        })
    }

    /// Number of rounds.
    pub(in crate::algorithm) fn rounds(&self) -> usize {
        self.0.allreduce_rounds()
    }

    /// Round `index`; partners are numbers of clusters.
    pub(in crate::algorithm) fn round(&self, index: usize) -> Round {
        self.0.allreduce_round(index)
    }
}

fn reduce_outline(shape: ScheduleShape) -> ScheduleOutline {
    let halving = HalvingRank::new(shape, Rank(0));
    let ranks = halving.ranks;
    let longest = match (ranks.folds(), halving.by_halves) {
        (1, false) => shape.parts,
        (1, true) => shape.parts - shape.parts / 2,
        _ => (shape.parts / 2).max(1),
    };
    ScheduleOutline {
        scratch: 2 * shape.parts,
        longest_message: longest,
        ..ScheduleOutline::without_relays((halving.fold_rounds() + 2 * ranks.steps() as usize).max(1))
    }
}

fn reduce(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    if shape.procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let halving = HalvingRank::new(shape, rank);
    let (ranks, parts) = (halving.ranks, shape.parts);
    match (halving.phase(index), ranks.role(rank)) {
        (HalvingPhase::Fold, _) => halving.fold(),
        (HalvingPhase::HandOver, role) => halving.hand(&all(parts / 2..parts), role == FoldRole::Waiting),
        (HalvingPhase::Halve(step), FoldRole::Number(number)) => halving.halve(number, step),
        (HalvingPhase::Gather(step), FoldRole::Number(number)) => {
            let distance = ranks.steps() - 1 - step;
            // Higher numbers have handed on their windows.
            if number >= 2 << distance {
                return Round::default();
            }
            let partner = number ^ 1 << distance;
            let sender = number.max(partner);
            let window = all(nearest_first_window(parts, sender, distance + 1));
            let handed = message(ranks.rank(partner), &window, |part| halving.work(part)).into();
            if number == sender {
                Round {
                    sends: handed,
                    ..Round::default()
                }
            } else {
                Round {
                    receives: handed,
                    ..Round::default()
                }
            }
        }
        (_, FoldRole::Waiting) | (HalvingPhase::Unfold, _) => Round::default(),
    }
}
