//! The messages under way, and the parameters that they share.

use netsig_base::network::LinkId;
use netsig_base::units::Seconds;

use super::PlogptOptions;
use super::wires::{EffectiveLink, PlogptWire};
use crate::network::{Agenda, Flight, slot};
use crate::program::FlightId;
use crate::time::Time;

/// Divisor of the elapsed time that gives the tolerance.
const TOLERANCE_DIVISOR: u64 = 1_000_000_000;

/// State of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PlogptStage {
    /// Not started, or sent.
    #[default]
    Absent,
    /// Being sent until a time that may change.
    Moving,
    /// Sent, or being sent until a time that will not change.
    Ending,
}

/// A message.
#[derive(Debug, Clone, Default)]
pub(super) struct PlogptMessage {
    pub(super) flight: Flight,
    /// Number of messages that its operation sent before it; 0 if not needed.
    pub(super) occurrence: u32,
    /// Delay of its sender by the loss of its last packet.
    pub(super) sender_delay: Time,
    pub(super) stage: PlogptStage,
    pub(super) route: Vec<LinkId>,
    pub(super) effective_link: EffectiveLink,
    /// Time at which its send ends without losses.
    pub(super) finish: Time,
    /// Time from which all messages that begin at its end are known.
    pub(super) decision_time: Time,
}

impl PlogptMessage {
    /// Duration of the send at a throughput in bytes per second.
    pub(super) fn gap(&self, throughput: f64) -> Seconds {
        Seconds(self.flight.bytes as f64 / throughput)
    }
}

/// Largest difference of two times that count as equal.
pub(crate) fn tolerance(time: Time) -> Time {
    Time(time.0 / TOLERANCE_DIVISOR)
}

/// All messages by the number of their flight, on the links of a tree.
#[derive(Debug, Clone)]
pub(super) struct PlogptTraffic {
    pub(super) wires: Vec<PlogptWire>,
    pub(super) latency: Time,
    pub(super) rto: Time,
    pub(super) messages: Vec<PlogptMessage>,
}

impl PlogptTraffic {
    pub(super) fn new(wires: Vec<PlogptWire>, options: &PlogptOptions) -> Self {
        Self {
            wires,
            latency: Time::of(options.latency),
            rto: Time::of(options.rto),
            messages: Vec::new(),
        }
    }

    /// Tolerance between the end of this message and the start of another one.
    pub(super) fn tolerance(&self, message: &PlogptMessage) -> Time {
        tolerance(message.finish).min(self.latency)
    }

    /// Adds a message; `occurrence` is the number of messages that its operation sent before.
    pub(super) fn put(&mut self, id: FlightId, flight: &Flight, occurrence: u32, sender_delay: Time) {
        let message = slot(&mut self.messages, id);
        *message = PlogptMessage {
            flight: *flight,
            occurrence,
            sender_delay,
            route: std::mem::take(&mut message.route),
            ..PlogptMessage::default()
        };
    }

    /// Sets the effective height and the buffer of a message from its route.
    pub(super) fn find_effective_link(&mut self, id: FlightId) {
        let message = &mut self.messages[id as usize];
        for link in &message.route {
            let wire = &self.wires[link.index()];
            if !wire.is_negligible && wire.height >= message.effective_link.height {
                message.effective_link = EffectiveLink {
                    height: wire.height,
                    buffer: wire.buffer,
                };
            }
        }
    }

    /// Throughput of a message in bytes per second; `sharers` counts the messages on a link.
    pub(super) fn throughput(&self, message: &PlogptMessage, sharers: impl Fn(LinkId) -> usize) -> f64 {
        let share = |&link: &LinkId| self.wires[link.index()].rate / sharers(link) as f64;
        let shares = message.route.iter().map(share);
        shares.fold(f64::INFINITY, f64::min)
    }

    /// Schedules the end of a message's send, and the decision about its loss.
    pub(super) fn send(&mut self, id: FlightId, agenda: &mut Agenda) {
        let tolerance = self.tolerance(&self.messages[id as usize]);
        let message = &mut self.messages[id as usize];
        message.stage = PlogptStage::Ending;
        message.decision_time = message.finish + tolerance;
        agenda.schedule_sent(message.finish + message.sender_delay, id);
        agenda.schedule_wake(message.decision_time, id);
    }
}
