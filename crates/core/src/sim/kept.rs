//! First-in first-out lists in one piece of memory that is used again: chains, and messages
//! that wait for their receives by a key.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::program::FlightId;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// The first and the last node of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    first: u32,
    last: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            first: NONE,
            last: NONE,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    value: u32,
    next: u32,
}

/// The nodes of any number of chains.
#[derive(Debug)]
pub(super) struct Chains {
    nodes: Vec<Node>,
    free: u32,
}

impl Default for Chains {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            free: NONE,
        }
    }
}

impl Chains {
    /// Puts a value at the end of a chain.
    pub(super) fn push(&mut self, chain: &mut Chain, value: u32) {
        let node = self.node(Node { value, next: NONE });
        match self.nodes.get_mut(chain.last as usize) {
            Some(last) => last.next = node,
            None => chain.first = node,
        }
        chain.last = node;
    }

    /// Takes the first value of a chain.
    pub(super) fn pop(&mut self, chain: &mut Chain) -> Option<u32> {
        let place = chain.first;
        let node = self.nodes.get_mut(place as usize)?;
        let value = node.value;
        chain.first = std::mem::replace(&mut node.next, self.free);
        self.free = place;
        if chain.first == NONE {
            chain.last = NONE;
        }
        Some(value)
    }

    fn node(&mut self, node: Node) -> u32 {
        if self.free == NONE {
            self.nodes.push(node);
            return u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 values at once");
        }
        let place = self.free;
        self.free = std::mem::replace(&mut self.nodes[place as usize], node).next;
        place
    }
}

/// Lists of messages by key.
#[derive(Debug)]
pub(super) struct Kept<K> {
    lists: FxHashMap<K, Chain>,
    chains: Chains,
}

impl<K> Default for Kept<K> {
    fn default() -> Self {
        Self {
            lists: FxHashMap::default(),
            chains: Chains::default(),
        }
    }
}

impl<K: Eq + Hash + Copy> Kept<K> {
    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Puts a message at the end of the list of `key`.
    pub(super) fn push(&mut self, key: K, flight: FlightId) {
        self.chains.push(self.lists.entry(key).or_default(), flight);
    }

    /// Takes the first message of the list of `key`.
    pub(super) fn pop(&mut self, key: K) -> Option<FlightId> {
        let chain = self.lists.get_mut(&key)?;
        let flight = self.chains.pop(chain);
        if chain.first == NONE {
            self.lists.remove(&key);
        }
        flight
    }

    /// The keys of all lists that are not empty, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = K> {
        self.lists.keys().copied()
    }
}
