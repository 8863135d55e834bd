//! Network models: the part of a simulation that computes times, independent of programs.
//!
//! A network receives each injected message and schedules, through its [`Agenda`], the completion
//! of the send and the delivery. It may request a wake-up at any later time, and a call at the
//! end of the present instant, when all messages that start now are known.

pub mod endpoint;
pub mod fluid;
mod links;
mod members;
pub mod plogpt;
pub mod tcp;

use std::sync::Arc;

use netsig_base::units::Rank;

use super::program::{FlightId, Op};
use super::queue::Queue;
use super::time::Time;

/// A message under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flight {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The tag, which the receive must fit.
    pub tag: u32,
    /// The operation that sends the message.
    pub send: Op,
    /// Length in bytes.
    pub bytes: u64,
    /// Time at which the sender's overhead began.
    pub start: Time,
}

/// Times of a message that are known at its injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Injected {
    /// Time at which the send completes; `None` if the network calls [`Agenda::sent`] later.
    pub sent: Option<Time>,
    /// Time at which the sender may inject its next message.
    pub next: Time,
}

impl Injected {
    /// Lets the sender continue at once; the network reports the completed send later.
    fn under_way(agenda: &Agenda) -> Self {
        Self {
            sent: None,
            next: agenda.now,
        }
    }
}

/// A network model.
pub trait Medium {
    /// Time that a message of `bytes` occupies the processor at either end.
    fn overhead(&self, _bytes: u64) -> Time {
        Time::ZERO
    }

    /// Travel time of a rendezvous request or of its answer.
    fn latency(&mut self, from: Rank, to: Rank) -> Time;

    /// Handles a message that leaves its sender's processor.
    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> Injected;

    /// Handles a message that begins to arrive, as scheduled by [`Agenda::arrive`].
    fn arrive(&mut self, _id: FlightId, _flight: &Flight, _agenda: &mut Agenda) {}

    /// Handles a wake-up requested by [`Agenda::wake`].
    fn wake(&mut self, _token: u32, _agenda: &mut Agenda) {}

    /// Handles the end of the present instant, as requested by [`Agenda::settle`]: no event of
    /// this time is left, but the network may add some.
    fn settle(&mut self, _agenda: &mut Agenda) {}

    /// Traffic of each link.
    fn links(&self) -> Vec<LinkUse> {
        Vec::new()
    }
}

/// Traffic of a link in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkUse {
    /// Name of the link: `host3 -> switch0`.
    pub name: String,
    /// Number of bytes that crossed the link.
    pub bytes: u64,
    /// Time that these bytes take at the full rate.
    pub busy: Time,
}

/// A message that lost packets and was delayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// Time at which the loss was decided.
    pub time: Time,
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The operation that sent the message.
    pub send: Op,
    /// Delay of the arrival.
    pub delay: Time,
    /// Cause of the loss.
    pub cause: Cause,
}

/// Cause of a loss; displayed as the end of a sentence about the message.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum Cause {
    /// `PlogPT`: the last packet met the first packet of another message to the same receiver.
    #[display(
        "its last packet met the first of a message from rank {other} \
         (effective heights {height} and {other_height})"
    )]
    LastPacket {
        /// The sender of the other message.
        other: Rank,
        /// The effective height of the message.
        height: u32,
        /// The effective height of the other message.
        other_height: u32,
    },
    /// TCP: the port of a switch had no room for some segments of the message.
    #[display("port {link} had no room for all of it ({repair})")]
    Overflow {
        /// The link that the port sends on.
        link: Arc<str>,
        /// Repair by the sender.
        repair: Repair,
    },
}

/// Mechanism by which a TCP sender detects lost segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum Repair {
    /// Three later segments came through.
    #[display("fast retransmit")]
    FastRetransmit,
    /// Fewer segments followed, and a probe revealed the loss.
    #[display("tail loss probe")]
    TailLossProbe,
    /// The retransmission timer ran out.
    #[display("retransmission timeout")]
    Timeout,
}

/// An event of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The send overhead of a message ends.
    Inject(FlightId),
    /// A send is complete.
    Sent(FlightId),
    /// A send is complete and its sender may inject again.
    SentAndReady(FlightId),
    /// A rank may inject again.
    Ready(u32),
    /// A message begins to arrive.
    Arrive(FlightId),
    /// A message is at its receiver.
    Delivered(FlightId),
    /// The request to send a message is at its receiver.
    Asked(FlightId),
    /// The answer to the request is at the sender.
    Granted(FlightId),
    /// A receive is complete.
    Received(FlightId),
    /// A computation is complete.
    Computed(u32),
    /// Wake-up requested by the network.
    Wake(u32),
}

/// Events and losses that a network schedules.
#[derive(Debug, Default)]
pub struct Agenda {
    pub(super) queue: Queue<Event>,
    pub(super) now: Time,
    pub(super) is_settled: bool,
    pub(super) losses: Vec<Loss>,
}

impl Agenda {
    /// The present time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Completes the send of a message that crosses no link, or is empty, and delivers it after
    /// `latency`.
    fn deliver_at_once(&mut self, flight: FlightId, latency: Time) -> Injected {
        self.delivered(self.now + latency, flight);
        Injected {
            sent: Some(self.now),
            next: self.now,
        }
    }

    /// Completes a send at `time`, now or later.
    pub fn sent(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, Event::Sent(flight));
    }

    /// Begins the arrival of a message at `time`, now or later, by [`Medium::arrive`].
    pub fn arrive(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, Event::Arrive(flight));
    }

    /// Delivers a message to its receiver at `time`, now or later.
    pub fn delivered(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, Event::Delivered(flight));
    }

    /// Wakes the network at `time`, now or later.
    pub fn wake(&mut self, time: Time, token: u32) {
        self.queue.push(time, Event::Wake(token));
    }

    /// Requests [`Medium::settle`] after all other events of the present time.
    pub fn settle(&mut self) {
        self.is_settled = false;
    }

    /// Records that a message loses packets now and arrives `delay` later.
    pub fn lost(&mut self, flight: &Flight, delay: Time, cause: Cause) {
        self.losses.push(Loss {
            time: self.now,
            from: flight.from,
            to: flight.to,
            send: flight.send,
            delay,
            cause,
        });
    }
}

/// Entry of a message or flow in a table that grows as needed.
fn slot<T: Default>(table: &mut Vec<T>, number: u32) -> &mut T {
    let index = number as usize;
    if table.len() <= index {
        table.resize_with(index + 1, T::default);
    }
    &mut table[index]
}
