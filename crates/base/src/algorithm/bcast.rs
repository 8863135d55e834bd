//! Broadcasts over trees: the message of rank 0 reaches every other rank.
//!
//! Unsegmented forms pass the message on when it is complete. Segmented forms pass each segment on
//! while the next arrives: a rank at depth d receives segment k in round d − 1 + k and sends it to
//! all its children in the next round. The message therefore takes height − 1 + ⌈m/s⌉ rounds over a
//! tree of that height, P − 2 + ⌈m/s⌉ over a chain.
//!
//! # Source
//! The strategies of Barchet-Steffenel and Mounié 2005 (PPAM). Binomial trees, and their k-nomial
//! form, serve the child with the largest subtree first. The paper leaves the order of segments
//! open; here, as in Open MPI, all children receive a segment before any child receives the next.

use std::ops::Range;

use super::offer::{Offer, intel, mpich, tuned};
use super::setting::{RADIX, SEGMENT};
use super::traffic::{ClosedForm, Load, Traffic};
use super::tree::{BINOMIAL as BINOMIAL_TREE, Tree};
use super::{Collective, Cut, Entry, Outline, Rounds, Shape};
use crate::schedule::{Frame, Message, Messages, Round, Slot};
use crate::units::Rank;

pub(super) const FLAT: Entry = Entry {
    name: "flat",
    collective: Collective::Bcast,
    summary: "the root sends to every rank, all at once",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Staged(|_| Tree::Flat),
    traffic: Some(Traffic::Port),
    closed_form: Some(ClosedForm::Flat),
    library: &[tuned(1, "basic_linear", Some(Traffic::Port))],
};

pub(super) const CHAIN: Entry = Entry {
    name: "chain",
    collective: Collective::Bcast,
    summary: "each rank hands the whole message to the next",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Staged(|_| Tree::Chain),
    traffic: Some(Traffic::Chain),
    closed_form: Some(ClosedForm::Chain),
    library: &[LIBRARY_PIPELINE],
};

pub(super) const BINARY: Entry = Entry {
    name: "binary",
    collective: Collective::Bcast,
    summary: "rank i hands the whole message to 2i+1 and 2i+2 at once",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Staged(|_| Tree::Binary),
    traffic: Some(Traffic::Binary),
    closed_form: Some(ClosedForm::Binary),
    library: &[LIBRARY_BINARY],
};

pub(super) const BINOMIAL: Entry = Entry {
    name: "binomial",
    collective: Collective::Bcast,
    summary: "every rank that has the message hands it to another in each of ceil(log2 n) rounds",
    settings: &[],
    cut: Cut::Whole,
    rounds: &Staged(|_| BINOMIAL_TREE),
    traffic: Some(Traffic::Tree(Load::Whole)),
    closed_form: Some(ClosedForm::Binomial),
    library: &[
        LIBRARY_BINOMIAL,
        mpich("binomial", Some(Traffic::Tree(Load::Whole))),
        intel(1, "binomial", Some(Traffic::Tree(Load::Whole))),
    ],
};

pub(super) const KNOMIAL: Entry = Entry {
    name: "knomial",
    collective: Collective::Bcast,
    summary: "binomial, but to RADIX-1 others in each round",
    settings: &[RADIX],
    cut: Cut::Whole,
    rounds: &Staged(|shape| Tree::Knomial(shape.get(RADIX))),
    traffic: Some(Traffic::Knomial),
    closed_form: None,
    library: &[tuned(7, "knomial", Some(Traffic::Knomial))
        .in_segments()
        .with_radix(4)
        .set_by("OMPI_MCA_coll_tuned_bcast_algorithm_knomial_radix")],
};

pub(super) const FLAT_SEGMENTED: Entry = Entry {
    name: "flat-segmented",
    collective: Collective::Bcast,
    summary: "flat, one segment after the other",
    settings: &[SEGMENT],
    cut: Cut::Segments,
    rounds: &Relayed(Tree::Flat),
    traffic: None,
    closed_form: Some(ClosedForm::FlatSegmented),
    library: &[],
};

pub(super) const PIPELINE: Entry = Entry {
    name: "pipeline",
    collective: Collective::Bcast,
    summary: "segmented chain: each segment moves on while the next arrives",
    settings: &[SEGMENT],
    cut: Cut::Segments,
    rounds: &Relayed(Tree::Chain),
    traffic: Some(Traffic::Pipeline),
    closed_form: Some(ClosedForm::Pipeline),
    library: &[LIBRARY_PIPELINE],
};

pub(super) const BINARY_SEGMENTED: Entry = Entry {
    name: "binary-segmented",
    collective: Collective::Bcast,
    summary: "binary, each segment moving on while the next arrives",
    settings: &[SEGMENT],
    cut: Cut::Segments,
    rounds: &Relayed(Tree::Binary),
    traffic: None,
    closed_form: None,
    library: &[LIBRARY_BINARY],
};

pub(super) const BINOMIAL_SEGMENTED: Entry = Entry {
    name: "binomial-segmented",
    collective: Collective::Bcast,
    summary: "over the binomial tree, each segment to all children while the next arrives",
    settings: &[SEGMENT],
    cut: Cut::Segments,
    rounds: &Relayed(BINOMIAL_TREE),
    traffic: None,
    closed_form: Some(ClosedForm::BinomialSegmented),
    library: &[LIBRARY_BINOMIAL],
};

const LIBRARY_PIPELINE: Offer = tuned(3, "pipeline", Some(Traffic::Pipeline)).in_segments();
const LIBRARY_BINARY: Offer = tuned(5, "binary_tree", Some(Traffic::BinaryInTurn)).in_segments();
const LIBRARY_BINOMIAL: Offer = tuned(6, "binomial", Some(Traffic::Tree(Load::Whole))).in_segments();

/// Slot of block `index` of the message at `rank`.
pub(super) fn held(rank: Rank, index: u32) -> Slot {
    if rank == Rank(0) {
        Slot::Input(index)
    } else {
        Slot::Output(index)
    }
}

/// Rounds that send the whole message down a tree, in the order of arrivals.
#[derive(Debug)]
struct Staged(fn(Shape) -> Tree);

impl Rounds for Staged {
    fn outline(&self, shape: Shape) -> Outline {
        Outline::without_relays((self.0)(shape).rounds(shape.procs))
    }

    fn round(&self, shape: Shape, rank: Rank, index: usize) -> Round {
        let (tree, procs) = ((self.0)(shape), shape.procs);
        let children = tree.children_in(procs, rank, index);
        let parent = tree.parent_in(procs, rank, index);
        Round {
            sends: hand_out(Frame::of(procs, rank), tree, children),
            receives: parent.map(|from| receive(from, 0)).into(),
            ..Round::default()
        }
    }

    fn active(&self, shape: Shape, rank: Rank) -> Range<usize> {
        (self.0)(shape).active(shape.procs, rank)
    }
}

/// Rounds that send segments down a tree: each round receives one and sends the one before.
#[derive(Debug)]
struct Relayed(Tree);

impl Rounds for Relayed {
    fn outline(&self, shape: Shape) -> Outline {
        let rounds = self.0.height(shape.procs).checked_sub(1);
        Outline::without_relays(rounds.map_or(0, |before| before + shape.parts as usize))
    }

    fn round(&self, shape: Shape, rank: Rank, index: usize) -> Round {
        let tree = self.0;
        let depth = tree.depth(rank);
        let segment = |late: Option<usize>| {
            let segment = late.and_then(|segment| u32::try_from(segment).ok());
            segment.filter(|&segment| segment < shape.parts)
        };
        let out = segment(index.checked_sub(depth)).map(|block| Frame {
            block,
            ..Frame::of(shape.procs, rank)
        });
        let sends = out.map(|frame| hand_out(frame, tree, tree.children(shape.procs, rank)));
        let come = tree.parent(rank).zip(segment((index + 1).checked_sub(depth)));
        Round {
            sends: sends.unwrap_or_default(),
            receives: come.map(|(from, segment)| receive(from, segment)).into(),
            ..Round::default()
        }
    }

    fn active(&self, shape: Shape, rank: Rank) -> Range<usize> {
        let depth = self.0.depth(rank);
        let hands_on = self.0.children(shape.procs, rank).next().is_some();
        let first = depth.saturating_sub(1);
        let before = (depth + usize::from(hands_on)).checked_sub(1);
        first..before.map_or(first, |before| before + shape.parts as usize)
    }
}

/// Sends a block to `children`; a flat tree has too many children to list.
fn hand_out(frame: Frame, tree: Tree, children: impl Iterator<Item = Rank>) -> Messages {
    match tree {
        Tree::Flat if frame.rank == Rank(0) => {
            Messages::one_each(frame, |frame, number| send(frame.rank, Rank(number + 1), frame.block))
        }
        _ => children.map(|to| send(frame.rank, to, frame.block)).collect(),
    }
}

fn send(from: Rank, to: Rank, block: u32) -> Message {
    Message::single(to, held(from, block))
}

fn receive(from: Rank, block: u32) -> Message {
    Message::single(from, Slot::Output(block))
}
