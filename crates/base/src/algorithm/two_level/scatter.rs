//! The scatter and the gather in two levels.

use std::ops::Range;

use crate::algorithm::alltoall::keep;
use crate::algorithm::scatter::Way;
use crate::algorithm::traffic::Traffic;
use crate::algorithm::{Collective, Cut, Entry, Layout, Outline, Rounds, Seat, Shape};
use crate::schedule::{Message, Messages, Round, Slot};
use crate::units::Rank;

pub(in crate::algorithm) const SCATTER: Entry = Entry {
    name: "two-level",
    collective: Collective::Scatter,
    summary: "clusters: all pieces of a cluster once to its head, then inside it",
    settings: &[],
    cut: Cut::Whole,
    rounds: &TwoLevel(Way::Down),
    traffic: Some(Traffic::Clusters),
    closed_form: None,
    library: &[],
};

pub(in crate::algorithm) const GATHER: Entry = Entry {
    collective: Collective::Gather,
    summary: "clusters: to the head inside each, then all pieces of a cluster once to the root",
    rounds: &TwoLevel(Way::Up),
    ..SCATTER
};

/// From the root, or to it by the same rounds backwards.
#[derive(Debug)]
struct TwoLevel(Way);

impl Rounds for TwoLevel {
    fn outline(&self, shape: Shape) -> Outline {
        let largest = largest(shape.clusters());
        Outline {
            rounds: 1 + usize::from(largest > 1),
            scratch: largest - 1,
            longest_message: largest,
        }
    }

    fn round(&self, shape: Shape, rank: Rank, index: usize) -> Round {
        let (Self(way), layout) = (self, shape.clusters());
        let downwards = match way {
            Way::Down => index,
            Way::Up => self.outline(shape).rounds - 1 - index,
        };
        let message = |partner, head, pieces: &[Rank]| {
            let slots = pieces.iter().map(|&of| way.slot(layout, head, of));
            Message::of(partner, slots)
        };
        let seat = layout.seat(rank);
        let cluster = layout.members(seat.cluster);
        let head = layout.head(seat.cluster);
        let is_head = seat.number == 0;
        let is_first = downwards == 0;
        let mut children = Vec::new();
        if is_first && rank == Rank(0) {
            let others = 1..layout.clusters();
            children.extend(others.map(|other| message(layout.head(other), rank, layout.members(other))));
        }
        if is_head && is_first == (seat.cluster == 0) {
            let members = cluster[1..].iter();
            children.extend(members.map(|&of| message(of, rank, &[of])));
        }
        let parent = match (is_head, seat.cluster) {
            (true, 0) => None,
            (true, _) => is_first.then(|| message(Rank(0), rank, cluster)),
            (false, own) => (is_first == (own == 0)).then(|| message(head, rank, &[rank])),
        };
        let children: Messages = children.into_iter().collect();
        let (sends, receives) = match way {
            Way::Down => (children, parent.into()),
            Way::Up => (parent.into(), children),
        };
        let keeps_own = index == 0 && rank == Rank(0);
        Round {
            sends,
            receives,
            copies: keeps_own.then(|| keep(0)).into_iter().collect(),
            ..Round::default()
        }
    }

    fn active(&self, shape: Shape, _: Rank) -> Range<usize> {
        0..self.outline(shape).rounds
    }
}

/// Size of the largest cluster other than the root's; 1 if there is none.
fn largest(layout: &Layout) -> u32 {
    layout.sizes().skip(1).max().unwrap_or(1)
}

impl Way {
    /// Slot at `rank`, the root, a head or the rank itself, of the piece of rank `of`.
    fn slot(self, layout: &Layout, rank: Rank, of: Rank) -> Slot {
        let Seat { number, .. } = layout.seat(of);
        match self {
            Self::Down if rank == Rank(0) => Slot::Input(of.0),
            Self::Up if rank == Rank(0) => Slot::Output(of.0),
            Self::Down if rank == of => Slot::Output(0),
            Self::Up if rank == of => Slot::Input(0),
            _ => Slot::Scratch(number - 1),
        }
    }
}
