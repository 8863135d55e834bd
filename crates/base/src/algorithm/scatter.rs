//! Scatters over trees: piece i of rank 0 ends with rank i.
//!
//! A rank receives the pieces of all ranks below it in one message and sends each child the pieces
//! of its subtree, the largest first. A gather is the same backwards.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use std::ops::Range;

use super::alltoall::keep;
use super::offer::{intel, mpich, tuned};
use super::traffic::{ClosedForm, Load, Traffic};
use super::tree::{BINOMIAL as BINOMIAL_TREE, Tree};
use super::{Collective, Cut, Entry, Outline, Rounds, Shape};
use crate::schedule::{Frame, Message, Messages, Round, Slot};
use crate::units::Rank;

pub(super) const FLAT: Entry = Entry {
    name: "flat",
    collective: Collective::Scatter,
    summary: "the root sends to every rank, all at once",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Along(Way::Down, Tree::Flat),
    traffic: Some(Traffic::Port),
    closed_form: Some(ClosedForm::Flat),
    library: &[
        tuned(1, "basic_linear", Some(Traffic::Port)),
        tuned(3, "linear_nb", Some(Traffic::Port)),
    ],
};

pub(super) const BINOMIAL: Entry = Entry {
    name: "binomial",
    collective: Collective::Scatter,
    summary: "over the binomial tree, handing on half as much in each round",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Along(Way::Down, BINOMIAL_TREE),
    traffic: Some(PARTS),
    closed_form: Some(ClosedForm::BinomialOfParts),
    library: &[
        tuned(2, "binomial", Some(PARTS)),
        mpich("binomial", Some(PARTS)),
        intel(1, "binomial", Some(PARTS)),
    ],
};

pub(super) const CHAIN: Entry = Entry {
    name: "chain",
    collective: Collective::Scatter,
    summary: "each rank takes its own piece and hands on the rest",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Along(Way::Down, Tree::Chain),
    traffic: None,
    closed_form: Some(ClosedForm::ChainOfParts),
    library: &[],
};

/// Traffic of a binomial tree over which a rank receives or sends the pieces of all ranks below it.
pub(super) const PARTS: Traffic = Traffic::Tree(Load::Parts);

/// Direction of the pieces along a tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// From the root.
    Down,
    /// To the root: the same rounds backwards.
    Up,
}

/// A scatter or gather over a tree. The root copies its own piece in the first round, so that there
/// is at least one round.
#[derive(Debug)]
pub(super) struct Along(pub Way, pub Tree);

impl Rounds for Along {
    fn outline(&self, Shape { procs, .. }: Shape) -> Outline {
        let longest = self.1.largest_subtree(procs);
        Outline {
            rounds: self.1.rounds(procs).max(1),
            scratch: longest - 1,
            longest_message: longest,
        }
    }

    fn round(&self, Shape { procs, .. }: Shape, rank: Rank, index: usize) -> Round {
        let Self(way, tree) = *self;
        let downwards = match way {
            Way::Down => index,
            Way::Up => tree.rounds(procs).max(1) - 1 - index,
        };
        let message = |partner, top| {
            let pieces = tree.subtree(procs, top);
            Message::of(partner, pieces.map(|of| way.held(rank, of)))
        };
        let children = match tree {
            Tree::Flat if rank == Rank(0) => Messages::one_each(Frame::of(procs, rank), way.of_root()),
            _ => tree
                .children_in(procs, rank, downwards)
                .map(|child| message(child, child))
                .collect(),
        };
        let parent = tree.parent_in(procs, rank, downwards);
        let parent = parent.map(|parent| message(parent, rank)).into();
        let (sends, receives) = match way {
            Way::Down => (children, parent),
            Way::Up => (parent, children),
        };
        let keeps_own = index == 0 && rank == Rank(0);
        Round {
            sends,
            receives,
            copies: keeps_own.then(|| keep(0)).into_iter().collect(),
            ..Round::default()
        }
    }

    fn active(&self, Shape { procs, .. }: Shape, rank: Rank) -> Range<usize> {
        let Self(way, tree) = *self;
        let (rounds, downwards) = (tree.rounds(procs).max(1), tree.active(procs, rank));
        match (way, rank) {
            (Way::Down, Rank(0)) => 0..downwards.end.max(1),
            (Way::Up, Rank(0)) => 0..rounds,
            (Way::Down, _) => downwards,
            (Way::Up, _) => rounds - downwards.end..rounds - downwards.start,
        }
    }
}

impl Way {
    /// Slot of the piece of rank `of`, which is `rank` or below it.
    fn held(self, rank: Rank, of: u32) -> Slot {
        match (self, of - rank.0) {
            (Self::Down, _) if rank == Rank(0) => Slot::Input(of),
            (Self::Up, _) if rank == Rank(0) => Slot::Output(of),
            (Self::Down, 0) => Slot::Output(0),
            (Self::Up, 0) => Slot::Input(0),
            (_, below) => Slot::Scratch(below - 1),
        }
    }

    /// Messages of the root of a flat tree, by their numbers.
    fn of_root(self) -> fn(Frame, u32) -> Message {
        match self {
            Self::Down => |_, number| Message::single(Rank(number + 1), Slot::Input(number + 1)),
            Self::Up => |_, number| Message::single(Rank(number + 1), Slot::Output(number + 1)),
        }
    }
}
