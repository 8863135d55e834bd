//! Reduces over trees: each rank combines the vectors of its children with its own and hands the result to its parent.
//! The operation must commute, except in the flat reduce.
//!
//! * Flat: the root takes the vectors of all ranks, the last one first: x₀∘(x₁∘…∘xₙ₋₁), for any root.
//! * Over the trees of a broadcast, backwards. A rank combines own ∘ first child, then further child ∘ that.
//! * Pipeline: segments along the chain.

use super::super::offer::{intel_reduction, mpich, tuned};
use super::super::served::ServedOperations;
use super::super::setting::SEGMENT;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::tree::{BINOMIAL as BINOMIAL_TREE, RankTree};
use super::super::{
    AlgorithmEntry, Collective, CombiningRounds, OfferedAlgorithm, PieceCut, ScheduleOutline, ScheduleShape,
};
use super::{combinations, copies, lone_round, message};
use crate::schedule::{BlockCombination, BlockSlot, OperandOrder, Round, ScheduleMessage};
use crate::units::{Procs, Rank};

const fn traffic(form: ReductionForm) -> AlgorithmTraffic {
    AlgorithmTraffic::Reduction(form)
}

pub(in crate::algorithm) const FLAT: AlgorithmEntry = AlgorithmEntry {
    name: "flat",
    collective: Collective::Reduce,
    summary: "every rank sends to the root, which combines from the last on",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &CombiningRounds(OperandOrder::Ranks, flat_outline, flat),
    traffic: Some(traffic(ReductionForm::ReduceFlat)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceFlat)),
    offered: &[tuned(1, "linear", Some(traffic(ReductionForm::ReduceFlat)))],
};

pub(in crate::algorithm) const BINOMIAL: AlgorithmEntry = AlgorithmEntry {
    name: "binomial",
    summary: "over the binomial tree, combined on the way",
    rounds: &CombiningRounds(OperandOrder::Any, binomial_outline, binomial),
    traffic: Some(traffic(ReductionForm::ReduceBinomial)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceBinomial)),
    offered: &[
        tuned(5, "binomial", Some(traffic(ReductionForm::ReduceBinomial)))
            .with_segments()
            .for_operations(ServedOperations::Commutative),
        mpich("binomial", Some(traffic(ReductionForm::ReduceBinomial))),
        intel_reduction(2, "binomial", Some(traffic(ReductionForm::ReduceBinomial))),
    ],
    ..FLAT
};

pub(in crate::algorithm) const BINARY: AlgorithmEntry = AlgorithmEntry {
    name: "binary",
    summary: "over a binary tree, combined on the way",
    rounds: &CombiningRounds(OperandOrder::Any, binary_outline, binary),
    traffic: Some(traffic(ReductionForm::ReduceBinary)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceBinary)),
    offered: &[tuned(4, "binary", Some(traffic(ReductionForm::ReduceBinary)))
        .with_segments()
        .for_operations(ServedOperations::Commutative)],
    ..FLAT
};

pub(in crate::algorithm) const CHAIN: AlgorithmEntry = AlgorithmEntry {
    name: "chain",
    summary: "each rank adds its vector to that of the next and hands it on",
    rounds: &CombiningRounds(OperandOrder::Any, pipeline_outline, pipeline),
    traffic: Some(traffic(ReductionForm::ReduceChain)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReduceChain)),
    offered: &[LIBRARY_PIPELINE],
    ..FLAT
};

pub(in crate::algorithm) const PIPELINE: AlgorithmEntry = AlgorithmEntry {
    name: "pipeline",
    summary: "segmented chain: each segment moves on while the next arrives",
    settings: &[SEGMENT],
    cut: PieceCut::SegmentElements,
    rounds: &CombiningRounds(OperandOrder::Any, pipeline_outline, pipeline),
    traffic: Some(traffic(ReductionForm::ReducePipeline)),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::ReducePipeline)),
    offered: &[LIBRARY_PIPELINE],
    ..FLAT
};

const LIBRARY_PIPELINE: OfferedAlgorithm = tuned(3, "pipeline", Some(traffic(ReductionForm::ReducePipeline)))
    .with_segments()
    .for_operations(ServedOperations::Commutative);

fn flat_outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline {
        buffers: 1,
        ..ScheduleOutline::without_relays((shape.procs.get() as usize - 1).max(1))
    }
}

fn flat(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let (procs, root) = (shape.procs, shape.root);
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let last = Rank(procs.get() - 1);
    // The senders from the last on, without the root.
    let place = u32::try_from(index).expect("fewer than ranks");
    let sender = Rank(last.0 - place - u32::from(root.0 + place >= last.0));
    if rank != root {
        let sends = (rank == sender).then(|| message(root, &[0], BlockSlot::Input));
        return Round {
            sends: sends.into(),
            ..Round::default()
        };
    }
    let buffer = |part| BlockSlot::Buffer { number: 0, part };
    let is_first = index == 0 && root != last;
    let mut round = Round {
        receives: message(sender, &[0], if is_first { BlockSlot::Output } else { buffer }).into(),
        copies: copies(if root == last && index == 0 { &[0] } else { &[] }, BlockSlot::Output).collect(),
        ..Round::default()
    };
    if !is_first {
        round.combinations = combinations(&[0], buffer, BlockSlot::Output).collect();
    }
    if sender.0 == root.0 + 1 {
        round
            .combinations
            .extend(combinations(&[0], BlockSlot::Input, BlockSlot::Output));
    }
    round
}

/// A rank of a tree, with the places of its operands.
pub(in crate::algorithm) struct TreeOperands<'a> {
    pub(in crate::algorithm) tree: RankTree,
    pub(in crate::algorithm) procs: Procs,
    pub(in crate::algorithm) number: Rank,
    pub(in crate::algorithm) parts: &'a [u32],
    /// True if the rank's own operand is its input, else it is at `held`.
    pub(in crate::algorithm) is_input: bool,
    /// Place of a part of what the rank has combined.
    pub(in crate::algorithm) held: &'a dyn Fn(u32) -> BlockSlot,
    /// Place of a part that arrives, by its place among the children of a round.
    pub(in crate::algorithm) arrival: &'a dyn Fn(u32, u32) -> BlockSlot,
}

impl TreeOperands<'_> {
    /// Round `index` of the way up; partners are numbers of the tree.
    pub(in crate::algorithm) fn round(&self, index: usize) -> Round {
        let Self {
            tree,
            procs,
            number,
            parts,
            held,
            arrival,
            is_input,
        } = *self;
        let Some(downwards) = (tree.rounds(procs)).checked_sub(index + 1) else {
            return Round::default();
        };
        let serving = tree.serving_rounds(procs, number);
        let is_first_round = is_input && downwards + 1 == serving.end;
        let children = (0..).zip(tree.children_in(procs, number, downwards));
        let mut received: Vec<ScheduleMessage> = Vec::new();
        let mut combined: Vec<BlockCombination> = Vec::new();
        for (place, child) in children {
            if is_first_round && place == 0 {
                received.push(message(child, parts, held));
                combined.extend(combinations(parts, BlockSlot::Input, held));
            } else {
                received.push(message(child, parts, |part| arrival(place, part)));
                combined.extend(combinations(parts, |part| arrival(place, part), held));
            }
        }
        let parent = tree.parent_in(procs, number, downwards);
        let is_leaf = serving.is_empty() && is_input;
        let operand = |part| if is_leaf { BlockSlot::Input(part) } else { held(part) };
        Round {
            sends: parent.map(|parent| message(parent, parts, operand)).into(),
            receives: received.into_iter().collect(),
            combinations: combined,
            ..Round::default()
        }
    }
}

fn tree_outline(tree: RankTree, procs: Procs) -> ScheduleOutline {
    ScheduleOutline {
        buffers: 3,
        ..ScheduleOutline::without_relays(tree.rounds(procs).max(1))
    }
}

fn whole_tree(tree: RankTree, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    if shape.procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let held = |part| match rank {
        Rank(0) => BlockSlot::Output(part),
        _ => BlockSlot::Buffer { number: 0, part },
    };
    let operands = TreeOperands {
        tree,
        procs: shape.procs,
        number: rank,
        parts: &[0],
        is_input: true,
        held: &held,
        arrival: &|place, part| BlockSlot::Buffer {
            number: 1 + place,
            part,
        },
    };
    operands.round(index)
}

fn binomial_outline(shape: ScheduleShape) -> ScheduleOutline {
    tree_outline(BINOMIAL_TREE, shape.procs)
}

fn binomial(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    whole_tree(BINOMIAL_TREE, shape, rank, index)
}

fn binary_outline(shape: ScheduleShape) -> ScheduleOutline {
    tree_outline(RankTree::Binary, shape.procs)
}

fn binary(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    whole_tree(RankTree::Binary, shape, rank, index)
}

fn pipeline_outline(shape: ScheduleShape) -> ScheduleOutline {
    let hops = shape.procs.get() as usize - 1;
    let rounds = hops.checked_sub(1).map_or(1, |before| before + shape.parts as usize);
    ScheduleOutline {
        buffers: 2,
        longest_message: if hops == 0 { shape.parts } else { 1 },
        ..ScheduleOutline::without_relays(rounds)
    }
}

fn pipeline(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    if shape.procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let last = shape.procs.get() - 1;
    let segment = |hops: u32| {
        let segment = u32::try_from(index.checked_sub(hops as usize)?).ok()?;
        (segment < shape.parts).then_some(segment)
    };
    // While a segment arrives in one buffer, the one before leaves the other.
    let held = |part| match rank {
        Rank(0) => BlockSlot::Output(part),
        _ => BlockSlot::Buffer { number: part % 2, part },
    };
    let operand = |part| {
        if rank.0 == last {
            BlockSlot::Input(part)
        } else {
            held(part)
        }
    };
    let incoming = (last - rank.0).checked_sub(1).and_then(segment);
    let parent = rank.0.checked_sub(1).map(Rank);
    let outgoing = parent.zip(segment(last - rank.0));
    Round {
        sends: outgoing.map(|(to, part)| message(to, &[part], operand)).into(),
        receives: incoming.map(|part| message(Rank(rank.0 + 1), &[part], held)).into(),
        combinations: incoming
            .map(|part| BlockCombination {
                left: BlockSlot::Input(part),
                right: held(part),
            })
            .into_iter()
            .collect(),
        ..Round::default()
    }
}
