//! The messages under way, and what holds for all of them.

use super::Options;
use super::wires::{Way, Wire};
use crate::network::LinkId;
use crate::sim::network::{Agenda, Flight, slot};
use crate::sim::program::FlightId;
use crate::sim::time::Time;
use crate::units::Seconds;

/// Of how much time one unit is a tolerance.
const TOLERATED: u64 = 1_000_000_000;

/// Where a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stage {
    /// Not yet on its way, or sent and decided.
    #[default]
    Absent,
    /// Being sent until a time that may change.
    Moving,
    /// Sent, or being sent until a time that will not change.
    Ending,
}

/// A message.
#[derive(Debug, Clone, Default)]
pub(super) struct Message {
    pub(super) flight: Flight,
    /// How many messages its operation had sent before it, if that matters.
    pub(super) occurrence: u32,
    /// How much longer its sender waits because its last packet is lost.
    pub(super) held: Time,
    pub(super) stage: Stage,
    pub(super) route: Vec<LinkId>,
    pub(super) way: Way,
    /// When it is sent, no packet being lost.
    pub(super) finish: Time,
    /// When it is known what begins when it ends.
    pub(super) known: Time,
}

impl Message {
    /// How long it takes at a throughput in bytes per second.
    pub(super) fn gap(&self, throughput: f64) -> Seconds {
        Seconds(self.flight.bytes as f64 / throughput)
    }
}

/// How much two equal times may differ.
pub(in crate::sim) fn tolerance(time: Time) -> Time {
    Time(time.0 / TOLERATED)
}

/// All messages by the number of their flight, on the links of a tree.
#[derive(Debug, Clone)]
pub(super) struct Traffic {
    pub(super) wires: Vec<Wire>,
    pub(super) latency: Time,
    pub(super) rto: Time,
    pub(super) messages: Vec<Message>,
}

impl Traffic {
    pub(super) fn new(wires: Vec<Wire>, options: &Options) -> Self {
        Self {
            wires,
            latency: Time::of(options.latency),
            rto: Time::of(options.rto),
            messages: Vec::new(),
        }
    }

    /// How far the begin of another message may be from the end of this one.
    pub(super) fn tolerance(&self, message: &Message) -> Time {
        tolerance(message.finish).min(self.latency)
    }

    /// Takes in a message, how many its operation had sent before it, and how much longer its
    /// sender waits.
    pub(super) fn put(&mut self, id: FlightId, flight: &Flight, (occurrence, held): (u32, Time)) {
        let message = slot(&mut self.messages, id);
        *message = Message {
            flight: *flight,
            occurrence,
            held,
            route: std::mem::take(&mut message.route),
            ..Message::default()
        };
    }

    /// What follows from the route of a message.
    pub(super) fn find_way(&mut self, id: FlightId) {
        let message = &mut self.messages[id as usize];
        for link in &message.route {
            let wire = &self.wires[link.index()];
            if !wire.is_negligible && wire.height >= message.way.height {
                message.way = Way {
                    height: wire.height,
                    buffer: wire.buffer,
                };
            }
        }
    }

    /// The throughput of a message in bytes per second, given how many share each link.
    pub(super) fn throughput(&self, message: &Message, sharers: impl Fn(LinkId) -> usize) -> f64 {
        let share = |&link: &LinkId| self.wires[link.index()].rate / sharers(link) as f64;
        let shares = message.route.iter().map(share);
        shares.fold(f64::INFINITY, f64::min)
    }

    /// A message will have been sent when it finishes.
    pub(super) fn send(&mut self, id: FlightId, agenda: &mut Agenda) {
        let tolerance = self.tolerance(&self.messages[id as usize]);
        let message = &mut self.messages[id as usize];
        message.stage = Stage::Ending;
        message.known = message.finish + tolerance;
        agenda.sent(message.finish + message.held, id);
        agenda.wake(message.known, id);
    }
}
