//! Matching of messages and receives in MPI's order: a message goes to the earliest posted
//! receive that it fits, and a receive takes the earliest message that fits it.
//!
//! Matching does not search. A waiting item is in one list per key under which the other side may look it up. A
//! lookup compares the first items of its lists: one list without wildcards, at most four with wildcards. A matched
//! item is removed from its other lists when they are next read.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use netsig_base::units::{Procs, Rank};
use rustc_hash::FxHashMap;

use super::program::{FlightId, OperationId};

/// Source and tag of a message or a receive; `None` matches any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessagePattern {
    /// The receiving rank.
    pub receiver: Rank,
    pub source: Option<Rank>,
    pub tag: Option<u32>,
}

impl MessagePattern {
    /// Number of wildcards in the pattern.
    pub(super) fn wildcards(&self) -> usize {
        usize::from(self.source.is_none()) + usize::from(self.tag.is_none())
    }
}

/// Wildcards that occur among all messages to a rank, or among all its receives.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wildcards {
    source: bool,
    tag: bool,
}

impl Wildcards {
    fn add(&mut self, pattern: MessagePattern) {
        self.source |= pattern.source.is_none();
        self.tag |= pattern.tag.is_none();
    }
}

/// Source or tag that the items of a list have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum PatternPart {
    /// This value.
    Exact(u32),
    /// A wildcard.
    Wild,
    /// Nothing: the list holds all values.
    All,
}

impl PatternPart {
    fn of(value: Option<u32>) -> Self {
        value.map_or(Self::Wild, Self::Exact)
    }
}

/// Key of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct MatchingKey {
    receiver: Rank,
    source: PatternPart,
    tag: PatternPart,
}

/// One side: receives that wait for messages, or messages that wait for receives.
#[derive(Debug, Clone)]
pub(super) struct MatchingQueue<T> {
    /// Waiting items and their receivers, by sequence number.
    items: FxHashMap<u64, (Rank, T)>,
    /// Sequence numbers of each list, the earliest first; some items may be matched already.
    lists: FxHashMap<MatchingKey, VecDeque<u64>>,
    count: u64,
}

impl<T> Default for MatchingQueue<T> {
    fn default() -> Self {
        Self {
            items: FxHashMap::default(),
            lists: FxHashMap::default(),
            count: 0,
        }
    }
}

impl<T: Copy> MatchingQueue<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a waiting item; `others` are the wildcards that occur on the other side.
    pub(super) fn put(&mut self, pattern: MessagePattern, others: Wildcards, value: T) {
        let sources = [
            Some(PatternPart::of(pattern.source.map(|rank| rank.0))),
            others.source.then_some(PatternPart::All),
        ];
        let tags = [
            Some(PatternPart::of(pattern.tag)),
            others.tag.then_some(PatternPart::All),
        ];
        for key in keys(pattern.receiver, sources, tags) {
            self.lists.entry(key).or_default().push_back(self.count);
        }
        self.items.insert(self.count, (pattern.receiver, value));
        self.count += 1;
    }

    /// Takes the earliest item that fits; `item_wildcards` occur among the items.
    pub(super) fn take(&mut self, pattern: MessagePattern, item_wildcards: Wildcards) -> Option<T> {
        let firsts = fitting_keys(pattern, item_wildcards).filter_map(|key| Some((self.first(key)?, key)));
        let (first, key) = firsts.min_by_key(|&(first, _)| first)?;
        let (_, value) = self.items.remove(&first)?;
        self.first(key);
        Some(value)
    }

    /// First waiting item of a list; drops the matched items before it.
    fn first(&mut self, key: MatchingKey) -> Option<u64> {
        let Entry::Occupied(mut list) = self.lists.entry(key) else {
            return None;
        };
        while let Some(first) = list.get().front() {
            if self.items.contains_key(first) {
                return Some(*first);
            }
            list.get_mut().pop_front();
        }
        list.remove();
        None
    }

    /// Waiting items of a list, the earliest first.
    pub(super) fn list(&self, key: MatchingKey) -> impl Iterator<Item = (Rank, T)> {
        let list = self.lists.get(&key).into_iter().flatten();
        list.filter_map(|item| self.items.get(item).copied())
    }

    /// All waiting items with their receivers, unordered.
    pub(super) fn items(&self) -> impl Iterator<Item = (Rank, T)> {
        self.items.values().copied()
    }
}

/// Keys of the lists that hold all fitting items; `others` are the wildcards among the items.
fn fitting_keys(pattern: MessagePattern, others: Wildcards) -> impl Iterator<Item = MatchingKey> {
    let sources = match pattern.source {
        Some(rank) => [
            Some(PatternPart::Exact(rank.0)),
            others.source.then_some(PatternPart::Wild),
        ],
        None => [Some(PatternPart::All), None],
    };
    let tags = match pattern.tag {
        Some(tag) => [Some(PatternPart::Exact(tag)), others.tag.then_some(PatternPart::Wild)],
        None => [Some(PatternPart::All), None],
    };
    keys(pattern.receiver, sources, tags)
}

fn keys(
    receiver: Rank,
    sources: [Option<PatternPart>; 2],
    tags: [Option<PatternPart>; 2],
) -> impl Iterator<Item = MatchingKey> {
    sources.into_iter().flatten().flat_map(move |source| {
        let tags = tags.into_iter().flatten();
        tags.map(move |tag| MatchingKey { receiver, source, tag })
    })
}

/// A message that waits for its receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WaitingMessage {
    pub flight: FlightId,
    pub from: Rank,
    pub send: OperationId,
}

/// Receives and messages of all ranks. Every pattern is announced before the first match.
#[derive(Debug, Clone)]
pub(super) struct Matching {
    pub posted: MatchingQueue<OperationId>,
    pub arrived: MatchingQueue<WaitingMessage>,
    /// Wildcards of the receives of each rank.
    receives: Vec<Wildcards>,
    messages: Vec<Wildcards>,
}

impl Matching {
    pub(super) fn new(procs: Procs) -> Self {
        Self {
            posted: MatchingQueue::default(),
            arrived: MatchingQueue::default(),
            receives: vec![Wildcards::default(); procs.get() as usize],
            messages: vec![Wildcards::default(); procs.get() as usize],
        }
    }

    /// Announces a receive with this pattern.
    pub(super) fn announce_receive(&mut self, pattern: MessagePattern) {
        self.receives[pattern.receiver.0 as usize].add(pattern);
    }

    /// Announces a message with this pattern.
    pub(super) fn announce_message(&mut self, pattern: MessagePattern) {
        self.messages[pattern.receiver.0 as usize].add(pattern);
    }

    /// Posts a receive: returns the message that it takes, or lets it wait.
    pub(super) fn post(&mut self, pattern: MessagePattern, op: OperationId) -> Option<WaitingMessage> {
        let messages = self.messages(pattern);
        let arrived = self.arrived.take(pattern, messages);
        if arrived.is_none() {
            self.posted.put(pattern, messages, op);
        }
        arrived
    }

    /// Handles an arrived message: returns the receive that takes it, or lets it wait.
    pub(super) fn arrive(&mut self, pattern: MessagePattern, arrived: WaitingMessage) -> Option<OperationId> {
        let receives = self.receives(pattern);
        let op = self.posted.take(pattern, receives);
        if op.is_none() {
            self.arrived.put(pattern, receives, arrived);
        }
        op
    }

    /// Wildcards of all receives of the pattern's receiver.
    pub(super) fn receives(&self, pattern: MessagePattern) -> Wildcards {
        self.receives[pattern.receiver.0 as usize]
    }

    /// Wildcards of all messages to the pattern's receiver.
    pub(super) fn messages(&self, pattern: MessagePattern) -> Wildcards {
        self.messages[pattern.receiver.0 as usize]
    }

    /// Keys of the lists of posted receives that a message fits.
    pub(super) fn fitting(&self, message: MessagePattern) -> impl Iterator<Item = MatchingKey> {
        fitting_keys(message, self.receives(message))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// True if a receive is posted; false if a message arrives.
    type MatchingStep = (bool, MessagePattern);

    fn steps() -> impl Strategy<Value = Vec<MatchingStep>> {
        let or_any = |most: u32| prop_oneof![3 => (0..most).prop_map(Some), 1 => Just(None)];
        let step_parts = (0..2_u32, or_any(3), or_any(3), any::<bool>());
        let step = step_parts.prop_map(|(to, source, tag, is_posted)| {
            let pattern = MessagePattern {
                receiver: Rank(to),
                source: source.or((!is_posted).then_some(0)).map(Rank),
                tag,
            };
            (is_posted, pattern)
        });
        // Steps without wildcards, with wildcards in messages only, and with wildcards on both sides.
        (proptest::collection::vec(step, 0..80), 0..3).prop_map(|(mut steps, kind)| {
            steps.retain(|(is_posted, pattern)| kind > i32::from(*is_posted) || pattern.wildcards() == 0);
            steps
        })
    }

    /// The partner of each step, by a search through all waiting items.
    fn searched_partners(steps: &[MatchingStep]) -> Vec<Option<u32>> {
        let fits = |a: MessagePattern, b: MessagePattern| {
            let same = |a: Option<u32>, b: Option<u32>| a.is_none() || b.is_none() || a == b;
            let source = |pattern: MessagePattern| pattern.source.map(|rank| rank.0);
            a.receiver == b.receiver && same(source(a), source(b)) && same(a.tag, b.tag)
        };
        let mut waiting: Vec<(u32, MatchingStep)> = Vec::new();
        let partner = |(place, step): (u32, &MatchingStep)| {
            let meets = |other: &MatchingStep| other.0 != step.0 && fits(other.1, step.1);
            let found = waiting.iter().position(|(_, other)| meets(other));
            if found.is_none() {
                waiting.push((place, *step));
            }
            found.map(|index| waiting.remove(index).0)
        };
        (0..).zip(steps).map(partner).collect()
    }

    proptest! {
        #[test]
        fn partners_are_those_of_a_search(steps in steps()) {
            let mut matching = Matching::new(Procs::new(2).unwrap());
            for &(is_posted, pattern) in &steps {
                if is_posted {
                    matching.announce_receive(pattern);
                } else {
                    matching.announce_message(pattern);
                }
            }
            let mut waiting = 0_usize;
            for ((place, step), partner) in (0..).zip(&steps).zip(searched_partners(&steps)) {
                let arrived = WaitingMessage { flight: place, from: Rank(0), send: place };
                let found = match *step {
                    (true, pattern) => matching.post(pattern, place).map(|one| one.flight),
                    (false, pattern) => matching.arrive(pattern, arrived),
                };
                prop_assert_eq!(found, partner);
                waiting = if found.is_some() { waiting - 1 } else { waiting + 1 };
                let (posted, arrived) = (matching.posted.items(), matching.arrived.items());
                prop_assert_eq!(posted.count() + arrived.count(), waiting);
            }
        }
    }
}
