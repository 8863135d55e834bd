//! All-to-all algorithms: block `j` of rank `i` ends as block `i` of rank `j`.
//!
//! Direct exchange is Alg. 1 of Steffenel 2006 (INRIA report). In step t = 1 … n−1 rank i sends to i+t and receives
//! from i−t (modulo n), all steps at once. Without the rotation every rank starts with rank 0, as in LAM 6.5.2.
//!
//! The pairwise exchange serves one partner at a time; its segmented form cuts the block for a
//! partner into segments, one round each. Sends in turn go to the same partners in the same order,
//! but no rank waits for its incoming messages. These are algorithms A and B of Nomura, Matsuba,
//! Ishikawa 2007 (`PlogPT`) for powers of two; the authors do not define the algorithms for other
//! numbers of ranks. Open MPI's pairwise exchange goes around a ring for powers of two, too
//! (`pairwise-ring`).

use std::num::NonZeroU32;

use super::offer::{WindowBound, intel, mpich, tuned};
use super::phases::{partners, ring};
use super::setting::{SHORT_SEGMENT, WINDOW};
use super::traffic::{AlgorithmTraffic, ClosedForm};
use super::{AlgorithmEntry, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape};
use crate::schedule::{BlockCopy, BlockSlot, InFlightLimit, Round, RoundMessages, RuleInputs, ScheduleMessage};
use crate::units::{Procs, Rank};

pub(super) const DIRECT: AlgorithmEntry = AlgorithmEntry {
    name: "direct",
    collective: Collective::Alltoall,
    summary: "direct exchange: all messages at once, each rank starting with its successor",
    settings: &[],
    cut: PieceCut::Straight,
    rounds: &RoundFunctions(one_round, direct),
    traffic: Some(AlgorithmTraffic::AtOnce),
    closed_form: Some(ClosedForm::Direct),
    offered: &[
        tuned(1, "linear", Some(AlgorithmTraffic::AtOnce)),
        intel(2, "isend_irecv", Some(AlgorithmTraffic::AtOnce)),
    ],
};

pub(super) const DIRECT_UNROTATED: AlgorithmEntry = AlgorithmEntry {
    name: "direct-unrotated",
    collective: Collective::Alltoall,
    summary: "direct exchange in rank order: all messages at once, every rank starting with rank 0",
    settings: &[],
    cut: PieceCut::Straight,
    rounds: &RoundFunctions(one_round, direct_unrotated),
    traffic: Some(AlgorithmTraffic::AtOnce),
    closed_form: Some(ClosedForm::DirectUnrotated),
    offered: &[],
};

pub(super) const PAIRWISE: AlgorithmEntry = AlgorithmEntry {
    name: "pairwise",
    collective: Collective::Alltoall,
    summary: "n-1 synchronised rounds of one exchange: i xor t for powers of two, else i+t and i-t",
    settings: &[],
    cut: PieceCut::Straight,
    rounds: &RoundFunctions(pairwise_outline, pairwise),
    traffic: Some(AlgorithmTraffic::Powers),
    closed_form: Some(ClosedForm::Pairwise),
    offered: &[
        mpich("pairwise", Some(AlgorithmTraffic::Powers)),
        intel(3, "pairwise", Some(AlgorithmTraffic::Powers)),
    ],
};

pub(super) const PAIRWISE_RING: AlgorithmEntry = AlgorithmEntry {
    name: "pairwise-ring",
    collective: Collective::Alltoall,
    summary: "n-1 synchronised rounds of one exchange: to i+t, from i-t",
    settings: &[],
    cut: PieceCut::Straight,
    rounds: &RoundFunctions(pairwise_outline, pairwise_ring),
    traffic: Some(AlgorithmTraffic::Rounds),
    closed_form: Some(ClosedForm::Steps),
    offered: &[tuned(2, "pairwise", Some(AlgorithmTraffic::Rounds))],
};

pub(super) const PAIRWISE_SEGMENTED: AlgorithmEntry = AlgorithmEntry {
    name: "pairwise-segmented",
    collective: Collective::Alltoall,
    summary: "pairwise, each exchange one segment after the other",
    settings: &[SHORT_SEGMENT],
    cut: PieceCut::StraightSegments,
    rounds: &RoundFunctions(pairwise_outline, pairwise),
    traffic: Some(AlgorithmTraffic::Powers),
    closed_form: Some(ClosedForm::Steps),
    offered: &[],
};

pub(super) const THROTTLED: AlgorithmEntry = AlgorithmEntry {
    name: "throttled",
    collective: Collective::Alltoall,
    summary: "direct exchange with at most WINDOW sends and WINDOW receives in progress",
    settings: &[WINDOW],
    cut: PieceCut::Straight,
    rounds: &RoundFunctions(one_round, throttled),
    traffic: Some(AlgorithmTraffic::AtOnce),
    closed_form: Some(ClosedForm::Direct),
    offered: &[
        tuned(4, "linear_sync", Some(AlgorithmTraffic::AtOnce))
            .with_window(WindowBound::Settable)
            .with_variable("OMPI_MCA_coll_tuned_alltoall_algorithm_max_requests"),
        mpich("scattered", Some(AlgorithmTraffic::AtOnce))
            .with_window(WindowBound::Fixed(32))
            .with_variable("MPIR_CVAR_ALLTOALL_THROTTLE"),
    ],
};

pub(super) const SENDS_IN_TURN: AlgorithmEntry = AlgorithmEntry {
    name: "sends-in-turn",
    collective: Collective::Alltoall,
    summary: "all receives posted first, then one send after the other: to i xor t for powers of two, else i+t",
    settings: &[],
    cut: PieceCut::Straight,
    rounds: &RoundFunctions(one_round, sends_in_turn),
    traffic: Some(AlgorithmTraffic::AtOnce),
    closed_form: Some(ClosedForm::SendsInTurn),
    offered: &[],
};

fn one_round(_: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline::without_relays(1)
}

/// One message to each other rank and one from each, all in one round. The functions give the
/// messages of `rank` by their number from 0.
fn exchange(
    shape: ScheduleShape,
    rank: Rank,
    send: fn(RuleInputs, u32) -> ScheduleMessage,
    receive: fn(RuleInputs, u32) -> ScheduleMessage,
) -> Round {
    let inputs = RuleInputs::for_rank(shape.procs, rank);
    Round {
        sends: RoundMessages::one_each(inputs, send),
        receives: RoundMessages::one_each(inputs, receive),
        copies: [copy_to_output(rank.0)].into(),
        ..Round::default()
    }
}

fn direct(shape: ScheduleShape, rank: Rank, _: usize) -> Round {
    exchange(
        shape,
        rank,
        |RuleInputs { rank, procs, .. }, number| send(rank.successor(number + 1, procs)),
        |RuleInputs { rank, procs, .. }, number| receive(rank.predecessor(number + 1, procs)),
    )
}

fn direct_unrotated(shape: ScheduleShape, rank: Rank, _: usize) -> Round {
    exchange(
        shape,
        rank,
        |inputs, number| send(other_rank(inputs.rank, number)),
        |inputs, number| receive(other_rank(inputs.rank, number)),
    )
}

/// Rank `number`, from 0, of all ranks but `rank` in ascending order.
fn other_rank(rank: Rank, number: u32) -> Rank {
    Rank(number + u32::from(number >= rank.0))
}

fn throttled(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    Round {
        in_flight: NonZeroU32::new(shape.setting_value(WINDOW)).map_or(InFlightLimit::Unlimited, InFlightLimit::AtMost),
        ..direct(shape, rank, index)
    }
}

fn sends_in_turn(shape: ScheduleShape, rank: Rank, _: usize) -> Round {
    Round {
        in_flight: InFlightLimit::Sends(NonZeroU32::MIN),
        ..exchange(
            shape,
            rank,
            |RuleInputs { rank, procs, .. }, number| send(partners(procs, rank, number + 1).0),
            |RuleInputs { rank, procs, .. }, number| receive(partners(procs, rank, number + 1).1),
        )
    }
}

/// At least one round for each segment, so that a lone rank also copies its block.
fn pairwise_outline(shape: ScheduleShape) -> ScheduleOutline {
    let steps = (shape.procs.get() - 1).max(1) as usize;
    ScheduleOutline::without_relays(steps.saturating_mul(shape.parts as usize))
}

/// One segment: all segments for one partner precede those for the next.
fn pairwise(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    step_round(shape, rank, index, partners)
}

/// [`pairwise`] around a ring, also for powers of two.
fn pairwise_ring(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    step_round(shape, rank, index, ring)
}

/// A round of one exchange with the partners of a step.
fn step_round(shape: ScheduleShape, rank: Rank, index: usize, partners: fn(Procs, Rank, u32) -> (Rank, Rank)) -> Round {
    let (procs, parts) = (shape.procs, shape.parts as usize);
    let step = u32::try_from(index / parts + 1).expect("fewer steps than ranks");
    let part = u32::try_from(index % parts).expect("less than the number of parts");
    let block = |of: Rank| of.0 * shape.parts + part;
    let step_partners = (procs.get() > 1).then(|| partners(procs, rank, step));
    let send = step_partners.map(|(to, _)| ScheduleMessage::single(to, BlockSlot::Input(block(to))));
    let receive = step_partners.map(|(_, from)| ScheduleMessage::single(from, BlockSlot::Output(block(from))));
    Round {
        sends: send.into(),
        receives: receive.into(),
        copies: (step == 1).then(|| copy_to_output(block(rank))).into_iter().collect(),
        ..Round::default()
    }
}

fn send(to: Rank) -> ScheduleMessage {
    ScheduleMessage::single(to, BlockSlot::Input(to.0))
}

fn receive(from: Rank) -> ScheduleMessage {
    ScheduleMessage::single(from, BlockSlot::Output(from.0))
}

/// Copy of block `index` from the caller's input to the caller's output.
pub(super) fn copy_to_output(index: u32) -> BlockCopy {
    BlockCopy {
        from: BlockSlot::Input(index),
        to: BlockSlot::Output(index),
    }
}
