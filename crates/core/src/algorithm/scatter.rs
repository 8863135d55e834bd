//! Scatters over trees: piece i of rank 0 ends with rank i.
//!
//! A rank gets the pieces of all ranks below it in one message and hands each child those
//! of its subtree, the largest first. A gather is the same backwards.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use std::ops::Range;

use super::alltoall::keep;
use super::library::{mpich, tuned};
use super::traffic::{ClosedForm, Load, Traffic};
use super::tree::{BINOMIAL as BINOMIAL_TREE, Tree};
use super::{Collective, Cut, Entry, Outline, Shape};
use crate::schedule::{Frame, Message, Messages, Round, Slot};
use crate::units::Rank;

pub(super) const FLAT: Entry = Entry {
    name: "flat",
    collective: Collective::Scatter,
    summary: "the root sends to every rank, all at once",
    settings: &[],
    cut: Cut::Whole,
    outline: |shape| outline(Tree::Flat, shape),
    round: |shape, rank, index| round(Tree::Flat, shape, rank, index),
    active: |shape, rank| active(Tree::Flat, shape, rank),
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
    summary: "over the binomial tree, halving what is handed on",
    settings: &[],
    cut: Cut::Whole,
    outline: |shape| outline(BINOMIAL_TREE, shape),
    round: |shape, rank, index| round(BINOMIAL_TREE, shape, rank, index),
    active: |shape, rank| active(BINOMIAL_TREE, shape, rank),
    traffic: Some(PARTS),
    closed_form: Some(ClosedForm::BinomialOfParts),
    library: &[
        tuned(2, "binomial", Some(PARTS)),
        mpich("binomial", Some(PARTS)),
    ],
};

pub(super) const CHAIN: Entry = Entry {
    name: "chain",
    collective: Collective::Scatter,
    summary: "each rank takes its own piece and hands on the rest",
    settings: &[],
    cut: Cut::Whole,
    outline: |shape| outline(Tree::Chain, shape),
    round: |shape, rank, index| round(Tree::Chain, shape, rank, index),
    active: |shape, rank| active(Tree::Chain, shape, rank),
    traffic: None,
    closed_form: Some(ClosedForm::ChainOfParts),
    library: &[],
};

/// A binomial tree over which a rank gets or sends the pieces of all ranks below it.
pub(super) const PARTS: Traffic = Traffic::Tree(Load::Parts);

/// Which way pieces go along a tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// From the root.
    Down,
    /// To the root: the same backwards.
    Up,
}

/// Of a scatter or gather over `tree`. At least one round, for the piece of the root.
pub(super) fn outline(tree: Tree, shape: Shape) -> Outline {
    let procs = shape.procs;
    let longest = tree.largest_subtree(procs);
    Outline {
        rounds: tree.rounds(procs).max(1),
        scratch: longest - 1,
        longest_message: longest,
    }
}

/// The root keeps its own piece in the first round.
pub(super) fn active(tree: Tree, shape: Shape, rank: Rank) -> Range<usize> {
    match rank {
        Rank(0) => 0..tree.active(shape.procs, rank).end.max(1),
        _ => tree.active(shape.procs, rank),
    }
}

fn round(tree: Tree, shape: Shape, rank: Rank, index: usize) -> Round {
    round_along(Way::Down, tree, Frame::of(shape.procs, rank), index)
}

/// Round `index` of a scatter or gather.
pub(super) fn round_along(way: Way, tree: Tree, frame: Frame, index: usize) -> Round {
    let Frame { procs, rank, .. } = frame;
    let downwards = match way {
        Way::Down => index,
        Way::Up => tree.rounds(procs).max(1) - 1 - index,
    };
    let message = |partner, top| {
        let pieces = tree.subtree(procs, top);
        Message::of(partner, pieces.map(|of| way.held(rank, of)))
    };
    let children = match tree {
        Tree::Flat if rank == Rank(0) => Messages::one_each(frame, way.of_root()),
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

impl Way {
    /// Where a rank has the piece of rank `of`, itself or one below it.
    fn held(self, rank: Rank, of: u32) -> Slot {
        match (self, of - rank.0) {
            (Self::Down, _) if rank == Rank(0) => Slot::Input(of),
            (Self::Up, _) if rank == Rank(0) => Slot::Output(of),
            (Self::Down, 0) => Slot::Output(0),
            (Self::Up, 0) => Slot::Input(0),
            (_, below) => Slot::Scratch(below - 1),
        }
    }

    /// The messages of the root of a flat tree, by their numbers.
    fn of_root(self) -> fn(Frame, u32) -> Message {
        match self {
            Self::Down => |_, number| Message::single(Rank(number + 1), Slot::Input(number + 1)),
            Self::Up => |_, number| Message::single(Rank(number + 1), Slot::Output(number + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::algorithm::tests::sent_bytes;
    use crate::algorithm::{Algorithm, Collective};
    use crate::units::{Bytes, Procs};

    /// Each piece travels as often as its rank is deep.
    #[test]
    fn scatter_and_gather_move_what_their_trees_say() {
        for procs in 1..40u32 {
            let ranks = 0..u64::from(procs);
            for (text, hops) in [
                ("flat", u64::from(procs) - 1),
                (
                    "binomial",
                    ranks.clone().map(|rank| u64::from(rank.count_ones())).sum(),
                ),
                ("chain", ranks.sum()),
            ] {
                for collective in [Collective::Scatter, Collective::Gather] {
                    let algorithm = Algorithm::parse(collective, text).unwrap();
                    let sent = sent_bytes(algorithm, Procs::new(procs).unwrap(), Bytes(7));
                    assert_eq!(sent.iter().sum::<u64>(), 7 * hops, "{collective} {text}");
                }
            }
        }
    }
}
