//! Matching of messages and receives in MPI's order: a message goes to the earliest posted
//! receive that it fits, and a receive takes the earliest message that fits it.
//!
//! Matching does not search. A waiting item stands in one list per key under which the other side
//! may look it up, and a lookup compares the first items of its lists: one list without wildcards,
//! at most four with them. A matched item is removed from its other lists when they are next read.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use netsig_base::units::{Procs, Rank};
use rustc_hash::FxHashMap;

use super::program::{FlightId, Op};

/// Source and tag of a message or a receive; `None` matches any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The receiving rank.
    pub receiver: Rank,
    pub source: Option<Rank>,
    pub tag: Option<u32>,
}

impl Pattern {
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
    fn add(&mut self, pattern: Pattern) {
        self.source |= pattern.source.is_none();
        self.tag |= pattern.tag.is_none();
    }
}

/// Source or tag that the items of a list have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    /// This value.
    Exact(u32),
    /// A wildcard.
    Wild,
    /// Nothing: the list holds all values.
    All,
}

impl Part {
    fn of(value: Option<u32>) -> Self {
        value.map_or(Self::Wild, Self::Exact)
    }
}

/// Key of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    receiver: Rank,
    source: Part,
    tag: Part,
}

/// One side: receives that wait for messages, or messages that wait for receives.
#[derive(Debug, Clone)]
pub(super) struct Waiting<T> {
    /// Waiting items and their receivers, by sequence number.
    items: FxHashMap<u64, (Rank, T)>,
    /// Sequence numbers of each list, the earliest first; some items may be matched already.
    lists: FxHashMap<Key, VecDeque<u64>>,
    count: u64,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self {
            items: FxHashMap::default(),
            lists: FxHashMap::default(),
            count: 0,
        }
    }
}

impl<T: Copy> Waiting<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a waiting item; `others` are the wildcards that occur on the other side.
    pub(super) fn put(&mut self, pattern: Pattern, others: Wildcards, value: T) {
        let sources = [
            Some(Part::of(pattern.source.map(|rank| rank.0))),
            others.source.then_some(Part::All),
        ];
        let tags = [Some(Part::of(pattern.tag)), others.tag.then_some(Part::All)];
        for key in keys(pattern.receiver, sources, tags) {
            self.lists.entry(key).or_default().push_back(self.count);
        }
        self.items.insert(self.count, (pattern.receiver, value));
        self.count += 1;
    }

    /// Takes the earliest item that fits; `own` are the wildcards that occur among the items.
    pub(super) fn take(&mut self, pattern: Pattern, own: Wildcards) -> Option<T> {
        let firsts = searched(pattern, own).filter_map(|key| Some((self.first(key)?, key)));
        let (first, key) = firsts.min_by_key(|&(first, _)| first)?;
        let (_, value) = self.items.remove(&first)?;
        self.first(key);
        Some(value)
    }

    /// First waiting item of a list; drops the matched items before it.
    fn first(&mut self, key: Key) -> Option<u64> {
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
    pub(super) fn list(&self, key: Key) -> impl Iterator<Item = (Rank, T)> {
        let list = self.lists.get(&key).into_iter().flatten();
        list.filter_map(|item| self.items.get(item).copied())
    }

    /// All waiting items with their receivers, unordered.
    pub(super) fn items(&self) -> impl Iterator<Item = (Rank, T)> {
        self.items.values().copied()
    }
}

/// Keys of the lists that hold all fitting items; `others` are the wildcards among the items.
fn searched(pattern: Pattern, others: Wildcards) -> impl Iterator<Item = Key> {
    let sources = match pattern.source {
        Some(rank) => [Some(Part::Exact(rank.0)), others.source.then_some(Part::Wild)],
        None => [Some(Part::All), None],
    };
    let tags = match pattern.tag {
        Some(tag) => [Some(Part::Exact(tag)), others.tag.then_some(Part::Wild)],
        None => [Some(Part::All), None],
    };
    keys(pattern.receiver, sources, tags)
}

fn keys(receiver: Rank, sources: [Option<Part>; 2], tags: [Option<Part>; 2]) -> impl Iterator<Item = Key> {
    sources.into_iter().flatten().flat_map(move |source| {
        let tags = tags.into_iter().flatten();
        tags.map(move |tag| Key { receiver, source, tag })
    })
}

/// A message that waits for its receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrived {
    pub flight: FlightId,
    pub from: Rank,
    pub send: Op,
}

/// Both sides. Every pattern is announced before the first match.
#[derive(Debug, Clone)]
pub(super) struct Matching {
    pub posted: Waiting<Op>,
    pub arrived: Waiting<Arrived>,
    /// Wildcards of the receives of each rank.
    receives: Vec<Wildcards>,
    messages: Vec<Wildcards>,
}

impl Matching {
    pub(super) fn new(procs: Procs) -> Self {
        Self {
            posted: Waiting::default(),
            arrived: Waiting::default(),
            receives: vec![Wildcards::default(); procs.get() as usize],
            messages: vec![Wildcards::default(); procs.get() as usize],
        }
    }

    /// Announces a receive with this pattern.
    pub(super) fn announce_receive(&mut self, pattern: Pattern) {
        self.receives[pattern.receiver.0 as usize].add(pattern);
    }

    /// Announces a message with this pattern.
    pub(super) fn announce_message(&mut self, pattern: Pattern) {
        self.messages[pattern.receiver.0 as usize].add(pattern);
    }

    /// Posts a receive: returns the message that it takes, or lets it wait.
    pub(super) fn post(&mut self, pattern: Pattern, op: Op) -> Option<Arrived> {
        let messages = self.messages(pattern);
        let arrived = self.arrived.take(pattern, messages);
        if arrived.is_none() {
            self.posted.put(pattern, messages, op);
        }
        arrived
    }

    /// Handles an arrived message: returns the receive that takes it, or lets it wait.
    pub(super) fn arrive(&mut self, pattern: Pattern, arrived: Arrived) -> Option<Op> {
        let receives = self.receives(pattern);
        let op = self.posted.take(pattern, receives);
        if op.is_none() {
            self.arrived.put(pattern, receives, arrived);
        }
        op
    }

    /// Wildcards of all receives of the pattern's receiver.
    pub(super) fn receives(&self, pattern: Pattern) -> Wildcards {
        self.receives[pattern.receiver.0 as usize]
    }

    /// Wildcards of all messages to the pattern's receiver.
    pub(super) fn messages(&self, pattern: Pattern) -> Wildcards {
        self.messages[pattern.receiver.0 as usize]
    }

    /// Keys of the lists of posted receives that a message fits.
    pub(super) fn fitting(&self, message: Pattern) -> impl Iterator<Item = Key> {
        searched(message, self.receives(message))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// True if a receive is posted; false if a message arrives.
    type Step = (bool, Pattern);

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let or_any = |most: u32| prop_oneof![3 => (0..most).prop_map(Some), 1 => Just(None)];
        let step = (0..2_u32, or_any(3), or_any(3), any::<bool>());
        let step = step.prop_map(|(to, source, tag, is_posted)| {
            let pattern = Pattern {
                receiver: Rank(to),
                source: source.or((!is_posted).then_some(0)).map(Rank),
                tag,
            };
            (is_posted, pattern)
        });
        // Steps without wildcards, with those of messages, and with all.
        (proptest::collection::vec(step, 0..80), 0..3).prop_map(|(mut steps, kind)| {
            steps.retain(|(is_posted, pattern)| kind > i32::from(*is_posted) || pattern.wildcards() == 0);
            steps
        })
    }

    /// The partner of each step, by searching all that wait.
    fn searched_partners(steps: &[Step]) -> Vec<Option<u32>> {
        let fits = |a: Pattern, b: Pattern| {
            let same = |a: Option<u32>, b: Option<u32>| a.is_none() || b.is_none() || a == b;
            let source = |pattern: Pattern| pattern.source.map(|rank| rank.0);
            a.receiver == b.receiver && same(source(a), source(b)) && same(a.tag, b.tag)
        };
        let mut waiting: Vec<(u32, Step)> = Vec::new();
        let partner = |(place, step): (u32, &Step)| {
            let meets = |other: &Step| other.0 != step.0 && fits(other.1, step.1);
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
                let arrived = Arrived { flight: place, from: Rank(0), send: place };
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
