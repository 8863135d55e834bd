//! Diagnosis of GOAL programs that cannot continue: cycles of waiting operations, and operations without a partner.
//!
//! Each search takes time in proportion to the remaining operations and their dependencies.

use itertools::Itertools;
use netsig_base::units::Rank;
use rustc_hash::FxHashSet;

use super::{GoalAction, GoalRankProgram, GoalRun, pattern, ranks};
use crate::goal::cycle;
use crate::matching::{MatchingKey, MatchingQueue, MessagePattern};
use crate::program::{OperationId, UnfinishedOperations};

/// A rank and one of its operations.
type RankOperation = (Rank, OperationId);

/// Operations and messages left when no event remains.
pub(super) fn unfinished_work(goals: &GoalRun) -> UnfinishedOperations {
    let (unmatched, messages) = unpaired(goals);
    let name = |(rank, op): RankOperation| operation_text(goals.program(rank), op);
    let cycle = waiting_cycle(goals, &unmatched).into_iter().map(|(receive, send)| {
        let (rank, other) = (receive.0, send.0);
        let (receive, send) = (name(receive), name(send));
        format!("rank {rank} waits in {receive} for rank {other}'s {send}")
    });
    let mut unmatched_places: Vec<RankOperation> = unmatched.iter().copied().collect();
    unmatched_places.sort_unstable();
    let receives = unmatched_places.into_iter().map(|place| {
        let (rank, name) = (place.0, name(place));
        format!("rank {rank} has no message for {name}")
    });
    let sends = messages.into_iter().map(|place| {
        let (rank, name) = (place.0, name(place));
        format!("rank {rank} has no receive for {name}")
    });
    UnfinishedOperations {
        cycle: cycle.collect(),
        receives: receives.collect(),
        sends: sends.collect(),
    }
}

/// Label, if any, and statement of an operation: `"l1" (send 8b to 1 tag 0)`.
pub(super) fn operation_text(program: &GoalRankProgram, op: OperationId) -> String {
    let action = program.action(op).statement("any rank", "any tag");
    match program.label(op) {
        Some(label) => format!("{label:?} ({action})"),
        None => action,
    }
}

/// Pairs all remaining receives and messages, started or not, receives with fewer wildcards first. Returns the
/// receives without a message, and in order the messages without a receive.
fn unpaired(goals: &GoalRun) -> (FxHashSet<RankOperation>, Vec<RankOperation>) {
    let matching = &goals.matching;
    let (mut receives, sends) = remaining(goals);
    receives.sort_unstable_by_key(|&(place, pattern)| {
        let has_to_wait = !goals.has_started(place.0, place.1);
        (pattern.wildcards(), has_to_wait, place)
    });
    let mut messages = MatchingQueue::default();
    for (place, pattern) in sends {
        messages.put(pattern, matching.receives(pattern), place);
    }
    let unmatched_operations = receives.into_iter().filter(|&(_, pattern)| {
        let wildcards = matching.messages(pattern);
        messages.take(pattern, wildcards).is_none()
    });
    let unmatched = unmatched_operations.map(|(place, _)| place).collect();
    let mut unwanted: Vec<RankOperation> = messages.items().map(|(_, place)| place).collect();
    unwanted.sort_unstable();
    (unmatched, unwanted)
}

/// Operations with the patterns of their messages.
type OperationPatterns = Vec<(RankOperation, MessagePattern)>;

/// Receives that have not ended, and sends: first the sends whose messages wait for a receive,
/// then the sends that have not started.
fn remaining(goals: &GoalRun) -> (OperationPatterns, OperationPatterns) {
    let arrived = goals.matching.arrived.items();
    let mut places: Vec<RankOperation> = arrived.map(|(_, one)| (one.from, one.send)).collect();
    places.sort_unstable();
    let sends = places
        .into_iter()
        .filter_map(|place| Some((place, message(goals, place)?)));
    let (mut receives, mut sends) = (Vec::new(), sends.collect::<OperationPatterns>());
    for (rank, program) in ranks(goals.goal) {
        for op in program.indices().filter(|&op| !goals.has_ended(rank, op)) {
            let place = (rank, op);
            if let GoalAction::Receive { from, tag, .. } = program.action(op) {
                receives.push((place, pattern(rank, from, tag)));
            } else if !goals.has_started(rank, op) {
                sends.extend(message(goals, place).map(|message| (place, message)));
            }
        }
    }
    (receives, sends)
}

/// The message of an operation, if it is a send.
fn message(goals: &GoalRun, place: RankOperation) -> Option<MessagePattern> {
    let (rank, op) = place;
    match goals.program(rank).action(op) {
        GoalAction::Send { to, tag, .. } => Some(pattern(to, Some(rank), tag)),
        _ => None,
    }
}

/// Node of the graph of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum WaitingNode {
    Operation(RankOperation),
    /// Posted receives that a message fits.
    List(MatchingKey),
}

/// Receives in a cycle, each with the send that it waits for; this send waits for the next receive. The search begins
/// at posted receives that are not `unmatched`: these wait for no message.
fn waiting_cycle(goals: &GoalRun, unmatched: &FxHashSet<RankOperation>) -> Vec<(RankOperation, RankOperation)> {
    let posted_operations = goals.matching.posted.items();
    let mut posted: Vec<RankOperation> = posted_operations.filter(|place| !unmatched.contains(place)).collect();
    posted.sort_unstable();
    let starts = posted.into_iter().map(WaitingNode::Operation);
    let circle = cycle::find(starts, |node| match node {
        WaitingNode::Operation(place) => behind_operation(goals, place),
        WaitingNode::List(key) => {
            let places = goals.matching.posted.list(key);
            let matched = places.filter(|place| !unmatched.contains(place));
            matched.map(WaitingNode::Operation).collect()
        }
    });
    circle.map_or_else(Vec::new, |nodes| pairs(&nodes))
}

/// Nodes that wait for an operation, directly or through a list of receives.
fn behind_operation(goals: &GoalRun, place: RankOperation) -> Vec<WaitingNode> {
    let (rank, op) = place;
    let program = goals.program(rank);
    let operation = |&after: &OperationId| WaitingNode::Operation((rank, after));
    let mut behind: Vec<WaitingNode> = program.after_end(op).iter().map(operation).collect();
    if !goals.has_started(rank, op) {
        behind.extend(program.after_start(op).iter().map(operation));
        if let Some(message) = message(goals, place) {
            behind.extend(goals.matching.fitting(message).map(WaitingNode::List));
        }
    }
    behind
}

/// Receives of a cycle, each with its send, in the order of waiting, the smallest first. The next node of `circle`
/// waits for each node.
fn pairs(circle: &[WaitingNode]) -> Vec<(RankOperation, RankOperation)> {
    let steps = circle.iter().copied().circular_tuple_windows();
    let pair = |step| match step {
        (WaitingNode::Operation(send), WaitingNode::List(_), WaitingNode::Operation(receive)) => Some((receive, send)),
        _ => None,
    };
    let mut pairs: Vec<(RankOperation, RankOperation)> = steps.filter_map(pair).collect();
    pairs.reverse();
    let first = (0..pairs.len()).min_by_key(|&index| pairs[index]);
    pairs.rotate_left(first.unwrap_or(0));
    pairs
}
