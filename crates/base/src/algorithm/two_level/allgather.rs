//! The all-gather in two levels.

use crate::algorithm::allgather::piece_slot;
use crate::algorithm::traffic::AlgorithmTraffic;
use crate::algorithm::tree::BINOMIAL;
use crate::algorithm::{
    AlgorithmEntry, ClusterLayout, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape,
};
use crate::schedule::{BlockCopy, BlockSlot, Round, ScheduleMessage};
use crate::units::Rank;

pub(in crate::algorithm) const ALLGATHER: AlgorithmEntry = AlgorithmEntry {
    name: "two-level",
    collective: Collective::Allgather,
    summary: "clusters: inside each, once between their heads, then inside again",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(outline, round),
    traffic: Some(AlgorithmTraffic::Clusters),
    closed_form: None,
    offered: &[],
};

/// Rounds before the heads hand out the pieces of the other clusters.
const ROUNDS_BEFORE_TREE: usize = 2;

fn outline(shape: ScheduleShape) -> ScheduleOutline {
    let layout = shape.required_layout();
    let is_alone = layout.clusters() == 1;
    let of_others = |cluster_size: u32| shape.procs.get() - cluster_size;
    let longest = layout.size_counts().map(|(size, _)| match size {
        1 => 1,
        size => of_others(size).max(size),
    });
    ScheduleOutline {
        rounds: if is_alone {
            1
        } else {
            ROUNDS_BEFORE_TREE + layout.tree_rounds(0).unwrap_or(0)
        },
        scratch: 0,
        buffers: 0,
        longest_message: if is_alone { 1 } else { longest.max().unwrap_or(1) },
    }
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let layout = shape.required_layout();
    match index.checked_sub(ROUNDS_BEFORE_TREE) {
        Some(tree_round) => hand_out(layout, rank, tree_round),
        None if index == 0 => exchange(layout, rank),
        None => cross(layout, rank),
    }
}

/// All ranks of a cluster exchange their pieces.
fn exchange(layout: &ClusterLayout, rank: Rank) -> Round {
    let (cluster, size, number) = layout.tree_position(rank);
    let peers = 1..size.get();
    let to = |distance| layout.cluster_member(cluster, number.successor(distance, size));
    let from = |distance| layout.cluster_member(cluster, number.predecessor(distance, size));
    Round {
        sends: peers.clone().map(|t| cluster_message(rank, to(t), &[rank])).collect(),
        receives: peers
            .map(|t| ScheduleMessage::single(from(t), BlockSlot::Output(from(t).0)))
            .collect(),
        copies: [BlockCopy {
            from: BlockSlot::Input(0),
            to: BlockSlot::Output(rank.0),
        }]
        .into(),
        ..Round::default()
    }
}

/// The heads exchange the pieces of their clusters.
fn cross(layout: &ClusterLayout, rank: Rank) -> Round {
    let (cluster, _, number) = layout.tree_position(rank);
    if number != Rank(0) {
        return Round::default();
    }
    let pieces = |head| layout.members(layout.cluster_rank(head).cluster);
    Round {
        sends: layout
            .other_heads(cluster)
            .map(|to| cluster_message(rank, to, pieces(rank)))
            .collect(),
        receives: layout
            .other_heads(cluster)
            .map(|from| output_message(from, pieces(from).iter().copied()))
            .collect(),
        ..Round::default()
    }
}

/// The pieces of all other clusters go down the tree of a cluster.
fn hand_out(layout: &ClusterLayout, rank: Rank, tree_round: usize) -> Round {
    let (cluster, size, number) = layout.tree_position(rank);
    let others = || {
        let clusters = (0..layout.clusters()).filter(|&other| other != cluster);
        clusters.flat_map(|other| layout.members(other).iter().copied())
    };
    let children = BINOMIAL.children_in(size, number, tree_round);
    let parent = BINOMIAL.parent_in(size, number, tree_round);
    Round {
        sends: children
            .map(|child| output_message(layout.cluster_member(cluster, child), others()))
            .collect(),
        receives: parent
            .map(|parent| output_message(layout.cluster_member(cluster, parent), others()))
            .into(),
        ..Round::default()
    }
}

/// Pieces of other ranks, sent or received.
fn output_message(partner: Rank, pieces: impl Iterator<Item = Rank>) -> ScheduleMessage {
    ScheduleMessage::of(partner, pieces.map(|of| BlockSlot::Output(of.0)))
}

/// Pieces of this rank's own cluster.
fn cluster_message(rank: Rank, to: Rank, pieces: &[Rank]) -> ScheduleMessage {
    ScheduleMessage::of(to, pieces.iter().map(|&of| piece_slot(rank, of)))
}
