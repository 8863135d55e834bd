//! All-gathers: the piece of rank i becomes piece i of every rank.
//!
//! * Ring: in each of P − 1 rounds a rank sends the piece that it received last to the next rank,
//!   starting with its own.
//! * Recursive doubling: in round x ranks i and i xor 2ˣ exchange all pieces that their groups of
//!   2ˣ ranks have. Ranks beyond the largest power of two Q ≤ P take no part in the exchanges:
//!   rank Q + e sends its piece to rank e in an additional first round and receives all others
//!   from it in an additional last round.
//! * Bruck: in round x rank i sends to rank i − 2ˣ (modulo P) the pieces of ranks i, i + 1, …
//!   that it has, at most 2ˣ and no more than the receiver lacks.
//! * Neighbour exchange: a rank exchanges with its two neighbours in turn the two pieces that it
//!   received last. This requires an even number of ranks; an odd number runs the ring.
//!
//! # Source
//! Thakur, Rabenseifner, Gropp 2005 (IJHPCA) for ring and recursive doubling; the additional rounds
//! for numbers of ranks that are no power of two are as described above. Bruck, Ho, Kipnis, Upfal,
//! Weathersby 1997 (TPDS); pieces are stored in their final places, so that nothing is rotated at
//! the end. Chen, Zhang, Zhang, Yuan 2005 (HPC Asia) for neighbour exchange.

use super::offer::{intel, mpich, tuned};
use super::traffic::{ClosedForm, Traffic};
use super::{AllRounds, Collective, Cut, Entry, Outline, Shape};
use crate::schedule::{Copy, Message, Round, Slot};
use crate::units::{Procs, Rank};

pub(super) const RING: Entry = Entry {
    name: "ring",
    collective: Collective::Allgather,
    summary: "n-1 rounds: each rank hands the next the piece that it got last",
    settings: &[],
    cut: Cut::Whole,
    rounds: &AllRounds(ring_outline, ring),
    traffic: Some(Traffic::Port),
    closed_form: Some(ClosedForm::Steps),
    library: &[
        tuned(4, "ring", Some(Traffic::Port)),
        mpich("ring", Some(Traffic::Port)),
        intel(3, "ring", Some(Traffic::Port)),
    ],
};

pub(super) const RECURSIVE_DOUBLING: Entry = Entry {
    name: "recursive-doubling",
    collective: Collective::Allgather,
    summary: "exchanges of all that is known with rank i xor 2^x",
    settings: &[],
    cut: Cut::Whole,
    rounds: &AllRounds(doubling_outline, doubling),
    traffic: Some(Traffic::Doubling),
    closed_form: None,
    library: &[
        tuned(3, "recursive_doubling", Some(Traffic::Doubling)).for_some(),
        mpich("recursive_doubling", Some(Traffic::Doubling)).for_some(),
    ],
};

pub(super) const BRUCK: Entry = Entry {
    name: "bruck",
    collective: Collective::Allgather,
    summary: "ceil(log2 n) rounds: all that is known to rank i-2^x",
    settings: &[],
    cut: Cut::Whole,
    rounds: &AllRounds(bruck_outline, bruck),
    traffic: Some(Traffic::Doubling),
    closed_form: None,
    library: &[
        tuned(2, "bruck", Some(Traffic::Doubling)),
        mpich("brucks", Some(Traffic::Doubling)),
        intel(2, "bruck", Some(Traffic::Doubling)),
    ],
};

pub(super) const NEIGHBOUR: Entry = Entry {
    name: "neighbour",
    collective: Collective::Allgather,
    summary: "n/2 exchanges of two pieces with either neighbour in turn; a ring if n is odd",
    settings: &[],
    cut: Cut::Whole,
    rounds: &AllRounds(neighbour_outline, neighbour),
    traffic: Some(Traffic::Port),
    closed_form: None,
    library: &[tuned(5, "neighbor", Some(Traffic::Port)).for_some()],
};

/// Slot of the piece of rank `of` at `rank`; the own piece is in the input.
pub(super) fn held(rank: Rank, of: Rank) -> Slot {
    if rank == of { Slot::Input(0) } else { Slot::Output(of.0) }
}

/// The message sent and the message received, if any.
type Exchange = (Option<Message>, Option<Message>);

/// A round of at most one message each way; the first round also copies the own piece.
fn round(rank: Rank, index: usize, (out, come): Exchange) -> Round {
    let own = Copy {
        from: Slot::Input(0),
        to: Slot::Output(rank.0),
    };
    Round {
        sends: out.into(),
        receives: come.into(),
        copies: (index == 0).then_some(own).into_iter().collect(),
        ..Round::default()
    }
}

fn send(from: Rank, to: Rank, pieces: impl IntoIterator<Item = Rank>) -> Message {
    Message::of(to, pieces.into_iter().map(|of| held(from, of)))
}

fn receive(from: Rank, pieces: impl IntoIterator<Item = Rank>) -> Message {
    Message::of(from, pieces.into_iter().map(|of| Slot::Output(of.0)))
}

/// At least one round, so that a lone rank also copies its piece.
fn ring_outline(shape: Shape) -> Outline {
    Outline::without_relays((shape.procs.get() - 1).max(1) as usize)
}

fn ring(shape: Shape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return round(rank, index, (None, None));
    }
    let step = step(index);
    let (to, from) = (rank.ahead(1, procs), rank.behind(1, procs));
    let (last_got, coming) = (rank.behind(step, procs), rank.behind(step + 1, procs));
    let out = send(rank, to, [last_got]);
    round(rank, index, (Some(out), Some(receive(from, [coming]))))
}

/// The largest power of two up to `procs`.
fn power_of_two(procs: Procs) -> u32 {
    1 << procs.floor_log2()
}

fn doubling_outline(shape: Shape) -> Outline {
    let procs = shape.procs.get();
    let power = power_of_two(shape.procs);
    let folds = if procs > power { 2 } else { 0 };
    Outline {
        longest_message: match folds {
            0 => (power / 2).max(1),
            _ => procs - 1,
        },
        ..Outline::without_relays((shape.procs.floor_log2() as usize + folds).max(1))
    }
}

fn doubling(shape: Shape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    let power = power_of_two(procs);
    let is_folded = procs.get() > power;
    let exchange = match index.checked_sub(usize::from(is_folded)) {
        None => hand_in(procs, rank),
        Some(step) if step < procs.floor_log2() as usize => exchange(procs, rank, step),
        Some(_) if is_folded => hand_out(procs, rank),
        Some(_) => (None, None),
    };
    round(rank, index, exchange)
}

/// The rank Q places before `rank` and the rank Q places after, Q the largest power of two ≤ P.
pub(super) fn twins(procs: Procs, rank: Rank) -> (Option<Rank>, Option<Rank>) {
    let power = power_of_two(procs);
    let below = rank.0.checked_sub(power).map(Rank);
    let beyond = rank.0.checked_add(power).filter(|&twin| twin < procs.get());
    (below, beyond.map(Rank))
}

fn hand_in(procs: Procs, rank: Rank) -> Exchange {
    let (below, beyond) = twins(procs, rank);
    (
        below.map(|to| send(rank, to, [rank])),
        beyond.map(|from| receive(from, [from])),
    )
}

fn hand_out(procs: Procs, rank: Rank) -> Exchange {
    let (below, beyond) = twins(procs, rank);
    let all_but = |own: Rank| procs.ranks().filter(move |&of| of != own);
    (
        beyond.map(|to| send(rank, to, all_but(to))),
        below.map(|from| receive(from, all_but(rank))),
    )
}

fn exchange(procs: Procs, rank: Rank, step: usize) -> Exchange {
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

fn bruck_outline(shape: Shape) -> Outline {
    let rounds = shape.procs.ceil_log2() as usize;
    let longest = (0..rounds).map(|index| newly_known(shape.procs, index).1);
    Outline {
        longest_message: longest.max().unwrap_or(1),
        ..Outline::without_relays(rounds.max(1))
    }
}

/// Distance and number of the pieces that a message of Bruck's algorithm carries in a round.
fn newly_known(procs: Procs, index: usize) -> (u32, u32) {
    let known = 1 << index;
    (known, known.min(procs.get() - known))
}

fn bruck(shape: Shape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() == 1 {
        return round(rank, index, (None, None));
    }
    let (distance, pieces) = newly_known(procs, index);
    let from_on = |first: Rank| (0..pieces).map(move |place| first.ahead(place, procs));
    let (to, from) = (rank.behind(distance, procs), rank.ahead(distance, procs));
    let out = send(rank, to, from_on(rank));
    let come = receive(from, from_on(from));
    round(rank, index, (Some(out), Some(come)))
}

fn neighbour_outline(shape: Shape) -> Outline {
    let procs = shape.procs.get();
    if procs % 2 == 1 {
        return ring_outline(shape);
    }
    Outline {
        longest_message: if procs > 2 { 2 } else { 1 },
        ..Outline::without_relays(procs as usize / 2)
    }
}

fn neighbour(shape: Shape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    if procs.get() % 2 == 1 {
        return ring(shape, rank, index);
    }
    let step = step(index);
    let goes_up = rank.0.is_multiple_of(2) == step.is_multiple_of(2);
    let partner = if goes_up {
        rank.ahead(1, procs)
    } else {
        rank.behind(1, procs)
    };
    let (out, come) = match step.checked_sub(1) {
        None => (send(rank, partner, [rank]), receive(partner, [partner])),
        Some(before) => (
            send(rank, partner, pair(procs, rank, before)),
            receive(partner, pair(procs, partner, before)),
        ),
    };
    round(rank, index, (Some(out), Some(come)))
}

/// The two pieces that are new to `rank` after step `step` of the neighbour exchange, in step 0 its
/// own and its partner's. Later pairs come from increasing distances, from either side in turn.
fn pair(procs: Procs, rank: Rank, step: u32) -> [Rank; 2] {
    let own = Rank(rank.0 & !1);
    let distance = step.next_multiple_of(2);
    let is_ahead = rank.0.is_multiple_of(2) == step.is_multiple_of(2);
    let first = if is_ahead {
        own.ahead(distance, procs)
    } else {
        own.behind(distance, procs)
    };
    [first, first.ahead(1, procs)]
}

fn step(index: usize) -> u32 {
    u32::try_from(index).expect("fewer rounds than ranks")
}
