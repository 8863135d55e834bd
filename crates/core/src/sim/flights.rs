//! The messages under way, each in a place of its own until both of its ends are done.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use slab::Slab;

use super::network::Flight;
use super::outcome::EagerLimit;
use super::program::{FlightId, Op};
use super::queue::place;
use crate::units::Rank;

/// What is under way of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its bytes, sent at once; its receive may not be posted.
    Eager,
    /// The request of the sender, or its receive is not posted.
    Asked,
    /// The answer that its receive is posted, or its bytes.
    Granted,
}

#[derive(Debug)]
struct Entry {
    flight: Flight,
    stage: Stage,
    receive: Op,
    /// How many ends are not done.
    open: u8,
}

/// Messages by number; numbers are used again.
#[derive(Debug)]
pub(super) struct Flights {
    entries: Slab<Entry>,
    /// The first length that is not sent at once.
    eager_limit: u64,
    /// By sender, the messages that were answered and wait for its port.
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

    /// The receive of a message that was asked for is posted.
    pub(super) fn grant(&mut self, id: FlightId, op: Op) {
        self.entries[id as usize].stage = Stage::Granted;
        self.set_receive(id, op);
    }

    /// The answer to the request has come to the sender.
    pub(super) fn answer(&mut self, id: FlightId) {
        let sender = self.get(id).from;
        self.answered.entry(sender).or_default().push_back(id);
    }

    /// The next message of `rank` that was answered.
    pub(super) fn next_answered(&mut self, rank: Rank) -> Option<FlightId> {
        if self.answered.is_empty() {
            return None;
        }
        self.answered.get_mut(&rank)?.pop_front()
    }

    /// Which receive takes the message.
    pub(super) fn receive(&self, id: FlightId) -> Op {
        self.entries[id as usize].receive
    }

    pub(super) fn set_receive(&mut self, id: FlightId, op: Op) {
        self.entries[id as usize].receive = op;
    }

    /// One end is done.
    pub(super) fn release(&mut self, id: FlightId) {
        let open = &mut self.entries[id as usize].open;
        *open -= 1;
        if *open == 0 {
            self.entries.remove(id as usize);
        }
    }
}
