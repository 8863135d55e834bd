//! Scatters over trees: piece i of rank 0 ends with rank i.
//!
//! A rank receives the pieces of all ranks below it in one message and sends each child the pieces
//! of its subtree, the largest first. A gather is the same backwards.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM).

use std::ops::Range;

use super::alltoall::copy_to_output;
use super::offer::{intel, mpich, tuned};
use super::traffic::{AlgorithmTraffic, ClosedForm, TreeLoad};
use super::tree::{BINOMIAL as BINOMIAL_TREE, RankTree};
use super::{AlgorithmEntry, AlgorithmRounds, Collective, PieceCut, ScheduleOutline, ScheduleShape};
use crate::schedule::{BlockSlot, Round, RoundMessages, RuleInputs, ScheduleMessage};
use crate::units::Rank;

pub(super) const FLAT: AlgorithmEntry = AlgorithmEntry {
    name: "flat",
    collective: Collective::Scatter,
    summary: "the root sends to every rank, all at once",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &TreeScatterGather(TreeDirection::Down, RankTree::Flat),
    traffic: Some(AlgorithmTraffic::Port),
    closed_form: Some(ClosedForm::Flat),
    offered: &[
        tuned(1, "basic_linear", Some(AlgorithmTraffic::Port)),
        tuned(3, "linear_nb", Some(AlgorithmTraffic::Port)),
    ],
};

pub(super) const BINOMIAL: AlgorithmEntry = AlgorithmEntry {
    name: "binomial",
    collective: Collective::Scatter,
    summary: "over the binomial tree, handing on half as much in each round",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &TreeScatterGather(TreeDirection::Down, BINOMIAL_TREE),
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
    collective: Collective::Scatter,
    summary: "each rank takes its own piece and hands on the rest",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &TreeScatterGather(TreeDirection::Down, RankTree::Chain),
    traffic: None,
    closed_form: Some(ClosedForm::ChainOfParts),
    offered: &[],
};

/// Traffic of a binomial tree over which a rank receives or sends the pieces of all ranks below it.
pub(super) const PARTS: AlgorithmTraffic = AlgorithmTraffic::Tree(TreeLoad::Parts);

/// Direction of the pieces along a tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum TreeDirection {
    /// From the root.
    Down,
    /// To the root: the same rounds backwards.
    Up,
}

/// A scatter or gather over a tree. The root copies its own piece in the first round, so that there
/// is at least one round.
#[derive(Debug)]
pub(super) struct TreeScatterGather(pub TreeDirection, pub RankTree);

impl AlgorithmRounds for TreeScatterGather {
    fn outline(&self, ScheduleShape { procs, .. }: ScheduleShape) -> ScheduleOutline {
        let longest = self.1.largest_subtree(procs);
        ScheduleOutline {
            rounds: self.1.rounds(procs).max(1),
            scratch: longest - 1,
            buffers: 0,
            longest_message: longest,
        }
    }

    fn round(&self, ScheduleShape { procs, .. }: ScheduleShape, rank: Rank, index: usize) -> Round {
        let Self(direction, tree) = *self;
        let downwards = match direction {
            TreeDirection::Down => index,
            TreeDirection::Up => tree.rounds(procs).max(1) - 1 - index,
        };
        let message = |partner, top| {
            let pieces = tree.subtree(procs, top);
            ScheduleMessage::of(partner, pieces.map(|of| direction.piece_slot(rank, of)))
        };
        let children = match tree {
            RankTree::Flat if rank == Rank(0) => {
                RoundMessages::one_each(RuleInputs::for_rank(procs, rank), direction.root_message())
            }
            _ => tree
                .children_in(procs, rank, downwards)
                .map(|child| message(child, child))
                .collect(),
        };
        let parent = tree.parent_in(procs, rank, downwards);
        let parent_message = parent.map(|parent| message(parent, rank)).into();
        let (sends, receives) = match direction {
            TreeDirection::Down => (children, parent_message),
            TreeDirection::Up => (parent_message, children),
        };
        let keeps_own = index == 0 && rank == Rank(0);
        Round {
            sends,
            receives,
            copies: keeps_own.then(|| copy_to_output(0)).into_iter().collect(),
            ..Round::default()
        }
    }

    fn active_rounds(&self, ScheduleShape { procs, .. }: ScheduleShape, rank: Rank) -> Range<usize> {
        let Self(direction, tree) = *self;
        let (rounds, downwards) = (tree.rounds(procs).max(1), tree.active_rounds(procs, rank));
        match (direction, rank) {
            (TreeDirection::Down, Rank(0)) => 0..downwards.end.max(1),
            (TreeDirection::Up, Rank(0)) => 0..rounds,
            (TreeDirection::Down, _) => downwards,
            (TreeDirection::Up, _) => rounds - downwards.end..rounds - downwards.start,
        }
    }
}

impl TreeDirection {
    /// Slot of the piece of rank `of`, which is `rank` or below it.
    fn piece_slot(self, rank: Rank, of: u32) -> BlockSlot {
        match (self, of - rank.0) {
            (Self::Down, _) if rank == Rank(0) => BlockSlot::Input(of),
            (Self::Up, _) if rank == Rank(0) => BlockSlot::Output(of),
            (Self::Down, 0) => BlockSlot::Output(0),
            (Self::Up, 0) => BlockSlot::Input(0),
            (_, below) => BlockSlot::Scratch(below - 1),
        }
    }

    /// Messages of the root of a flat tree, by their numbers.
    fn root_message(self) -> fn(RuleInputs, u32) -> ScheduleMessage {
        match self {
            Self::Down => |_, number| ScheduleMessage::single(Rank(number + 1), BlockSlot::Input(number + 1)),
            Self::Up => |_, number| ScheduleMessage::single(Rank(number + 1), BlockSlot::Output(number + 1)),
        }
    }
}
