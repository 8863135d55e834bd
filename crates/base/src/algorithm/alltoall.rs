//! All-to-all algorithms: block `j` of rank `i` ends as block `i` of rank `j`.
//!
//! Direct exchange is Alg. 1 of Steffenel 2006 (INRIA report): in step t = 1 … n−1 rank i sends to
//! i+t and receives from i−t (modulo n), all steps at once. Without the rotation every rank starts
//! with rank 0, as in LAM 6.5.2.
//!
//! The pairwise exchange serves one partner at a time; its segmented form cuts the block for a
//! partner into segments, one round each. Sends in turn go to the same partners in the same order,
//! but no rank waits for its incoming messages. These are algorithms A and B of Nomura, Matsuba,
//! Ishikawa 2007 (`PlogPT`) for powers of two; the authors do not define the algorithms for other
//! numbers of ranks. Open MPI's pairwise exchange goes around a ring for powers of two, too
//! (`pairwise-ring`).

use std::num::NonZeroU32;

use super::offer::{Window, intel, mpich, tuned};
use super::setting::{SHORT_SEGMENT, WINDOW};
use super::traffic::{ClosedForm, Traffic};
use super::{AllRounds, Collective, Cut, Entry, Outline, Shape};
use crate::schedule::{Copy, Frame, InFlight, Message, Messages, Round, Slot};
use crate::units::{Procs, Rank};

pub(super) const DIRECT: Entry = Entry {
    name: "direct",
    collective: Collective::Alltoall,
    summary: "direct exchange: all messages at once, each rank starting with its successor",
    settings: &[],
    cut: Cut::Straight,
    rounds: &AllRounds(one_round, direct),
    traffic: Some(Traffic::AtOnce),
    closed_form: Some(ClosedForm::Direct),
    library: &[
        tuned(1, "linear", Some(Traffic::AtOnce)),
        intel(2, "isend_irecv", Some(Traffic::AtOnce)),
    ],
};

pub(super) const DIRECT_UNROTATED: Entry = Entry {
    name: "direct-unrotated",
    collective: Collective::Alltoall,
    summary: "direct exchange in rank order: all messages at once, every rank starting with rank 0",
    settings: &[],
    cut: Cut::Straight,
    rounds: &AllRounds(one_round, direct_unrotated),
    traffic: Some(Traffic::AtOnce),
    closed_form: Some(ClosedForm::DirectUnrotated),
    library: &[],
};

pub(super) const PAIRWISE: Entry = Entry {
    name: "pairwise",
    collective: Collective::Alltoall,
    summary: "n-1 synchronised rounds of one exchange: i xor t for powers of two, else i+t and i-t",
    settings: &[],
    cut: Cut::Straight,
    rounds: &AllRounds(pairwise_outline, pairwise),
    traffic: Some(Traffic::Powers),
    closed_form: Some(ClosedForm::Pairwise),
    library: &[
        mpich("pairwise", Some(Traffic::Powers)),
        intel(3, "pairwise", Some(Traffic::Powers)),
    ],
};

pub(super) const PAIRWISE_RING: Entry = Entry {
    name: "pairwise-ring",
    collective: Collective::Alltoall,
    summary: "n-1 synchronised rounds of one exchange: to i+t, from i-t",
    settings: &[],
    cut: Cut::Straight,
    rounds: &AllRounds(pairwise_outline, pairwise_ring),
    traffic: Some(Traffic::Rounds),
    closed_form: Some(ClosedForm::Steps),
    library: &[tuned(2, "pairwise", Some(Traffic::Rounds))],
};

pub(super) const PAIRWISE_SEGMENTED: Entry = Entry {
    name: "pairwise-segmented",
    collective: Collective::Alltoall,
    summary: "pairwise, each exchange one segment after the other",
    settings: &[SHORT_SEGMENT],
    cut: Cut::StraightSegments,
    rounds: &AllRounds(pairwise_outline, pairwise),
    traffic: Some(Traffic::Powers),
    closed_form: Some(ClosedForm::Steps),
    library: &[],
};

pub(super) const THROTTLED: Entry = Entry {
    name: "throttled",
    collective: Collective::Alltoall,
    summary: "direct exchange with at most WINDOW sends and WINDOW receives in progress",
    settings: &[WINDOW],
    cut: Cut::Straight,
    rounds: &AllRounds(one_round, throttled),
    traffic: Some(Traffic::AtOnce),
    closed_form: Some(ClosedForm::Direct),
    library: &[
        tuned(4, "linear_sync", Some(Traffic::AtOnce))
            .in_windows(Window::Settable)
            .set_by("OMPI_MCA_coll_tuned_alltoall_algorithm_max_requests"),
        mpich("scattered", Some(Traffic::AtOnce))
            .in_windows(Window::Fixed(32))
            .set_by("MPIR_CVAR_ALLTOALL_THROTTLE"),
    ],
};

pub(super) const SENDS_IN_TURN: Entry = Entry {
    name: "sends-in-turn",
    collective: Collective::Alltoall,
    summary: "all receives posted first, then one send after the other: to i xor t for powers of two, else i+t",
    settings: &[],
    cut: Cut::Straight,
    rounds: &AllRounds(one_round, sends_in_turn),
    traffic: Some(Traffic::AtOnce),
    closed_form: Some(ClosedForm::SendsInTurn),
    library: &[],
};

fn one_round(_: Shape) -> Outline {
    Outline::without_relays(1)
}

/// One message to each other rank and one from each, all in one round. The functions give the
/// messages of `rank` by their number from 0.
fn exchange(shape: Shape, rank: Rank, send: fn(Frame, u32) -> Message, receive: fn(Frame, u32) -> Message) -> Round {
    let frame = Frame::of(shape.procs, rank);
    Round {
        sends: Messages::one_each(frame, send),
        receives: Messages::one_each(frame, receive),
        copies: [keep(rank.0)].into(),
        ..Round::default()
    }
}

fn direct(shape: Shape, rank: Rank, _: usize) -> Round {
    exchange(
        shape,
        rank,
        |Frame { rank, procs, .. }, number| send(rank.ahead(number + 1, procs)),
        |Frame { rank, procs, .. }, number| receive(rank.behind(number + 1, procs)),
    )
}

fn direct_unrotated(shape: Shape, rank: Rank, _: usize) -> Round {
    exchange(
        shape,
        rank,
        |frame, number| send(other(frame.rank, number)),
        |frame, number| receive(other(frame.rank, number)),
    )
}

/// Rank `number`, from 0, of all ranks but `rank` in ascending order.
fn other(rank: Rank, number: u32) -> Rank {
    Rank(number + u32::from(number >= rank.0))
}

fn throttled(shape: Shape, rank: Rank, index: usize) -> Round {
    Round {
        in_flight: NonZeroU32::new(shape.get(WINDOW)).map_or(InFlight::Unlimited, InFlight::AtMost),
        ..direct(shape, rank, index)
    }
}

fn sends_in_turn(shape: Shape, rank: Rank, _: usize) -> Round {
    Round {
        in_flight: InFlight::Sends(NonZeroU32::MIN),
        ..exchange(
            shape,
            rank,
            |Frame { rank, procs, .. }, number| send(partners(procs, rank, number + 1).0),
            |Frame { rank, procs, .. }, number| receive(partners(procs, rank, number + 1).1),
        )
    }
}

/// At least one round for each segment, so that a lone rank also copies its block.
fn pairwise_outline(shape: Shape) -> Outline {
    let steps = (shape.procs.get() - 1).max(1) as usize;
    Outline::without_relays(steps.saturating_mul(shape.parts as usize))
}

/// One segment: all segments for one partner precede those for the next.
fn pairwise(shape: Shape, rank: Rank, index: usize) -> Round {
    step_of(shape, rank, index, partners)
}

/// As [`pairwise`], with the partners of a ring for powers of two, too.
fn pairwise_ring(shape: Shape, rank: Rank, index: usize) -> Round {
    step_of(shape, rank, index, ring)
}

/// A round of one exchange with the partners of a step.
fn step_of(shape: Shape, rank: Rank, index: usize, partners: fn(Procs, Rank, u32) -> (Rank, Rank)) -> Round {
    let (procs, parts) = (shape.procs, shape.parts as usize);
    let step = u32::try_from(index / parts + 1).expect("fewer steps than ranks");
    let part = u32::try_from(index % parts).expect("less than the number of parts");
    let block = |of: Rank| of.0 * shape.parts + part;
    let partners = (procs.get() > 1).then(|| partners(procs, rank, step));
    let send = partners.map(|(to, _)| Message::single(to, Slot::Input(block(to))));
    let receive = partners.map(|(_, from)| Message::single(from, Slot::Output(block(from))));
    Round {
        sends: send.into(),
        receives: receive.into(),
        copies: (step == 1).then(|| keep(block(rank))).into_iter().collect(),
        ..Round::default()
    }
}

/// Receiver and sender that are the partners of `rank` in step `step`, from 1.
pub(super) fn partners(procs: Procs, rank: Rank, step: u32) -> (Rank, Rank) {
    if procs.get().is_power_of_two() {
        let both = Rank(rank.0 ^ step);
        (both, both)
    } else {
        ring(procs, rank, step)
    }
}

/// Receiver and sender of a step around a ring.
fn ring(procs: Procs, rank: Rank, step: u32) -> (Rank, Rank) {
    (rank.ahead(step, procs), rank.behind(step, procs))
}

fn send(to: Rank) -> Message {
    Message::single(to, Slot::Input(to.0))
}

fn receive(from: Rank) -> Message {
    Message::single(from, Slot::Output(from.0))
}

/// Copy of block `index` from the caller's input to the caller's output.
pub(super) fn keep(index: u32) -> Copy {
    Copy {
        from: Slot::Input(index),
        to: Slot::Output(index),
    }
}
