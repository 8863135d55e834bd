//! Gathers over trees: the piece of rank i becomes piece i of rank 0.
//!
//! The scatter over the same tree, run backwards: a rank receives the pieces of all ranks below it, the smallest
//! subtree first. It then sends them with its own piece to its parent.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use super::offer::{intel, mpich, tuned};
use super::scatter::{PARTS, TreeDirection, TreeScatterGather};
use super::traffic::{AlgorithmTraffic, ClosedForm};
use super::tree::{BINOMIAL as BINOMIAL_TREE, RankTree};
use super::{AlgorithmEntry, Collective, PieceCut};

pub(super) const FLAT: AlgorithmEntry = AlgorithmEntry {
    name: "flat",
    collective: Collective::Gather,
    summary: "every rank sends to the root, all at once",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &TreeScatterGather(TreeDirection::Up, RankTree::Flat),
    traffic: Some(AlgorithmTraffic::Port),
    closed_form: Some(ClosedForm::Flat),
    offered: &[tuned(1, "basic_linear", Some(AlgorithmTraffic::Port))],
};

pub(super) const BINOMIAL: AlgorithmEntry = AlgorithmEntry {
    name: "binomial",
    collective: Collective::Gather,
    summary: "over the binomial tree, handing on twice as much in each round",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &TreeScatterGather(TreeDirection::Up, BINOMIAL_TREE),
    traffic: Some(PARTS),
    closed_form: Some(ClosedForm::BinomialOfParts),
    offered: &[
        tuned(2, "binomial", Some(PARTS)),
        mpich("binomial", Some(PARTS)),
        intel(1, "binomial", Some(PARTS)),
    ],
};

pub(super) const CHAIN: AlgorithmEntry = AlgorithmEntry {
    name: "chain",
    collective: Collective::Gather,
    summary: "each rank adds its own piece to those of the next and hands them on",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &TreeScatterGather(TreeDirection::Up, RankTree::Chain),
    traffic: None,
    closed_form: Some(ClosedForm::ChainOfParts),
    offered: &[],
};
