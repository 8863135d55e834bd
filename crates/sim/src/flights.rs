//! Table of the messages under way; an entry lives until its send and its receive are complete.

use std::collections::VecDeque;

use netsig_base::units::Rank;
use rustc_hash::FxHashMap;
use slab::Slab;

use super::network::Flight;
use super::outcome::SimEagerLimit;
use super::program::{FlightId, OperationId};
use super::queue::index_u32;

/// Protocol state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProtocolStage {
    /// Eager: the bytes are sent without waiting for the receive.
    Eager,
    /// Rendezvous: the request is under way, or waits for the receive.
    Requested,
    /// Rendezvous: the answer or the bytes are under way.
    Granted,
}

#[derive(Debug)]
struct FlightEntry {
    flight: Flight,
    stage: ProtocolStage,
    receive: OperationId,
    /// Number of ends (send, receive) that are not complete.
    open_ends: u8,
}

/// Messages by number; numbers are reused.
#[derive(Debug)]
pub(super) struct FlightTable {
    entries: Slab<FlightEntry>,
    /// Shortest length that uses the rendezvous protocol, in bytes.
    eager_limit: u64,
    /// Answered messages that wait for the sender's port, by sender.
    answered: FxHashMap<Rank, VecDeque<FlightId>>,
}

impl FlightTable {
    pub(super) fn new(eager_limit: SimEagerLimit) -> Self {
        Self {
            entries: Slab::new(),
            eager_limit: eager_limit.map_or(u64::MAX, |limit| limit.0),
            answered: FxHashMap::default(),
        }
    }

    pub(super) fn insert(&mut self, flight: Flight) -> FlightId {
        let entry = FlightEntry {
            flight,
            stage: if flight.bytes < self.eager_limit {
                ProtocolStage::Eager
            } else {
                ProtocolStage::Requested
            },
            receive: 0,
            open_ends: 2,
        };
        index_u32(self.entries.insert(entry))
    }

    pub(super) fn get(&self, id: FlightId) -> &Flight {
        &self.entries[id as usize].flight
    }

    pub(super) fn stage(&self, id: FlightId) -> ProtocolStage {
        self.entries[id as usize].stage
    }

    /// Records the posted receive of a requested message.
    pub(super) fn grant(&mut self, id: FlightId, op: OperationId) {
        self.entries[id as usize].stage = ProtocolStage::Granted;
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
    pub(super) fn receive(&self, id: FlightId) -> OperationId {
        self.entries[id as usize].receive
    }

    pub(super) fn set_receive(&mut self, id: FlightId, op: OperationId) {
        self.entries[id as usize].receive = op;
    }

    /// Completes one end; removes the message after the second one.
    pub(super) fn release(&mut self, id: FlightId) {
        let open = &mut self.entries[id as usize].open_ends;
        *open -= 1;
        if *open == 0 {
            self.entries.remove(id as usize);
        }
    }
}
