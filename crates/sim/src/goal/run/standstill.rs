//! Diagnosis of GOAL programs that cannot go on: cycles of waiting, and operations without partner.
//!
//! Each search takes time in proportion to the remaining operations and their dependencies.

use itertools::Itertools;
use netsig_base::units::Rank;
use rustc_hash::FxHashSet;

use super::{Action, Goals, RankProgram, pattern, ranks};
use crate::goal::cycle;
use crate::matching::{Key, Pattern, Waiting};
use crate::program::{Op, Rest};

/// A rank and one of its operations.
type Place = (Rank, Op);

/// Operations and messages left when no event remains.
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

/// Label, if any, and statement of an operation: `"l1" (send 8b to 1 tag 0)`.
pub(super) fn name(program: &RankProgram, op: Op) -> String {
    let action = program.action(op).statement("any rank", "any tag");
    match program.label(op) {
        Some(label) => format!("{label:?} ({action})"),
        None => action,
    }
}

/// Receives left without a message and messages left without a receive, in order, if all others
/// are paired, whether they have started or not. Receives with fewer wildcards choose first.
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

/// Operations with the patterns of their messages.
type Messages = Vec<(Place, Pattern)>;

/// Receives that have not ended, and sends: first the sends whose messages wait for a receive,
/// then the sends that have not started.
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

/// Node of the graph of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Operation(Place),
    /// Posted receives that a message fits.
    List(Key),
}

/// Receives in a cycle, each with the send that it waits for; this send waits for the next receive.
/// The search begins at posted receives that are not `lonely`; lonely ones wait for no message.
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

/// Nodes that wait for an operation, directly or through a list of receives.
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

/// Receives of a cycle, each with its send, in the order of waiting, the smallest first. In
/// `circle` each node is awaited by the next.
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
