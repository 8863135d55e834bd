//! Broadcasts that first scatter the message and then gather it on all ranks. Each rank sends at most about twice the
//! message, for any number of ranks (but see Source).
//!
//! The message is divided into as many equal parts as ranks take part in the scatter. A binomial
//! tree brings part i to rank i, together with the parts of the ranks below i. Then
//!
//! * `scatter-allgather`: in round x = 0, 1, … ranks i and i xor 2ˣ exchange all parts that their groups of 2ˣ ranks
//!   have. This requires a power of two, so the ranks beyond the largest power of two Q ≤ P take no part. Rank Q + e
//!   receives the whole message from rank e in an additional last round.
//! * `scatter-allgather-ring`: in each of P − 1 rounds every rank sends the part that it
//!   received last to the next rank, starting with its own.
//!
//! The root also takes part in the second phase and receives parts that it already has, as do inner
//! ranks of the tree. The libraries do the same, with uniform rounds.
//!
//! # Source
//! Barnett, Gupta, Payne, Shuler, van de Geijn, Watts 1994 (SHPCC). Thakur, Rabenseifner, Gropp 2005 (IJHPCA) serve
//! other numbers of ranks between the exchanges. The additional last round replaces this here, and in it some ranks
//! send the whole message once more.

use std::ops::Range;

use super::allgather::fold_partners;
use super::bcast::block_slot;
use super::offer::{mpich, tuned};
use super::traffic::AlgorithmTraffic;
use super::tree::BINOMIAL;
use super::{AlgorithmEntry, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape};
use crate::schedule::{BlockSlot, Round, ScheduleMessage};
use crate::units::{Procs, Rank};

pub(super) const SCATTER_ALLGATHER: AlgorithmEntry = AlgorithmEntry {
    name: "scatter-allgather",
    collective: Collective::Bcast,
    summary: "binomial scatter of n parts, then allgather by recursive doubling",
    settings: &[],
    cut: PieceCut::PowerOfTwo,
    rounds: &RoundFunctions(doubling_outline, doubling),
    traffic: Some(AlgorithmTraffic::ScatterDoubling),
    closed_form: None,
    offered: &[
        tuned(8, "scatter_allgather", Some(AlgorithmTraffic::ScatterDoubling)),
        mpich(
            "scatter_recursive_doubling_allgather",
            Some(AlgorithmTraffic::ScatterDoubling),
        ),
    ],
};

pub(super) const SCATTER_ALLGATHER_RING: AlgorithmEntry = AlgorithmEntry {
    name: "scatter-allgather-ring",
    collective: Collective::Bcast,
    summary: "binomial scatter of n parts, then allgather around a ring",
    settings: &[],
    cut: PieceCut::Ranks,
    rounds: &RoundFunctions(ring_outline, ring),
    traffic: Some(AlgorithmTraffic::ScatterRing),
    closed_form: None,
    offered: &[
        tuned(9, "scatter_allgather_ring", Some(AlgorithmTraffic::ScatterRing)),
        mpich("scatter_ring_allgather", Some(AlgorithmTraffic::ScatterRing)),
    ],
};

/// Ranks that take part in the scatter, one for each part.
fn sharers(shape: ScheduleShape) -> Procs {
    Procs::new(shape.parts).expect("a piece has parts")
}

/// Round `index` of the scatter among `sharers`.
fn scatter(sharers: Procs, rank: Rank, index: usize) -> Round {
    let parts = |child| BINOMIAL.subtree(sharers, child);
    let parent = BINOMIAL.parent_in(sharers, rank, index);
    Round {
        sends: BINOMIAL
            .children_in(sharers, rank, index)
            .map(|to| send(rank, to, parts(to)))
            .collect(),
        receives: parent.map(|from| receive(from, parts(rank))).into(),
        ..Round::default()
    }
}

fn doubling_outline(shape: ScheduleShape) -> ScheduleOutline {
    let sharers = sharers(shape);
    let folded = usize::from(shape.procs > sharers);
    ScheduleOutline {
        longest_message: if folded == 1 {
            sharers.get()
        } else {
            (sharers.get() / 2).max(1)
        },
        ..ScheduleOutline::without_relays(2 * BINOMIAL.rounds(sharers) + folded)
    }
}

fn doubling(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let sharers = sharers(shape);
    let rounds = BINOMIAL.rounds(sharers);
    if index == 2 * rounds {
        return hand_over(shape, sharers, rank);
    }
    if rank.0 >= sharers.get() {
        return Round::default();
    }
    let Some(step) = index.checked_sub(rounds) else {
        return scatter(sharers, rank, index);
    };
    let group = 1 << step;
    let parts = |member: Rank| {
        let first = member.0 & !(group - 1);
        first..first + group
    };
    let partner = Rank(rank.0 ^ group);
    Round {
        sends: send(rank, partner, parts(rank)).into(),
        receives: receive(partner, parts(partner)).into(),
        ..Round::default()
    }
}

/// The last round, for the ranks that take no part in the scatter.
fn hand_over(shape: ScheduleShape, sharers: Procs, rank: Rank) -> Round {
    let all = 0..sharers.get();
    let (from, to) = fold_partners(shape.procs, rank);
    Round {
        sends: to.map(|to| send(rank, to, all.clone())).into(),
        receives: from.map(|from| receive(from, all)).into(),
        ..Round::default()
    }
}

fn ring_outline(shape: ScheduleShape) -> ScheduleOutline {
    let sharers = sharers(shape);
    ScheduleOutline {
        longest_message: BINOMIAL.largest_subtree(sharers),
        ..ScheduleOutline::without_relays(BINOMIAL.rounds(sharers) + sharers.get() as usize - 1)
    }
}

fn ring(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = sharers(shape);
    let Some(ring_index) = index.checked_sub(BINOMIAL.rounds(procs)) else {
        return scatter(procs, rank, index);
    };
    let step = u32::try_from(ring_index).expect("fewer steps than ranks");
    let (last_got, coming) = (rank.predecessor(step, procs).0, rank.predecessor(step + 1, procs).0);
    Round {
        sends: send(rank, rank.successor(1, procs), last_got..last_got + 1).into(),
        receives: receive(rank.predecessor(1, procs), coming..coming + 1).into(),
        ..Round::default()
    }
}

fn send(from: Rank, to: Rank, parts: Range<u32>) -> ScheduleMessage {
    ScheduleMessage::of(to, parts.map(|part| block_slot(from, part)))
}

fn receive(from: Rank, parts: Range<u32>) -> ScheduleMessage {
    ScheduleMessage::of(from, parts.map(BlockSlot::Output))
}
