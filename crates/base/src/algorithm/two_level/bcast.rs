//! The broadcast in two levels.

use crate::algorithm::bcast::block_slot;
use crate::algorithm::setting::SEGMENT;
use crate::algorithm::traffic::AlgorithmTraffic;
use crate::algorithm::tree::BINOMIAL;
use crate::algorithm::{
    AlgorithmEntry, ClusterLayout, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape,
};
use crate::schedule::{BlockSlot, Round, ScheduleMessage};
use crate::units::Rank;

pub(in crate::algorithm) const BCAST: AlgorithmEntry = AlgorithmEntry {
    name: "two-level",
    collective: Collective::Bcast,
    summary: "clusters: once to the head of each, then inside it, one segment after the other",
    settings: &[SEGMENT],
    cut: PieceCut::Segments,
    rounds: &RoundFunctions(outline, round),
    traffic: Some(AlgorithmTraffic::Clusters),
    closed_form: None,
    offered: &[],
};

/// Rounds before the head of a cluster has its message.
fn rounds_before_head(cluster: usize) -> usize {
    usize::from(cluster > 0)
}

fn outline(shape: ScheduleShape) -> ScheduleOutline {
    let layout = shape.required_layout();
    ScheduleOutline::without_relays(if shape.parts == 1 {
        let root_rounds = layout.tree_rounds(0).unwrap_or(0);
        let other_rounds = layout.tree_rounds(1).map(|rounds| rounds_before_head(1) + rounds);
        root_rounds.max(other_rounds.unwrap_or(0))
    } else {
        let depth = |(cluster, size): (usize, u32)| rounds_before_head(cluster) + size as usize - 1;
        let height = layout.sizes().enumerate().map(depth).max();
        let before = height.and_then(|height| height.checked_sub(1));
        before.map_or(0, |before| before + shape.parts as usize)
    })
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let layout = shape.required_layout();
    if shape.parts == 1 {
        return whole_message_round(layout, rank, index);
    }
    segment_round(shape, rank, index)
}

/// Sends of a block to the heads of the other clusters, from the root.
fn sends_to_heads(layout: &ClusterLayout, rank: Rank, block: u32) -> impl Iterator<Item = ScheduleMessage> {
    let heads = (rank == Rank(0)).then(|| layout.other_heads(0));
    heads.into_iter().flatten().map(move |to| send(rank, to, block))
}

/// The whole message down a tree.
fn whole_message_round(layout: &ClusterLayout, rank: Rank, index: usize) -> Round {
    let (cluster, size, number) = layout.tree_position(rank);
    let tree_round = index.checked_sub(rounds_before_head(cluster));
    let round_children = tree_round.map(|within| BINOMIAL.children_in(size, number, within));
    let child_numbers = round_children.into_iter().flatten();
    let child_sends = child_numbers.map(|child| send(rank, layout.cluster_member(cluster, child), 0));
    let head_sends = sends_to_heads(layout, rank, 0).filter(|_| index == 0);
    let parent_number = tree_round.and_then(|within| BINOMIAL.parent_in(size, number, within));
    let parent = parent_number.map(|parent| layout.cluster_member(cluster, parent));
    let is_head = number == Rank(0) && cluster > 0 && index == 0;
    let from = parent.or(is_head.then_some(Rank(0)));
    Round {
        sends: head_sends.chain(child_sends).collect(),
        receives: from.map(|from| receive(from, 0)).into(),
        ..Round::default()
    }
}

/// Segments along a chain in each cluster: each round receives one and sends the one before.
fn segment_round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let layout = shape.required_layout();
    let (cluster, size, number) = layout.tree_position(rank);
    let depth = rounds_before_head(cluster) + number.0 as usize;
    let segment = |late: Option<usize>| {
        let segment = late.and_then(|segment| u32::try_from(segment).ok());
        segment.filter(|&segment| segment < shape.parts)
    };
    let inside = |number| layout.cluster_member(cluster, Rank(number));
    let next = (number.0 + 1 < size.get()).then(|| inside(number.0 + 1));
    let parent = match number.0.checked_sub(1) {
        Some(before) => Some(inside(before)),
        None => (cluster > 0).then_some(Rank(0)),
    };
    let outgoing = segment(index.checked_sub(depth));
    let sends = outgoing.into_iter().flat_map(|block| {
        let next_send = next.map(|to| send(rank, to, block));
        sends_to_heads(layout, rank, block).chain(next_send)
    });
    let incoming = parent.zip(segment((index + 1).checked_sub(depth)));
    Round {
        sends: sends.collect(),
        receives: incoming.map(|(from, segment)| receive(from, segment)).into(),
        ..Round::default()
    }
}

fn send(from: Rank, to: Rank, block: u32) -> ScheduleMessage {
    ScheduleMessage::single(to, block_slot(from, block))
}

fn receive(from: Rank, block: u32) -> ScheduleMessage {
    ScheduleMessage::single(from, BlockSlot::Output(block))
}
