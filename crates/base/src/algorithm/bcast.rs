//! Broadcasts over trees: the message of rank 0 reaches every other rank.
//!
//! Unsegmented forms pass the message on when it is complete. Segmented forms pass each segment on while the next
//! arrives: a rank at depth d receives segment k in round d − 1 + k. It sends the segment to all its children in the
//! next round. The message therefore takes height − 1 + ⌈m/s⌉ rounds over a tree of that height, P − 2 + ⌈m/s⌉ over a
//! chain.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM). Binomial trees, and their k-nomial
//! form, serve the child with the largest subtree first. The paper leaves the order of segments
//! open; here, as in Open MPI, all children receive a segment before any child receives the next.

use std::ops::Range;

use super::offer::{OfferedAlgorithm, intel, mpich, tuned};
use super::setting::{RADIX, SEGMENT};
use super::traffic::{AlgorithmTraffic, ClosedForm, TreeLoad};
use super::tree::{BINOMIAL as BINOMIAL_TREE, RankTree};
use super::{AlgorithmEntry, AlgorithmRounds, Collective, PieceCut, ScheduleOutline, ScheduleShape};
use crate::schedule::{BlockSlot, Round, RoundMessages, RuleInputs, ScheduleMessage};
use crate::units::Rank;

pub(super) const FLAT: AlgorithmEntry = AlgorithmEntry {
    name: "flat",
    collective: Collective::Bcast,
    summary: "the root sends to every rank, all at once",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &WholeTreeBcast(|_| RankTree::Flat),
    traffic: Some(AlgorithmTraffic::Port),
    closed_form: Some(ClosedForm::Flat),
    offered: &[tuned(1, "basic_linear", Some(AlgorithmTraffic::Port))],
};

pub(super) const CHAIN: AlgorithmEntry = AlgorithmEntry {
    name: "chain",
    collective: Collective::Bcast,
    summary: "each rank hands the whole message to the next",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &WholeTreeBcast(|_| RankTree::Chain),
    traffic: Some(AlgorithmTraffic::Chain),
    closed_form: Some(ClosedForm::Chain),
    offered: &[LIBRARY_PIPELINE],
};

pub(super) const BINARY: AlgorithmEntry = AlgorithmEntry {
    name: "binary",
    collective: Collective::Bcast,
    summary: "rank i hands the whole message to 2i+1 and 2i+2 at once",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &WholeTreeBcast(|_| RankTree::Binary),
    traffic: Some(AlgorithmTraffic::Binary),
    closed_form: Some(ClosedForm::Binary),
    offered: &[LIBRARY_BINARY],
};

pub(super) const BINOMIAL: AlgorithmEntry = AlgorithmEntry {
    name: "binomial",
    collective: Collective::Bcast,
    summary: "every rank that has the message hands it to another in each of ceil(log2 n) rounds",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &WholeTreeBcast(|_| BINOMIAL_TREE),
    traffic: Some(AlgorithmTraffic::Tree(TreeLoad::Whole)),
    closed_form: Some(ClosedForm::Binomial),
    offered: &[
        LIBRARY_BINOMIAL,
        mpich("binomial", Some(AlgorithmTraffic::Tree(TreeLoad::Whole))),
        intel(1, "binomial", Some(AlgorithmTraffic::Tree(TreeLoad::Whole))),
    ],
};

pub(super) const KNOMIAL: AlgorithmEntry = AlgorithmEntry {
    name: "knomial",
    collective: Collective::Bcast,
    summary: "binomial, but to RADIX-1 others in each round",
    settings: &[RADIX],
    cut: PieceCut::Whole,
    rounds: &WholeTreeBcast(|shape| RankTree::Knomial(shape.setting_value(RADIX))),
    traffic: Some(AlgorithmTraffic::Knomial),
    closed_form: None,
    offered: &[tuned(7, "knomial", Some(AlgorithmTraffic::Knomial))
        .with_segments()
        .with_radix(4)
        .with_variable("OMPI_MCA_coll_tuned_bcast_algorithm_knomial_radix")],
};

pub(super) const FLAT_SEGMENTED: AlgorithmEntry = AlgorithmEntry {
    name: "flat-segmented",
    collective: Collective::Bcast,
    summary: "flat, one segment after the other",
    settings: &[SEGMENT],
    cut: PieceCut::Segments,
    rounds: &SegmentedTreeBcast(RankTree::Flat),
    traffic: None,
    closed_form: Some(ClosedForm::FlatSegmented),
    offered: &[],
};

pub(super) const PIPELINE: AlgorithmEntry = AlgorithmEntry {
    name: "pipeline",
    collective: Collective::Bcast,
    summary: "segmented chain: each segment moves on while the next arrives",
    settings: &[SEGMENT],
    cut: PieceCut::Segments,
    rounds: &SegmentedTreeBcast(RankTree::Chain),
    traffic: Some(AlgorithmTraffic::Pipeline),
    closed_form: Some(ClosedForm::Pipeline),
    offered: &[LIBRARY_PIPELINE],
};

pub(super) const BINARY_SEGMENTED: AlgorithmEntry = AlgorithmEntry {
    name: "binary-segmented",
    collective: Collective::Bcast,
    summary: "binary, each segment moving on while the next arrives",
    settings: &[SEGMENT],
    cut: PieceCut::Segments,
    rounds: &SegmentedTreeBcast(RankTree::Binary),
    traffic: None,
    closed_form: None,
    offered: &[LIBRARY_BINARY],
};

pub(super) const BINOMIAL_SEGMENTED: AlgorithmEntry = AlgorithmEntry {
    name: "binomial-segmented",
    collective: Collective::Bcast,
    summary: "over the binomial tree, each segment to all children while the next arrives",
    settings: &[SEGMENT],
    cut: PieceCut::Segments,
    rounds: &SegmentedTreeBcast(BINOMIAL_TREE),
    traffic: None,
    closed_form: Some(ClosedForm::BinomialSegmented),
    offered: &[LIBRARY_BINOMIAL],
};

const LIBRARY_PIPELINE: OfferedAlgorithm = tuned(3, "pipeline", Some(AlgorithmTraffic::Pipeline)).with_segments();
const LIBRARY_BINARY: OfferedAlgorithm = tuned(5, "binary_tree", Some(AlgorithmTraffic::BinaryInTurn)).with_segments();
const LIBRARY_BINOMIAL: OfferedAlgorithm =
    tuned(6, "binomial", Some(AlgorithmTraffic::Tree(TreeLoad::Whole))).with_segments();

/// Slot of block `index` of the message at `rank`.
pub(super) fn block_slot(rank: Rank, index: u32) -> BlockSlot {
    if rank == Rank(0) {
        BlockSlot::Input(index)
    } else {
        BlockSlot::Output(index)
    }
}

/// Rounds that send the whole message down a tree, in the order of arrivals.
#[derive(Debug)]
struct WholeTreeBcast(fn(ScheduleShape) -> RankTree);

impl AlgorithmRounds for WholeTreeBcast {
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline {
        ScheduleOutline::without_relays((self.0)(shape).rounds(shape.procs))
    }

    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
        let (tree, procs) = ((self.0)(shape), shape.procs);
        let children = tree.children_in(procs, rank, index);
        let parent = tree.parent_in(procs, rank, index);
        Round {
            sends: sends_to_children(RuleInputs::for_rank(procs, rank), tree, children),
            receives: parent.map(|from| receive(from, 0)).into(),
            ..Round::default()
        }
    }

    fn active_rounds(&self, shape: ScheduleShape, rank: Rank) -> Range<usize> {
        (self.0)(shape).active_rounds(shape.procs, rank)
    }
}

/// Rounds that send segments down a tree: each round receives one and sends the one before.
#[derive(Debug)]
struct SegmentedTreeBcast(RankTree);

impl AlgorithmRounds for SegmentedTreeBcast {
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline {
        let rounds = self.0.height(shape.procs).checked_sub(1);
        ScheduleOutline::without_relays(rounds.map_or(0, |before| before + shape.parts as usize))
    }

    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
        let tree = self.0;
        let depth = tree.depth(rank);
        let segment = |late: Option<usize>| {
            let segment = late.and_then(|segment| u32::try_from(segment).ok());
            segment.filter(|&segment| segment < shape.parts)
        };
        let send_inputs = segment(index.checked_sub(depth)).map(|block| RuleInputs {
            block,
            ..RuleInputs::for_rank(shape.procs, rank)
        });
        let sends = send_inputs.map(|inputs| sends_to_children(inputs, tree, tree.children(shape.procs, rank)));
        let incoming = tree.parent(rank).zip(segment((index + 1).checked_sub(depth)));
        Round {
            sends: sends.unwrap_or_default(),
            receives: incoming.map(|(from, segment)| receive(from, segment)).into(),
            ..Round::default()
        }
    }

    fn active_rounds(&self, shape: ScheduleShape, rank: Rank) -> Range<usize> {
        let depth = self.0.depth(rank);
        let has_children = self.0.children(shape.procs, rank).next().is_some();
        let first = depth.saturating_sub(1);
        let before = (depth + usize::from(has_children)).checked_sub(1);
        first..before.map_or(first, |before| before + shape.parts as usize)
    }
}

/// Sends a block to `children`; a flat tree has too many children to list.
fn sends_to_children(inputs: RuleInputs, tree: RankTree, children: impl Iterator<Item = Rank>) -> RoundMessages {
    match tree {
        RankTree::Flat if inputs.rank == Rank(0) => RoundMessages::one_each(inputs, |inputs, number| {
            send(inputs.rank, Rank(number + 1), inputs.block)
        }),
        _ => children.map(|to| send(inputs.rank, to, inputs.block)).collect(),
    }
}

fn send(from: Rank, to: Rank, block: u32) -> ScheduleMessage {
    ScheduleMessage::single(to, block_slot(from, block))
}

fn receive(from: Rank, block: u32) -> ScheduleMessage {
    ScheduleMessage::single(from, BlockSlot::Output(block))
}
