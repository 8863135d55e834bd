//! Why programs in GOAL stand still: what waits in a circle, and what has no partner.
//!
//! Each question takes time in proportion to the operations that are left and what waits
//! for them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Action, Goals, RankProgram, operations, pattern, ranks};
use crate::sim::matching::{Key, Pattern, Waiting};
use crate::sim::program::{Op, Rest};
use crate::units::Rank;

/// An operation of all ranks.
type Place = (Rank, Op);

/// What is left when nothing happens any more.
pub(super) fn rest(goals: &Goals) -> Rest {
    let (lonely, messages) = unpaired(goals);
    let cycle = Walk::new(goals, &lonely).cycle();
    let name = |(rank, op): Place| name(goals.program(rank), op);
    let cycle = cycle.into_iter().map(|(receive, send)| {
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
    let tag = |tag: Option<u32>| tag.map_or("any tag".to_owned(), |tag| format!("tag {tag}"));
    let action = match program.action(op) {
        Action::Send { to, size, tag: own } => format!("send {}b to {to} {}", size.0, tag(own)),
        Action::Receive {
            from,
            size,
            tag: own,
        } => {
            let from = from.map_or("any rank".to_owned(), |rank| rank.to_string());
            format!("recv {}b from {from} {}", size.0, tag(own))
        }
        Action::Calculate { nanoseconds } => format!("calc {nanoseconds}"),
    };
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
        for op in operations(program).filter(|&op| !goals.has_ended(rank, op)) {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// On the way from where the walk began, at this place.
    Open(usize),
    Left,
}

/// A walk from what is waited for to what waits, depth first.
struct Walk<'a> {
    goals: &'a Goals<'a>,
    /// Receives that wait for nothing that could happen.
    lonely: &'a FxHashSet<Place>,
    marks: FxHashMap<Node, Mark>,
    /// The way, each node with those behind it that are not visited.
    way: Vec<(Node, Vec<Node>)>,
}

impl<'a> Walk<'a> {
    fn new(goals: &'a Goals, lonely: &'a FxHashSet<Place>) -> Self {
        Self {
            goals,
            lonely,
            marks: FxHashMap::default(),
            way: Vec::new(),
        }
    }

    /// Receives, each with a send that it waits for and that is behind the next receive.
    fn cycle(mut self) -> Vec<(Place, Place)> {
        let posted = self.goals.matching.posted.items();
        let mut posted: Vec<Place> = posted
            .filter(|place| !self.lonely.contains(place))
            .collect();
        posted.sort_unstable();
        let cycle = posted.into_iter().find_map(|start| self.from(start));
        cycle.map_or_else(Vec::new, |nodes| pairs(&nodes))
    }

    /// The nodes of the first circle behind an operation.
    fn from(&mut self, start: Place) -> Option<Vec<Node>> {
        self.enter(Node::Operation(start))?;
        while let Some((node, behind)) = self.way.last_mut() {
            let Some(next) = behind.pop() else {
                self.marks.insert(*node, Mark::Left);
                self.way.pop();
                continue;
            };
            if let Some(&Mark::Open(place)) = self.marks.get(&next) {
                let circle = self.way[place..].iter();
                return Some(circle.map(|&(node, _)| node).collect());
            }
            self.enter(next);
        }
        None
    }

    /// Sets out from a node, unless that was done before.
    fn enter(&mut self, node: Node) -> Option<()> {
        if self.marks.contains_key(&node) {
            return None;
        }
        self.marks.insert(node, Mark::Open(self.way.len()));
        let mut behind = match node {
            Node::Operation(place) => self.behind_operation(place),
            Node::List(key) => self.behind_list(key),
        };
        behind.reverse();
        self.way.push((node, behind));
        Some(())
    }

    fn behind_operation(&self, place: Place) -> Vec<Node> {
        let (rank, op) = place;
        let program = self.goals.program(rank);
        let operation = |&after: &Op| Node::Operation((rank, after));
        let mut behind: Vec<Node> = program.after_end(op).iter().map(operation).collect();
        if !self.goals.has_started(rank, op) {
            behind.extend(program.after_start(op).iter().map(operation));
            if let Some(message) = message(self.goals, place) {
                behind.extend(self.goals.matching.fitting(message).map(Node::List));
            }
        }
        behind
    }

    fn behind_list(&self, key: Key) -> Vec<Node> {
        let posted = self.goals.matching.posted.list(key);
        let places = posted.map(|op| (key.receiver, op));
        let hopeful = places.filter(|place| !self.lonely.contains(place));
        hopeful.map(Node::Operation).collect()
    }
}

/// The receives of a circle, which goes from what is waited for to what waits, in the order
/// of waiting and from the first on, each with its send.
fn pairs(circle: &[Node]) -> Vec<(Place, Place)> {
    let steps = circle.iter().zip(circle.iter().cycle().skip(2));
    let mut pairs: Vec<(Place, Place)> = steps
        .zip(circle.iter().cycle().skip(1))
        .filter_map(
            |((before, after), between)| match (before, between, after) {
                (Node::Operation(send), Node::List(_), Node::Operation(receive)) => {
                    Some((*receive, *send))
                }
                _ => None,
            },
        )
        .collect();
    pairs.reverse();
    let first = (0..pairs.len()).min_by_key(|&index| pairs[index]);
    pairs.rotate_left(first.unwrap_or(0));
    pairs
}
