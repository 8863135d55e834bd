//! Gathers over trees: the piece of rank i becomes piece i of rank 0.
//!
//! The scatter over the same tree run backwards: a rank receives the pieces of all ranks below it,
//! the smallest subtree first, and then sends them with its own to its parent.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use super::offer::{intel, mpich, tuned};
use super::scatter::{Along, PARTS, Way};
use super::traffic::{ClosedForm, Traffic};
use super::tree::{BINOMIAL as BINOMIAL_TREE, Tree};
use super::{Collective, Cut, Entry};

pub(super) const FLAT: Entry = Entry {
    name: "flat",
    collective: Collective::Gather,
    summary: "every rank sends to the root, all at once",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Along(Way::Up, Tree::Flat),
    traffic: Some(Traffic::Port),
    closed_form: Some(ClosedForm::Flat),
    library: &[tuned(1, "basic_linear", Some(Traffic::Port))],
};

pub(super) const BINOMIAL: Entry = Entry {
    name: "binomial",
    collective: Collective::Gather,
    summary: "over the binomial tree, handing on twice as much in each round",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Along(Way::Up, BINOMIAL_TREE),
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
    collective: Collective::Gather,
    summary: "each rank adds its own piece to those of the next and hands them on",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Along(Way::Up, Tree::Chain),
    traffic: None,
    closed_form: Some(ClosedForm::ChainOfParts),
    library: &[],
};
