//! The in-order binary reduce: for any operation, in the order of the ranks.
//!
//! The root of a tree over the ranks a … b−1 is rank b−1. With h = ⌊(b−a)/2⌋, its children are the roots of the trees over
//! a … a+h−1 and a+h … b−2. It combines left ∘ (right ∘ own). If another rank is the root of the reduce, rank n−1 sends it the
//! result.

use super::super::offer::tuned;
use super::super::traffic::{AlgorithmTraffic, ClosedForm, ReductionForm};
use super::super::{AlgorithmEntry, Collective, CombiningRounds, PieceCut, ScheduleOutline, ScheduleShape};
use super::{combinations, copies, lone_round, message};
use crate::schedule::{BlockSlot, OperandOrder, Round};
use crate::units::{Procs, Rank};

const TRAFFIC: AlgorithmTraffic = AlgorithmTraffic::Reduction(ReductionForm::InOrderBinary);

pub(in crate::algorithm) const BINARY: AlgorithmEntry = AlgorithmEntry {
    name: "in-order-binary",
    collective: Collective::Reduce,
    summary: "over a binary tree that keeps the order of the ranks",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &CombiningRounds(OperandOrder::Ranks, outline, round),
    traffic: Some(TRAFFIC),
    closed_form: Some(ClosedForm::Reduction(ReductionForm::InOrderBinary)),
    offered: &[tuned(6, "in-order_binary", Some(TRAFFIC)).with_segments()],
};

/// A rank in the tree.
#[derive(Debug, Clone, Copy, Default)]
struct InOrderNode {
    depth: usize,
    parent: Option<Rank>,
    /// Left and right child.
    children: [Option<Rank>; 2],
}

impl InOrderNode {
    fn of(procs: Procs, rank: Rank) -> Self {
        let (mut start, mut end) = (0, procs.get());
        let mut node = Self::default();
        loop {
            let root = Rank(end - 1);
            let middle = start + (end - start) / 2;
            if root == rank {
                node.children =
                    [(start, middle), (middle, root.0)].map(|(first, end)| (first < end).then(|| Rank(end - 1)));
                return node;
            }
            node.parent = Some(root);
            node.depth += 1;
            (start, end) = if rank.0 < middle {
                (start, middle)
            } else {
                (middle, root.0)
            };
        }
    }
}

/// Largest depth of a rank: that of rank 0 or of its right neighbours.
fn height(procs: Procs) -> usize {
    let mut ranks = procs.get();
    let mut height = 0;
    while ranks > 1 {
        ranks = (ranks / 2).max(ranks - 1 - ranks / 2);
        height += 1;
    }
    height
}

fn outline(shape: ScheduleShape) -> ScheduleOutline {
    let is_handed_on = shape.root.0 + 1 != shape.procs.get();
    ScheduleOutline {
        buffers: 3,
        ..ScheduleOutline::without_relays((height(shape.procs) + usize::from(is_handed_on)).max(1))
    }
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let (procs, root) = (shape.procs, shape.root);
    if procs.get() == 1 {
        return lone_round(shape.parts);
    }
    let height = height(procs);
    let last = Rank(procs.get() - 1);
    let held = |part| {
        if rank == last && rank == root {
            BlockSlot::Output(part)
        } else {
            BlockSlot::Buffer { number: 0, part }
        }
    };
    if index == height {
        return Round {
            sends: (rank == last).then(|| message(root, &[0], held)).into(),
            receives: (rank == root).then(|| message(last, &[0], BlockSlot::Output)).into(),
            ..Round::default()
        };
    }
    let node = InOrderNode::of(procs, rank);
    let receives_now = index + 1 + node.depth == height;
    let sends_now = index + node.depth == height;
    let children = || (1u32..).zip(node.children.into_iter().rev().flatten().filter(move |_| receives_now));
    let has_children = node.children.iter().any(Option::is_some);
    let operand = |part| {
        if has_children {
            held(part)
        } else {
            BlockSlot::Input(part)
        }
    };
    let arrival = |number| move |part| BlockSlot::Buffer { number, part };
    let own_copy: &[u32] = if receives_now && has_children { &[0] } else { &[] };
    Round {
        sends: node
            .parent
            .filter(|_| sends_now)
            .map(|parent| message(parent, &[0], operand))
            .into(),
        receives: children()
            .map(|(number, child)| message(child, &[0], arrival(number)))
            .collect(),
        copies: copies(own_copy, held).collect(),
        combinations: children()
            .flat_map(|(number, _)| combinations(&[0], arrival(number), held))
            .collect(),
        ..Round::default()
    }
}
