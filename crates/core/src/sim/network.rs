//! How messages travel: the side of a simulation that knows time, but nothing of programs.
//!
//! A network is told of each message that is injected and says, through its [`Agenda`],
//! when the send is complete and when the message is delivered. It may ask to be woken at
//! any later time, and at the end of the present instant, when all messages that start
//! now are known.

pub mod endpoint;
pub mod fluid;
mod links;
mod members;
pub mod plogpt;
pub mod tcp;

use std::sync::Arc;

use super::program::{FlightId, Op};
use super::queue::Queue;
use super::time::Time;
use crate::units::Rank;

/// A message under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flight {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// What the receiver tells it from others by.
    pub tag: u32,
    /// The operation that sends it.
    pub send: Op,
    /// Its length.
    pub bytes: u64,
    /// When the sender began with it.
    pub start: Time,
}

/// What is known of a message once it is injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Injected {
    /// When the send is complete, if that is known; else [`Agenda::sent`] tells later.
    pub sent: Option<Time>,
    /// When the sender may inject its next message.
    pub next: Time,
}

impl Injected {
    /// The sender may go on at once, and the network tells later when the send is complete.
    fn under_way(agenda: &Agenda) -> Self {
        Self {
            sent: None,
            next: agenda.now,
        }
    }
}

/// A network model.
pub trait Medium {
    /// How long either end's processor is busy with a message of `bytes`.
    fn overhead(&self, _bytes: u64) -> Time {
        Time::ZERO
    }

    /// How long a request of the sender, or the answer to it, is under way.
    fn latency(&mut self, from: Rank, to: Rank) -> Time;

    /// A message leaves its sender's processor.
    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> Injected;

    /// A message begins to come in, as [`Agenda::arrive`] said.
    fn arrive(&mut self, _id: FlightId, _flight: &Flight, _agenda: &mut Agenda) {}

    /// What [`Agenda::wake`] asked for has come.
    fn wake(&mut self, _token: u32, _agenda: &mut Agenda) {}

    /// What [`Agenda::settle`] asked for has come: nothing else happens at this time, unless
    /// the network makes it so.
    fn settle(&mut self, _agenda: &mut Agenda) {}

    /// How the links were used.
    fn links(&self) -> Vec<LinkUse> {
        Vec::new()
    }
}

/// What a link carried in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkUse {
    /// Its name: `host3 -> switch0`.
    pub name: String,
    /// What passed.
    pub bytes: u64,
    /// How long it would have taken at the full rate.
    pub busy: Time,
}

/// A message that lost packets and had to wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// When the loss was decided.
    pub time: Time,
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The operation that sent it.
    pub send: Op,
    /// How much later it arrives.
    pub delay: Time,
    /// What for.
    pub cause: Cause,
}

/// Why a message had to wait; shown as the end of a sentence about the message.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum Cause {
    /// `PlogPT`: its last packet met the first of another message to the same receiver.
    #[display(
        "its last packet met the first of a message from rank {other} \
         (effective heights {height} and {other_height})"
    )]
    LastPacket {
        /// The sender of the other message.
        other: Rank,
        /// The effective height of the message.
        height: u32,
        /// The effective height of the other.
        other_height: u32,
    },
    /// TCP: the port of a switch had no room for some of its segments.
    #[display("port {link} had no room for all of it ({repair})")]
    Overflow {
        /// The link that the port sends on.
        link: Arc<str>,
        /// How the sender made up for it.
        repair: Repair,
    },
}

/// How a TCP sender finds out that segments are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum Repair {
    /// Three that followed came through.
    #[display("fast retransmit")]
    FastRetransmit,
    /// Too few followed, and a probe asked.
    #[display("tail loss probe")]
    TailLossProbe,
    /// The retransmission timer ran out.
    #[display("retransmission timeout")]
    Timeout,
}

/// An event of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The sender's processor is done with a message.
    Inject(FlightId),
    /// A send is complete.
    Sent(FlightId),
    /// A send is complete and its sender may inject again.
    SentAndReady(FlightId),
    /// A rank may inject again.
    Ready(u32),
    /// A message begins to come in.
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
    /// The network asked to be woken.
    Wake(u32),
}

/// What a network makes happen.
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

    /// A message that crosses no link, or is empty, is sent now and delivered after `latency`.
    fn deliver_at_once(&mut self, flight: FlightId, latency: Time) -> Injected {
        self.delivered(self.now + latency, flight);
        Injected {
            sent: Some(self.now),
            next: self.now,
        }
    }

    /// A send is complete at `time`, now or later.
    pub fn sent(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, Event::Sent(flight));
    }

    /// A message begins to come in at `time`, now or later; then the network is told.
    pub fn arrive(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, Event::Arrive(flight));
    }

    /// A message is at its receiver at `time`, now or later.
    pub fn delivered(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, Event::Delivered(flight));
    }

    /// Wakes the network at `time`, now or later.
    pub fn wake(&mut self, time: Time, token: u32) {
        self.queue.push(time, Event::Wake(token));
    }

    /// Lets the network settle when all that happens now has happened.
    pub fn settle(&mut self) {
        self.is_settled = false;
    }

    /// Reports that a message loses packets now and arrives so much later.
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

/// The place of a message or flow in a table that grows as needed.
fn slot<T: Default>(table: &mut Vec<T>, number: u32) -> &mut T {
    let index = number as usize;
    if table.len() <= index {
        table.resize_with(index + 1, T::default);
    }
    &mut table[index]
}
