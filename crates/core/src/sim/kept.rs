//! Messages that wait for their receives: first-in first-out lists by a key, in one piece of
//! memory that is used again.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::program::FlightId;

/// The end of a list.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    flight: FlightId,
    next: u32,
}

/// Lists of messages by key.
#[derive(Debug)]
pub(super) struct Kept<K> {
    /// The first and the last of each list.
    lists: FxHashMap<K, (u32, u32)>,
    nodes: Vec<Node>,
    free: u32,
}

impl<K> Default for Kept<K> {
    fn default() -> Self {
        Self {
            lists: FxHashMap::default(),
            nodes: Vec::new(),
            free: NONE,
        }
    }
}

impl<K: Eq + Hash + Copy> Kept<K> {
    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Puts a message at the end of the list of `key`.
    pub(super) fn push(&mut self, key: K, flight: FlightId) {
        let node = self.node(Node { flight, next: NONE });
        let nodes = &mut self.nodes;
        let list = self.lists.entry(key);
        list.and_modify(|(_, last)| {
            nodes[*last as usize].next = node;
            *last = node;
        })
        .or_insert((node, node));
    }

    /// Takes the first message of the list of `key`.
    pub(super) fn pop(&mut self, key: K) -> Option<FlightId> {
        let (first, _) = self.lists.get_mut(&key)?;
        let place = *first;
        let Node { flight, next } = self.nodes[place as usize];
        *first = next;
        if next == NONE {
            self.lists.remove(&key);
        }
        self.nodes[place as usize].next = self.free;
        self.free = place;
        Some(flight)
    }

    /// The keys of all lists that are not empty, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = K> {
        self.lists.keys().copied()
    }

    fn node(&mut self, node: Node) -> u32 {
        if self.free == NONE {
            self.nodes.push(node);
            return u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 messages at once");
        }
        let place = self.free;
        self.free = std::mem::replace(&mut self.nodes[place as usize], node).next;
        place
    }
}
