//! The all-gather in two levels.

use crate::algorithm::allgather::held;
use crate::algorithm::traffic::Traffic;
use crate::algorithm::tree::BINOMIAL;
use crate::algorithm::{AllRounds, Collective, Cut, Entry, Layout, Outline, Shape};
use crate::schedule::{Copy, Message, Round, Slot};
use crate::units::Rank;

pub(in crate::algorithm) const ALLGATHER: Entry = Entry {
    name: "two-level",
    collective: Collective::Allgather,
    summary: "clusters: inside each, once between their heads, then inside again",
    settings: &[],
    cut: Cut::Whole,
    rounds: &AllRounds(outline, round),
    traffic: Some(Traffic::Clusters),
    closed_form: None,
    library: &[],
};

/// Rounds before the heads hand out the pieces of the other clusters.
const BEFORE: usize = 2;

fn outline(shape: Shape) -> Outline {
    let layout = shape.clusters();
    let is_alone = layout.clusters() == 1;
    let of_others = |cluster: u32| shape.procs.get() - cluster;
    let longest = layout.kinds().map(|(size, _)| match size {
        1 => 1,
        size => of_others(size).max(size),
    });
    Outline {
        rounds: if is_alone {
            1
        } else {
            BEFORE + layout.tree_rounds(0).unwrap_or(0)
        },
        scratch: 0,
        longest_message: if is_alone { 1 } else { longest.max().unwrap_or(1) },
    }
}

fn round(shape: Shape, rank: Rank, index: usize) -> Round {
    let layout = shape.clusters();
    match index.checked_sub(BEFORE) {
        Some(within) => hand_out(layout, rank, within),
        None if index == 0 => exchange(layout, rank),
        None => cross(layout, rank),
    }
}

/// All ranks of a cluster exchange their pieces.
fn exchange(layout: &Layout, rank: Rank) -> Round {
    let (cluster, size, number) = layout.within(rank);
    let peers = 1..size.get();
    let to = |distance| layout.inside(cluster, number.ahead(distance, size));
    let from = |distance| layout.inside(cluster, number.behind(distance, size));
    Round {
        sends: peers.clone().map(|t| message(rank, to(t), &[rank])).collect(),
        receives: peers
            .map(|t| Message::single(from(t), Slot::Output(from(t).0)))
            .collect(),
        copies: [Copy {
            from: Slot::Input(0),
            to: Slot::Output(rank.0),
        }]
        .into(),
        ..Round::default()
    }
}

/// The heads exchange the pieces of their clusters.
fn cross(layout: &Layout, rank: Rank) -> Round {
    let (cluster, _, number) = layout.within(rank);
    if number != Rank(0) {
        return Round::default();
    }
    let pieces = |head| layout.members(layout.seat(head).cluster);
    Round {
        sends: layout
            .other_heads(cluster)
            .map(|to| message(rank, to, pieces(rank)))
            .collect(),
        receives: layout
            .other_heads(cluster)
            .map(|from| received(from, pieces(from).iter().copied()))
            .collect(),
        ..Round::default()
    }
}

/// The pieces of all other clusters go down the tree of a cluster.
fn hand_out(layout: &Layout, rank: Rank, within: usize) -> Round {
    let (cluster, size, number) = layout.within(rank);
    let others = || {
        let clusters = (0..layout.clusters()).filter(|&other| other != cluster);
        clusters.flat_map(|other| layout.members(other).iter().copied())
    };
    let children = BINOMIAL.children_in(size, number, within);
    let parent = BINOMIAL.parent_in(size, number, within);
    Round {
        sends: children
            .map(|child| received(layout.inside(cluster, child), others()))
            .collect(),
        receives: parent
            .map(|parent| received(layout.inside(cluster, parent), others()))
            .into(),
        ..Round::default()
    }
}

/// Pieces of other ranks, sent or received.
fn received(partner: Rank, pieces: impl Iterator<Item = Rank>) -> Message {
    Message::of(partner, pieces.map(|of| Slot::Output(of.0)))
}

/// Pieces of the own cluster.
fn message(rank: Rank, to: Rank, pieces: &[Rank]) -> Message {
    Message::of(to, pieces.iter().map(|&of| held(rank, of)))
}
