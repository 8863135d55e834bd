//! Gathers over trees: the piece of rank i becomes piece i of rank 0.
//!
//! The scatter over the same tree run backwards: a rank takes the pieces of all ranks below
//! it, the smallest subtree first, and then hands them with its own to its parent.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use super::scatter;
use super::tree::{BINOMIAL as BINOMIAL_TREE, Tree};
use super::{Collective, Cut, Entry, Shape};
use crate::schedule::{Copy, Receive, Round, Send, Slot};
use crate::units::Rank;

pub(super) const FLAT: Entry = Entry {
    name: "flat",
    collective: Collective::Gather,
    summary: "every rank sends to the root, all at once",
    parameter: None,
    cut: Cut::Whole,
    outline: |shape| scatter::outline(Tree::Flat, shape),
    round: |shape, rank, index| round(Tree::Flat, shape, rank, index),
};

pub(super) const BINOMIAL: Entry = Entry {
    name: "binomial",
    collective: Collective::Gather,
    summary: "over the binomial tree, doubling what is handed on",
    parameter: None,
    cut: Cut::Whole,
    outline: |shape| scatter::outline(BINOMIAL_TREE, shape),
    round: |shape, rank, index| round(BINOMIAL_TREE, shape, rank, index),
};

pub(super) const CHAIN: Entry = Entry {
    name: "chain",
    collective: Collective::Gather,
    summary: "each rank adds its own piece to those of the next and hands them on",
    parameter: None,
    cut: Cut::Whole,
    outline: |shape| scatter::outline(Tree::Chain, shape),
    round: |shape, rank, index| round(Tree::Chain, shape, rank, index),
};

fn round(tree: Tree, shape: Shape, rank: Rank, index: usize) -> Round {
    let last = scatter::outline(tree, shape).rounds - 1;
    let leaves = |rank: Rank| tree.arrival(shape.procs, rank) == last - index;
    let pieces = |child| tree.subtree(shape.procs, child).map(|of| held(rank, of));
    let children = tree.children(shape.procs, rank).into_iter();
    let parent = tree.parent(rank).filter(|_| leaves(rank));
    let keeps_own = index == 0 && rank == Rank(0);
    Round {
        sends: parent
            .map(|to| Send {
                to,
                slots: pieces(rank).collect(),
            })
            .into_iter()
            .collect(),
        receives: children
            .filter(|&child| leaves(child))
            .map(|from| Receive {
                from,
                slots: pieces(from).collect(),
            })
            .collect(),
        copies: keeps_own.then(keep_own).into_iter().collect(),
        ..Round::default()
    }
}

/// Where a rank has the piece of rank `of`, itself or one below it.
fn held(rank: Rank, of: u32) -> Slot {
    match of - rank.0 {
        _ if rank == Rank(0) => Slot::Output(of),
        0 => Slot::Input(0),
        below => Slot::Scratch(below - 1),
    }
}

fn keep_own() -> Copy {
    Copy {
        from: Slot::Input(0),
        to: Slot::Output(0),
    }
}
