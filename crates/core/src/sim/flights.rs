//! The messages under way, each in a place of its own until both of its ends are done.

use slab::Slab;

use super::network::Flight;
use super::program::{FlightId, Op};
use super::queue::place;

#[derive(Debug)]
struct Entry {
    flight: Flight,
    receive: Op,
    /// How many ends are not done.
    open: u8,
}

/// Messages by number; numbers are used again.
#[derive(Debug, Default)]
pub(super) struct Flights(Slab<Entry>);

impl Flights {
    pub(super) fn insert(&mut self, flight: Flight) -> FlightId {
        let entry = Entry {
            flight,
            receive: 0,
            open: 2,
        };
        place(self.0.insert(entry))
    }

    pub(super) fn get(&self, id: FlightId) -> &Flight {
        &self.0[id as usize].flight
    }

    /// Which receive takes the message.
    pub(super) fn receive(&self, id: FlightId) -> Op {
        self.0[id as usize].receive
    }

    pub(super) fn set_receive(&mut self, id: FlightId, op: Op) {
        self.0[id as usize].receive = op;
    }

    /// One end is done.
    pub(super) fn release(&mut self, id: FlightId) {
        let open = &mut self.0[id as usize].open;
        *open -= 1;
        if *open == 0 {
            self.0.remove(id as usize);
        }
    }
}
