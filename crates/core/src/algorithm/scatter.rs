//! Scatters over trees: piece i of rank 0 ends with rank i.
//!
//! A rank gets the pieces of all ranks below it in one message and hands each child those
//! of its subtree, the largest first.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use std::ops::Range;

use super::alltoall::keep;
use super::library::{mpich, tuned};
use super::traffic::{ClosedForm, Load, Traffic};
use super::tree::{BINOMIAL as BINOMIAL_TREE, Tree};
use super::{Collective, Cut, Entry, Outline, Shape};
use crate::schedule::{Frame, Messages, Receive, Round, Send, Slot};
use crate::units::{Procs, Rank};

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
    let procs = shape.procs;
    let pieces = |child| tree.subtree(procs, child).map(|of| held(rank, of));
    let parent = tree.parent_in(procs, rank, index);
    let keeps_own = index == 0 && rank == Rank(0);
    Round {
        sends: match tree {
            Tree::Flat if rank == Rank(0) => to_all(procs),
            _ => tree
                .children_in(procs, rank, index)
                .map(|to| Send {
                    to,
                    slots: pieces(to).collect(),
                })
                .collect(),
        },
        receives: parent
            .map(|from| Receive {
                from,
                slots: pieces(rank).collect(),
            })
            .into(),
        copies: keeps_own.then(|| keep(0)).into_iter().collect(),
        ..Round::default()
    }
}

/// What the root of a flat tree sends.
fn to_all(procs: Procs) -> Messages<Send> {
    Messages::one_each(Frame::of(procs, Rank(0)), |_, number| Send {
        to: Rank(number + 1),
        slots: [Slot::Input(number + 1)].into(),
    })
}

/// Where a rank has the piece of rank `of`, itself or one below it.
fn held(rank: Rank, of: u32) -> Slot {
    match of - rank.0 {
        _ if rank == Rank(0) => Slot::Input(of),
        0 => Slot::Output(0),
        below => Slot::Scratch(below - 1),
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
