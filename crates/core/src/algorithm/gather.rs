//! Gathers over trees: the piece of rank i becomes piece i of rank 0.
//!
//! The scatter over the same tree run backwards: a rank takes the pieces of all ranks below
//! it, the smallest subtree first, and then hands them with its own to its parent.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use std::ops::Range;

use super::library::{mpich, tuned};
use super::scatter::{self, Way};
use super::traffic::{ClosedForm, Traffic};
use super::tree::{BINOMIAL as BINOMIAL_TREE, Tree};
use super::{Collective, Cut, Entry, Shape};
use crate::schedule::{Frame, Round};
use crate::units::Rank;

pub(super) const FLAT: Entry = Entry {
    name: "flat",
    collective: Collective::Gather,
    summary: "every rank sends to the root, all at once",
    settings: &[],
    cut: Cut::Whole,
    outline: |shape| scatter::outline(Tree::Flat, shape),
    round: |shape, rank, index| round(Tree::Flat, shape, rank, index),
    active: |shape, rank| active(Tree::Flat, shape, rank),
    traffic: Some(Traffic::Port),
    closed_form: Some(ClosedForm::Flat),
    library: &[tuned(1, "basic_linear", Some(Traffic::Port))],
};

pub(super) const BINOMIAL: Entry = Entry {
    name: "binomial",
    collective: Collective::Gather,
    summary: "over the binomial tree, doubling what is handed on",
    settings: &[],
    cut: Cut::Whole,
    outline: |shape| scatter::outline(BINOMIAL_TREE, shape),
    round: |shape, rank, index| round(BINOMIAL_TREE, shape, rank, index),
    active: |shape, rank| active(BINOMIAL_TREE, shape, rank),
    traffic: Some(scatter::PARTS),
    closed_form: Some(ClosedForm::BinomialOfParts),
    library: &[
        tuned(2, "binomial", Some(scatter::PARTS)),
        mpich("binomial", Some(scatter::PARTS)),
    ],
};

pub(super) const CHAIN: Entry = Entry {
    name: "chain",
    collective: Collective::Gather,
    summary: "each rank adds its own piece to those of the next and hands them on",
    settings: &[],
    cut: Cut::Whole,
    outline: |shape| scatter::outline(Tree::Chain, shape),
    round: |shape, rank, index| round(Tree::Chain, shape, rank, index),
    active: |shape, rank| active(Tree::Chain, shape, rank),
    traffic: None,
    closed_form: Some(ClosedForm::ChainOfParts),
    library: &[],
};

fn active(tree: Tree, shape: Shape, rank: Rank) -> Range<usize> {
    let rounds = tree.rounds(shape.procs).max(1);
    let scattering = tree.active(shape.procs, rank);
    match rank {
        // It keeps its own piece in the first round.
        Rank(0) => 0..rounds,
        _ => rounds - scattering.end..rounds - scattering.start,
    }
}

fn round(tree: Tree, shape: Shape, rank: Rank, index: usize) -> Round {
    scatter::round_along(Way::Up, tree, Frame::of(shape.procs, rank), index)
}
