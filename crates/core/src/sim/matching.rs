//! Which message meets which receive, in MPI's order: a message goes to the earliest posted
//! receive that it fits, and a receive takes the earliest message that fits it.
//!
//! Nothing is searched. What waits stands in a list for each key under which the other side
//! may look for it, and whoever looks compares the first of each list where it may find
//! something. Without wildcards that is one list; with them at most four. What is taken
//! leaves its other lists when they are next looked at.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::program::{FlightId, Op};
use crate::units::{Procs, Rank};

/// What a message carries or a receive asks for; `None` fits everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Where they meet.
    pub receiver: Rank,
    pub source: Option<Rank>,
    pub tag: Option<u32>,
}

impl Pattern {
    /// How much of it fits everything.
    pub(super) fn wildcards(&self) -> usize {
        usize::from(self.source.is_none()) + usize::from(self.tag.is_none())
    }
}

/// Which wildcards occur among all messages to a rank, or all its receives.
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

/// What a list has in common in the source or the tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    /// This value.
    Exact(u32),
    /// A wildcard.
    Wild,
    /// Nothing.
    All,
}

impl Part {
    fn of(value: Option<u32>) -> Self {
        value.map_or(Self::Wild, Self::Exact)
    }
}

/// Names a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    receiver: Rank,
    source: Part,
    tag: Part,
}

/// One side: receives that wait for messages, or messages that wait for receives.
#[derive(Debug, Clone)]
pub(super) struct Waiting<T> {
    /// What waits, by how many items came before, with its receiver.
    items: FxHashMap<u64, (Rank, T)>,
    /// The items of each list, the earliest first; some may wait no more.
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

    /// Lets an item wait for the other side, where `others` are used.
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

    /// Takes the earliest item that fits, if these wildcards are used among the items.
    pub(super) fn take(&mut self, pattern: Pattern, own: Wildcards) -> Option<T> {
        let firsts = searched(pattern, own).filter_map(|key| Some((self.first(key)?, key)));
        let (first, key) = firsts.min_by_key(|&(first, _)| first)?;
        let (_, value) = self.items.remove(&first)?;
        self.first(key);
        Some(value)
    }

    /// The first item of a list, which it begins with from now on.
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

    /// The items of a list, the earliest first.
    pub(super) fn list(&self, key: Key) -> impl Iterator<Item = (Rank, T)> {
        let list = self.lists.get(&key).into_iter().flatten();
        list.filter_map(|item| self.items.get(item).copied())
    }

    /// All items with where they wait, in no order.
    pub(super) fn items(&self) -> impl Iterator<Item = (Rank, T)> {
        self.items.values().copied()
    }
}

/// The lists that hold all that fits, if these wildcards are used among it.
fn searched(pattern: Pattern, others: Wildcards) -> impl Iterator<Item = Key> {
    let sources = match pattern.source {
        Some(rank) => [
            Some(Part::Exact(rank.0)),
            others.source.then_some(Part::Wild),
        ],
        None => [Some(Part::All), None],
    };
    let tags = match pattern.tag {
        Some(tag) => [Some(Part::Exact(tag)), others.tag.then_some(Part::Wild)],
        None => [Some(Part::All), None],
    };
    keys(pattern.receiver, sources, tags)
}

fn keys(
    receiver: Rank,
    sources: [Option<Part>; 2],
    tags: [Option<Part>; 2],
) -> impl Iterator<Item = Key> {
    sources.into_iter().flatten().flat_map(move |source| {
        let tags = tags.into_iter().flatten();
        tags.map(move |tag| Key {
            receiver,
            source,
            tag,
        })
    })
}

/// A message that waits for its receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrived {
    pub flight: FlightId,
    pub from: Rank,
    pub send: Op,
}

/// Both sides. Every pattern is announced before the first meets another.
#[derive(Debug, Clone)]
pub(super) struct Matching {
    pub posted: Waiting<Op>,
    pub arrived: Waiting<Arrived>,
    /// By receiver.
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

    /// Says that there will be such a receive.
    pub(super) fn announce_receive(&mut self, pattern: Pattern) {
        self.receives[pattern.receiver.0 as usize].add(pattern);
    }

    /// Says that there will be such a message.
    pub(super) fn announce_message(&mut self, pattern: Pattern) {
        self.messages[pattern.receiver.0 as usize].add(pattern);
    }

    /// A receive is posted: takes a message, or waits.
    pub(super) fn post(&mut self, pattern: Pattern, op: Op) -> Option<Arrived> {
        let messages = self.messages(pattern);
        let arrived = self.arrived.take(pattern, messages);
        if arrived.is_none() {
            self.posted.put(pattern, messages, op);
        }
        arrived
    }

    /// A message has come: goes to a receive, or waits.
    pub(super) fn arrive(&mut self, pattern: Pattern, arrived: Arrived) -> Option<Op> {
        let receives = self.receives(pattern);
        let op = self.posted.take(pattern, receives);
        if op.is_none() {
            self.arrived.put(pattern, receives, arrived);
        }
        op
    }

    /// The wildcards of the receives of a rank.
    pub(super) fn receives(&self, pattern: Pattern) -> Wildcards {
        self.receives[pattern.receiver.0 as usize]
    }

    /// The wildcards of the messages to a rank.
    pub(super) fn messages(&self, pattern: Pattern) -> Wildcards {
        self.messages[pattern.receiver.0 as usize]
    }

    /// The lists of all posted receives that a message would fit.
    pub(super) fn fitting(&self, message: Pattern) -> impl Iterator<Item = Key> {
        searched(message, self.receives(message))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What happens at a rank.
    #[derive(Debug, Clone, Copy)]
    enum Step {
        Post(Pattern),
        Arrive(Pattern),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let or_any = |most: u32| prop_oneof![3 => (0..most).prop_map(Some), 1 => Just(None)];
        let step =
            (0..2_u32, or_any(3), or_any(3), any::<bool>()).prop_map(|(to, source, tag, post)| {
                let pattern = Pattern {
                    receiver: Rank(to),
                    source: source.map(Rank),
                    tag,
                };
                let source = pattern.source.or(Some(Rank(0)));
                if post {
                    Step::Post(pattern)
                } else {
                    Step::Arrive(Pattern { source, ..pattern })
                }
            });
        // Steps without wildcards, with those of one side, and with all.
        (proptest::collection::vec(step, 0..80), 0..3).prop_map(|(mut steps, kind)| {
            steps.retain(|step| match step {
                Step::Post(pattern) => kind == 2 || pattern.wildcards() == 0,
                Step::Arrive(pattern) => kind >= 1 || pattern.wildcards() == 0,
            });
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
        let (mut posted, mut arrived) = (Vec::new(), Vec::new());
        let meet = |pattern, place, others: &mut Vec<_>, own: &mut Vec<_>| {
            let found = others.iter().position(|&(other, _)| fits(pattern, other));
            if found.is_none() {
                own.push((pattern, place));
            }
            found.map(|index| others.remove(index).1)
        };
        let steps = (0..).zip(steps);
        steps
            .map(|(place, step)| match *step {
                Step::Post(pattern) => meet(pattern, place, &mut arrived, &mut posted),
                Step::Arrive(pattern) => meet(pattern, place, &mut posted, &mut arrived),
            })
            .collect()
    }

    proptest! {
        #[test]
        fn partners_are_those_of_a_search(steps in steps()) {
            let mut matching = Matching::new(Procs::new(2).unwrap());
            for step in &steps {
                match *step {
                    Step::Post(pattern) => matching.announce_receive(pattern),
                    Step::Arrive(pattern) => matching.announce_message(pattern),
                }
            }
            let mut waiting = 0_usize;
            for ((place, step), partner) in (0..).zip(&steps).zip(searched_partners(&steps)) {
                let arrived = Arrived { flight: place, from: Rank(0), send: place };
                let found = match *step {
                    Step::Post(pattern) => matching.post(pattern, place).map(|one| one.flight),
                    Step::Arrive(pattern) => matching.arrive(pattern, arrived),
                };
                prop_assert_eq!(found, partner);
                waiting = if found.is_some() { waiting - 1 } else { waiting + 1 };
                let (posted, arrived) = (matching.posted.items(), matching.arrived.items());
                prop_assert_eq!(posted.count() + arrived.count(), waiting);
            }
        }
    }
}
