//! All-gathers: the piece of rank i becomes piece i of every rank.
//!
//! * Ring: in each of P − 1 rounds a rank sends the piece that it received last to the next rank,
//!   starting with its own.
//! * Recursive doubling: in round x ranks i and i xor 2ˣ exchange all pieces that their groups of 2ˣ ranks have.
//!   Ranks beyond the largest power of two Q ≤ P take no part in the exchanges. Rank Q + e instead sends its piece to
//!   rank e in an additional first round. It receives all other pieces from rank e in an additional last round.
//! * Bruck: in round x rank i sends its pieces i, i + 1, … to rank i − 2ˣ (modulo P). It sends at most 2ˣ pieces, and
//!   no more than the receiver lacks.
//! * Neighbour exchange: a rank exchanges with its two neighbours in turn the two pieces that it
//!   received last. This requires an even number of ranks; an odd number runs the ring.
//!
//! # Source
//! Thakur, Rabenseifner, Gropp 2005 (IJHPCA) for ring and recursive doubling; the additional rounds
//! for numbers of ranks that are no power of two are as described above. Bruck, Ho, Kipnis, Upfal,
//! Weathersby 1997 (TPDS); pieces are stored in their final places, so that nothing is rotated at
//! the end. Chen, Zhang, Zhang, Yuan 2005 (HPC Asia) for neighbour exchange.

use super::offer::{intel, mpich, tuned};
use super::traffic::{AlgorithmTraffic, ClosedForm};
use super::{AlgorithmEntry, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape};
use crate::schedule::{BlockCopy, BlockSlot, Round, ScheduleMessage};
use crate::units::{Procs, Rank};

pub(super) const RING: AlgorithmEntry = AlgorithmEntry {
    name: "ring",
    collective: Collective::Allgather,
    summary: "n-1 rounds: each rank hands the next the piece that it got last",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(ring_outline, ring),
    traffic: Some(AlgorithmTraffic::Port),
    closed_form: Some(ClosedForm::Steps),
    offered: &[
        tuned(4, "ring", Some(AlgorithmTraffic::Port)),
        mpich("ring", Some(AlgorithmTraffic::Port)),
        intel(3, "ring", Some(AlgorithmTraffic::Port)),
    ],
};

pub(super) const RECURSIVE_DOUBLING: AlgorithmEntry = AlgorithmEntry {
    name: "recursive-doubling",
    collective: Collective::Allgather,
    summary: "exchanges of all that is known with rank i xor 2^x",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(doubling_outline, doubling),
    traffic: Some(AlgorithmTraffic::Doubling),
    closed_form: None,
    offered: &[
        tuned(3, "recursive_doubling", Some(AlgorithmTraffic::Doubling)).for_some_counts(),
        mpich("recursive_doubling", Some(AlgorithmTraffic::Doubling)).for_some_counts(),
    ],
};

pub(super) const BRUCK: AlgorithmEntry = AlgorithmEntry {
    name: "bruck",
    collective: Collective::Allgather,
    summary: "ceil(log2 n) rounds: all that is known to rank i-2^x",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(bruck_outline, bruck),
    traffic: Some(AlgorithmTraffic::Doubling),
    closed_form: None,
    offered: &[
        tuned(2, "bruck", Some(AlgorithmTraffic::Doubling)),
        mpich("brucks", Some(AlgorithmTraffic::Doubling)),
        intel(2, "bruck", Some(AlgorithmTraffic::Doubling)),
    ],
};

pub(super) const NEIGHBOUR: AlgorithmEntry = AlgorithmEntry {
    name: "neighbour",
    collective: Collective::Allgather,
    summary: "n/2 exchanges of two pieces with either neighbour in turn; a ring if n is odd",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(neighbour_outline, neighbour),
    traffic: Some(AlgorithmTraffic::Port),
    closed_form: None,
    offered: &[tuned(5, "neighbor", Some(AlgorithmTraffic::Port)).for_some_counts()],
};

/// Slot at `rank` of the piece of rank `of`; a rank's own piece is in its input.
pub(super) fn piece_slot(rank: Rank, of: Rank) -> BlockSlot {
    if rank == of {
        BlockSlot::Input(0)
    } else {
        BlockSlot::Output(of.0)
    }
}

/// The message sent and the message received, if any.
type AllgatherExchange = (Option<ScheduleMessage>, Option<ScheduleMessage>);

/// A round of at most one message each way; the first round also copies this rank's piece.
fn round(rank: Rank, index: usize, outgoing: Option<ScheduleMessage>, incoming: Option<ScheduleMessage>) -> Round {
    let piece_copy = BlockCopy {
        from: BlockSlot::Input(0),
        to: BlockSlot::Output(rank.0),
    };
    Round {
        sends: outgoing.into(),
        receives: incoming.into(),
        copies: (index == 0).then_some(piece_copy).into_iter().collect(),
        ..Round::default()
    }
}

fn send(from: Rank, to: Rank, pieces: impl IntoIterator<Item = Rank>) -> ScheduleMessage {
    ScheduleMessage::of(to, pieces.into_iter().map(|of| piece_slot(from, of)))
}

fn receive(from: Rank, pieces: impl IntoIterator<Item = Rank>) -> ScheduleMessage {
    ScheduleMessage::of(from, pieces.into_iter().map(|of| BlockSlot::Output(of.0)))
}

/// At least one round, so that a lone rank also copies its piece.
fn ring_outline(shape: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline::without_relays((shape.procs.get() - 1).max(1) as usize)
}

fn ring(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return round(rank, index, None, None);
    }
    let step = step(index);
    let (to, from) = (rank.successor(1, procs), rank.predecessor(1, procs));
    let (last_got, coming) = (rank.predecessor(step, procs), rank.predecessor(step + 1, procs));
    let outgoing = send(rank, to, [last_got]);
    round(rank, index, Some(outgoing), Some(receive(from, [coming])))
}

/// The largest power of two up to `procs`.
fn power_of_two(procs: Procs) -> u32 {
    1 << procs.floor_log2()
}

fn doubling_outline(shape: ScheduleShape) -> ScheduleOutline {
    let procs = shape.procs.get();
    let power = power_of_two(shape.procs);
    let folds = if procs > power { 2 } else { 0 };
    ScheduleOutline {
        longest_message: match folds {
            0 => (power / 2).max(1),
            _ => procs - 1,
        },
        ..ScheduleOutline::without_relays((shape.procs.floor_log2() as usize + folds).max(1))
    }
}

fn doubling(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    let power = power_of_two(procs);
    let is_folded = procs.get() > power;
    let (outgoing, incoming) = match index.checked_sub(usize::from(is_folded)) {
        None => fold_in(procs, rank),
        Some(step) if step < procs.floor_log2() as usize => exchange(procs, rank, step),
        Some(_) if is_folded => fold_out(procs, rank),
        Some(_) => (None, None),
    };
    round(rank, index, outgoing, incoming)
}

/// The rank Q places before `rank` and the rank Q places after, Q the largest power of two ≤ P.
pub(super) fn fold_partners(procs: Procs, rank: Rank) -> (Option<Rank>, Option<Rank>) {
    let power = power_of_two(procs);
    let below = rank.0.checked_sub(power).map(Rank);
    let beyond = rank.0.checked_add(power).filter(|&twin| twin < procs.get());
    (below, beyond.map(Rank))
}

fn fold_in(procs: Procs, rank: Rank) -> AllgatherExchange {
    let (below, beyond) = fold_partners(procs, rank);
    (
        below.map(|to| send(rank, to, [rank])),
        beyond.map(|from| receive(from, [from])),
    )
}

fn fold_out(procs: Procs, rank: Rank) -> AllgatherExchange {
    let (below, beyond) = fold_partners(procs, rank);
    let all_but = |excluded: Rank| procs.ranks().filter(move |&of| of != excluded);
    (
        beyond.map(|to| send(rank, to, all_but(to))),
        below.map(|from| receive(from, all_but(rank))),
    )
}

fn exchange(procs: Procs, rank: Rank, step: usize) -> AllgatherExchange {
    let power = power_of_two(procs);
    if rank.0 >= power {
        return (None, None);
    }
    let group = 1 << step;
    let known = |member: Rank| {
        let first = member.0 & !(group - 1);
        let beyond = first.saturating_add(power)..procs.get();
        let members = first..first + group;
        members.chain(beyond.take(group as usize)).map(Rank)
    };
    let partner = Rank(rank.0 ^ group);
    (
        Some(send(rank, partner, known(rank))),
        Some(receive(partner, known(partner))),
    )
}

fn bruck_outline(shape: ScheduleShape) -> ScheduleOutline {
    let rounds = shape.procs.ceil_log2() as usize;
    let longest = (0..rounds).map(|index| new_pieces(shape.procs, index).1);
    ScheduleOutline {
        longest_message: longest.max().unwrap_or(1),
        ..ScheduleOutline::without_relays(rounds.max(1))
    }
}

/// Distance and number of the pieces that a message of Bruck's algorithm carries in a round.
fn new_pieces(procs: Procs, index: usize) -> (u32, u32) {
    let known = 1 << index;
    (known, known.min(procs.get() - known))
}

fn bruck(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return round(rank, index, None, None);
    }
    let (distance, pieces) = new_pieces(procs, index);
    let from_on = |first: Rank| (0..pieces).map(move |place| first.successor(place, procs));
    let (to, from) = (rank.predecessor(distance, procs), rank.successor(distance, procs));
    let outgoing = send(rank, to, from_on(rank));
    let incoming = receive(from, from_on(from));
    round(rank, index, Some(outgoing), Some(incoming))
}

fn neighbour_outline(shape: ScheduleShape) -> ScheduleOutline {
    let procs = shape.procs.get();
    if procs % 2 == 1 {
        return ring_outline(shape);
    }
    ScheduleOutline {
        longest_message: if procs > 2 { 2 } else { 1 },
        ..ScheduleOutline::without_relays(procs as usize / 2)
    }
}

fn neighbour(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() % 2 == 1 {
        return ring(shape, rank, index);
    }
    let step = step(index);
    let goes_up = rank.0.is_multiple_of(2) == step.is_multiple_of(2);
    let partner = if goes_up {
        rank.successor(1, procs)
    } else {
        rank.predecessor(1, procs)
    };
    let (outgoing, incoming) = match step.checked_sub(1) {
        None => (send(rank, partner, [rank]), receive(partner, [partner])),
        Some(before) => (
            send(rank, partner, pair(procs, rank, before)),
            receive(partner, pair(procs, partner, before)),
        ),
    };
    round(rank, index, Some(outgoing), Some(incoming))
}

/// The two pieces that are new to `rank` after step `step` of the neighbour exchange. In step 0 they are its own and
/// its partner's; later pairs come from increasing distances, from either side in turn.
fn pair(procs: Procs, rank: Rank, step: u32) -> [Rank; 2] {
    let pair_start = Rank(rank.0 & !1);
    let distance = step.next_multiple_of(2);
    let is_ahead = rank.0.is_multiple_of(2) == step.is_multiple_of(2);
    let first = if is_ahead {
        pair_start.successor(distance, procs)
    } else {
        pair_start.predecessor(distance, procs)
    };
    [first, first.successor(1, procs)]
}

fn step(index: usize) -> u32 {
    u32::try_from(index).expect("fewer rounds than ranks")
}
