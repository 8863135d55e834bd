//! The messages under way, each in a place of its own until both of its ends are done.

use super::network::Flight;
use super::program::{FlightId, Op};

#[derive(Debug)]
struct Entry {
    flight: Flight,
    receive: Op,
    /// How many ends are not done.
    open: u8,
}

/// Messages by number; numbers are used again.
#[derive(Debug, Default)]
pub(super) struct Flights {
    entries: Vec<Entry>,
    free: Vec<FlightId>,
}

impl Flights {
    pub(super) fn insert(&mut self, flight: Flight) -> FlightId {
        let entry = Entry {
            flight,
            receive: 0,
            open: 2,
        };
        if let Some(id) = self.free.pop() {
            self.entries[id as usize] = entry;
            return id;
        }
        self.entries.push(entry);
        FlightId::try_from(self.entries.len() - 1).expect("fewer than 2^32 messages at once")
    }

    pub(super) fn get(&self, id: FlightId) -> &Flight {
        &self.entries[id as usize].flight
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
            self.free.push(id);
        }
    }
}
