//! The broadcast in two levels.

use crate::algorithm::bcast::held;
use crate::algorithm::setting::SEGMENT;
use crate::algorithm::traffic::Traffic;
use crate::algorithm::tree::BINOMIAL;
use crate::algorithm::{AllRounds, Collective, Cut, Entry, Layout, Outline, Shape};
use crate::schedule::{Message, Round, Slot};
use crate::units::Rank;

pub(in crate::algorithm) const BCAST: Entry = Entry {
    name: "two-level",
    collective: Collective::Bcast,
    summary: "clusters: once to the head of each, then inside it, one segment after the other",
    settings: &[SEGMENT],
    cut: Cut::Segments,
    rounds: &AllRounds(outline, round),
    traffic: Some(Traffic::Clusters),
    closed_form: None,
    library: &[],
};

/// Rounds before the head of a cluster has its message.
fn start(cluster: usize) -> usize {
    usize::from(cluster > 0)
}

fn outline(shape: Shape) -> Outline {
    let layout = shape.clusters();
    Outline::without_relays(if shape.parts == 1 {
        let own = layout.tree_rounds(0).unwrap_or(0);
        let others = layout.tree_rounds(1).map(|rounds| start(1) + rounds);
        own.max(others.unwrap_or(0))
    } else {
        let depth = |(cluster, size): (usize, u32)| start(cluster) + size as usize - 1;
        let height = layout.sizes().enumerate().map(depth).max();
        let before = height.and_then(|height| height.checked_sub(1));
        before.map_or(0, |before| before + shape.parts as usize)
    })
}

fn round(shape: Shape, rank: Rank, index: usize) -> Round {
    let layout = shape.clusters();
    if shape.parts == 1 {
        return staged(layout, rank, index);
    }
    relayed(shape, rank, index)
}

/// Sends of a block to the heads of the other clusters, from the root.
fn to_heads(layout: &Layout, rank: Rank, block: u32) -> impl Iterator<Item = Message> {
    let heads = (rank == Rank(0)).then(|| layout.other_heads(0));
    heads.into_iter().flatten().map(move |to| send(rank, to, block))
}

/// The whole message down a tree.
fn staged(layout: &Layout, rank: Rank, index: usize) -> Round {
    let (cluster, size, number) = layout.within(rank);
    let within = index.checked_sub(start(cluster));
    let children = within.map(|within| BINOMIAL.children_in(size, number, within));
    let children = children.into_iter().flatten();
    let children = children.map(|child| send(rank, layout.inside(cluster, child), 0));
    let heads = to_heads(layout, rank, 0).filter(|_| index == 0);
    let parent = within.and_then(|within| BINOMIAL.parent_in(size, number, within));
    let parent = parent.map(|parent| layout.inside(cluster, parent));
    let is_head = number == Rank(0) && cluster > 0 && index == 0;
    let from = parent.or(is_head.then_some(Rank(0)));
    Round {
        sends: heads.chain(children).collect(),
        receives: from.map(|from| receive(from, 0)).into(),
        ..Round::default()
    }
}

/// Segments along a chain in each cluster: each round receives one and sends the one before.
fn relayed(shape: Shape, rank: Rank, index: usize) -> Round {
    let layout = shape.clusters();
    let (cluster, size, number) = layout.within(rank);
    let depth = start(cluster) + number.0 as usize;
    let segment = |late: Option<usize>| {
        let segment = late.and_then(|segment| u32::try_from(segment).ok());
        segment.filter(|&segment| segment < shape.parts)
    };
    let inside = |number| layout.inside(cluster, Rank(number));
    let next = (number.0 + 1 < size.get()).then(|| inside(number.0 + 1));
    let parent = match number.0.checked_sub(1) {
        Some(before) => Some(inside(before)),
        None => (cluster > 0).then_some(Rank(0)),
    };
    let out = segment(index.checked_sub(depth));
    let sends = out.into_iter().flat_map(|block| {
        let next = next.map(|to| send(rank, to, block));
        to_heads(layout, rank, block).chain(next)
    });
    let come = parent.zip(segment((index + 1).checked_sub(depth)));
    Round {
        sends: sends.collect(),
        receives: come.map(|(from, segment)| receive(from, segment)).into(),
        ..Round::default()
    }
}

fn send(from: Rank, to: Rank, block: u32) -> Message {
    Message::single(to, held(from, block))
}

fn receive(from: Rank, block: u32) -> Message {
    Message::single(from, Slot::Output(block))
}
