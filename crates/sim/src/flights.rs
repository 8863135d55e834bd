//! Table of the messages under way; an entry lives until its send and its receive are complete.

use std::collections::VecDeque;

use netsig_base::units::Rank;
use rustc_hash::FxHashMap;
use slab::Slab;

use super::network::Flight;
use super::outcome::EagerLimit;
use super::program::{FlightId, Op};
use super::queue::place;

/// Protocol state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Eager: the bytes are sent without waiting for the receive.
    Eager,
    /// Rendezvous: the request is under way, or waits for the receive.
    Asked,
    /// Rendezvous: the answer or the bytes are under way.
    Granted,
}

#[derive(Debug)]
struct Entry {
    flight: Flight,
    stage: Stage,
    receive: Op,
    /// Number of ends (send, receive) that are not complete.
    open: u8,
}

/// Messages by number; numbers are reused.
#[derive(Debug)]
pub(super) struct Flights {
    entries: Slab<Entry>,
    /// Shortest length that uses the rendezvous protocol, in bytes.
    eager_limit: u64,
    /// By sender, the messages that are answered and wait for the sender's port.
    answered: FxHashMap<Rank, VecDeque<FlightId>>,
}

impl Flights {
    pub(super) fn new(eager_limit: EagerLimit) -> Self {
        Self {
            entries: Slab::new(),
            eager_limit: eager_limit.map_or(u64::MAX, |limit| limit.0),
            answered: FxHashMap::default(),
        }
    }

    pub(super) fn insert(&mut self, flight: Flight) -> FlightId {
        let entry = Entry {
            flight,
            stage: if flight.bytes < self.eager_limit {
                Stage::Eager
            } else {
                Stage::Asked
            },
            receive: 0,
            open: 2,
        };
        place(self.entries.insert(entry))
    }

    pub(super) fn get(&self, id: FlightId) -> &Flight {
        &self.entries[id as usize].flight
    }

    pub(super) fn stage(&self, id: FlightId) -> Stage {
        self.entries[id as usize].stage
    }

    /// Records the posted receive of a requested message.
    pub(super) fn grant(&mut self, id: FlightId, op: Op) {
        self.entries[id as usize].stage = Stage::Granted;
        self.set_receive(id, op);
    }

    /// Queues a message whose answer has reached the sender.
    pub(super) fn answer(&mut self, id: FlightId) {
        let sender = self.get(id).from;
        self.answered.entry(sender).or_default().push_back(id);
    }

    /// Takes the next answered message of `rank`.
    pub(super) fn next_answered(&mut self, rank: Rank) -> Option<FlightId> {
        if self.answered.is_empty() {
            return None;
        }
        self.answered.get_mut(&rank)?.pop_front()
    }

    /// The receive that takes the message.
    pub(super) fn receive(&self, id: FlightId) -> Op {
        self.entries[id as usize].receive
    }

    pub(super) fn set_receive(&mut self, id: FlightId, op: Op) {
        self.entries[id as usize].receive = op;
    }

    /// Completes one end; removes the message after the second one.
    pub(super) fn release(&mut self, id: FlightId) {
        let open = &mut self.entries[id as usize].open;
        *open -= 1;
        if *open == 0 {
            self.entries.remove(id as usize);
        }
    }
}
