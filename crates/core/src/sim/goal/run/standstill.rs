//! Why programs in GOAL stand still: what waits in a circle, and what has no partner.
//!
//! Each question takes time in proportion to the operations that are left and what waits
//! for them.

use itertools::Itertools;
use rustc_hash::FxHashSet;

use super::{Action, Goals, RankProgram, pattern, ranks};
use crate::sim::goal::cycle;
use crate::sim::matching::{Key, Pattern, Waiting};
use crate::sim::program::{Op, Rest};
use crate::units::Rank;

/// An operation of all ranks.
type Place = (Rank, Op);

/// What is left when nothing happens any more.
pub(super) fn rest(goals: &Goals) -> Rest {
    let (lonely, messages) = unpaired(goals);
    let name = |(rank, op): Place| name(goals.program(rank), op);
    let cycle = circle(goals, &lonely).into_iter().map(|(receive, send)| {
        let (rank, other) = (receive.0, send.0);
        let (receive, send) = (name(receive), name(send));
        format!("rank {rank} waits in {receive} for rank {other}'s {send}")
    });
    let mut receives: Vec<Place> = lonely.iter().copied().collect();
    receives.sort_unstable();
    let receives = receives.into_iter().map(|place| {
        let (rank, name) = (place.0, name(place));
        format!("rank {rank} has no message for {name}")
    });
    let sends = messages.into_iter().map(|place| {
        let (rank, name) = (place.0, name(place));
        format!("rank {rank} has no receive for {name}")
    });
    Rest {
        cycle: cycle.collect(),
        receives: receives.collect(),
        sends: sends.collect(),
    }
}

/// What an operation is called, if it is, and does: `"l1" (send 8b to 1 tag 0)`.
pub(super) fn name(program: &RankProgram, op: Op) -> String {
    let action = program.action(op).statement("any rank", "any tag");
    match program.label(op) {
        Some(label) => format!("{label:?} ({action})"),
        None => action,
    }
}

/// The receives that would be left if each other took a message, and those messages that
/// would, in order; be they sent or not. The fewer wildcards a receive has, the earlier it
/// may choose.
fn unpaired(goals: &Goals) -> (FxHashSet<Place>, Vec<Place>) {
    let matching = &goals.matching;
    let (mut receives, sends) = left(goals);
    receives.sort_unstable_by_key(|&(place, pattern)| {
        let has_to_wait = !goals.has_started(place.0, place.1);
        (pattern.wildcards(), has_to_wait, place)
    });
    let mut messages = Waiting::default();
    for (place, pattern) in sends {
        messages.put(pattern, matching.receives(pattern), place);
    }
    let lonely = receives.into_iter().filter(|&(_, pattern)| {
        let wildcards = matching.messages(pattern);
        messages.take(pattern, wildcards).is_none()
    });
    let lonely = lonely.map(|(place, _)| place).collect();
    let mut unwanted: Vec<Place> = messages.items().map(|(_, place)| place).collect();
    unwanted.sort_unstable();
    (lonely, unwanted)
}

/// Operations with what they ask for or carry.
type Messages = Vec<(Place, Pattern)>;

/// The receives that have not ended, and the sends that have not started, behind those whose
/// messages wait.
fn left(goals: &Goals) -> (Messages, Messages) {
    let arrived = goals.matching.arrived.items();
    let mut places: Vec<Place> = arrived.map(|(_, one)| (one.from, one.send)).collect();
    places.sort_unstable();
    let sends = places
        .into_iter()
        .filter_map(|place| Some((place, message(goals, place)?)));
    let (mut receives, mut sends) = (Vec::new(), sends.collect::<Messages>());
    for (rank, program) in ranks(goals.goal) {
        for op in program.indices().filter(|&op| !goals.has_ended(rank, op)) {
            let place = (rank, op);
            if let Action::Receive { from, tag, .. } = program.action(op) {
                receives.push((place, pattern(rank, from, tag)));
            } else if !goals.has_started(rank, op) {
                sends.extend(message(goals, place).map(|message| (place, message)));
            }
        }
    }
    (receives, sends)
}

/// The message of an operation, if it is a send.
fn message(goals: &Goals, (rank, op): Place) -> Option<Pattern> {
    match goals.program(rank).action(op) {
        Action::Send { to, tag, .. } => Some(pattern(to, Some(rank), tag)),
        _ => None,
    }
}

/// What something waits for, or by way of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Operation(Place),
    /// Posted receives that a message fits.
    List(Key),
}

/// Receives, each with a send that it waits for and that is behind the next receive: a circle
/// behind the posted receives that are not `lonely`, as those wait for nothing that could
/// happen.
fn circle(goals: &Goals, lonely: &FxHashSet<Place>) -> Vec<(Place, Place)> {
    let posted = goals.matching.posted.items();
    let mut posted: Vec<Place> = posted.filter(|place| !lonely.contains(place)).collect();
    posted.sort_unstable();
    let starts = posted.into_iter().map(Node::Operation);
    let circle = cycle::find(starts, |node| match node {
        Node::Operation(place) => behind_operation(goals, place),
        Node::List(key) => {
            let places = goals.matching.posted.list(key);
            let hopeful = places.filter(|place| !lonely.contains(place));
            hopeful.map(Node::Operation).collect()
        }
    });
    circle.map_or_else(Vec::new, |nodes| pairs(&nodes))
}

/// What waits for an operation, or by way of it.
fn behind_operation(goals: &Goals, place: Place) -> Vec<Node> {
    let (rank, op) = place;
    let program = goals.program(rank);
    let operation = |&after: &Op| Node::Operation((rank, after));
    let mut behind: Vec<Node> = program.after_end(op).iter().map(operation).collect();
    if !goals.has_started(rank, op) {
        behind.extend(program.after_start(op).iter().map(operation));
        if let Some(message) = message(goals, place) {
            behind.extend(goals.matching.fitting(message).map(Node::List));
        }
    }
    behind
}

/// The receives of a circle, which goes from what is waited for to what waits, in the order
/// of waiting and from the first on, each with its send.
fn pairs(circle: &[Node]) -> Vec<(Place, Place)> {
    let steps = circle.iter().copied().circular_tuple_windows();
    let pair = |step| match step {
        (Node::Operation(send), Node::List(_), Node::Operation(receive)) => Some((receive, send)),
        _ => None,
    };
    let mut pairs: Vec<(Place, Place)> = steps.filter_map(pair).collect();
    pairs.reverse();
    let first = (0..pairs.len()).min_by_key(|&index| pairs[index]);
    pairs.rotate_left(first.unwrap_or(0));
    pairs
}
