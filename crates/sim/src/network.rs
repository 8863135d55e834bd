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

use super::program::{FlightId, OperationId};
use super::queue::EventQueue;
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
    pub send: OperationId,
    /// Length in bytes.
    pub bytes: u64,
    /// Time at which the sender's overhead began.
    pub start: Time,
}

/// Times of a message that are known at its injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectionTimes {
    /// Time at which the send completes; `None` if the network calls [`Agenda::schedule_sent`] later.
    pub sent: Option<Time>,
    /// Time at which the sender may inject its next message.
    pub next: Time,
}

impl InjectionTimes {
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
    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> InjectionTimes;

    /// Handles a message that begins to arrive, as scheduled by [`Agenda::schedule_arrival`].
    fn arrive(&mut self, _id: FlightId, _flight: &Flight, _agenda: &mut Agenda) {}

    /// Handles a wake-up requested by [`Agenda::schedule_wake`].
    fn wake(&mut self, _token: u32, _agenda: &mut Agenda) {}

    /// Handles the end of the present instant, as requested by [`Agenda::request_settling`]: no event of this time is
    /// left, but the network may add some.
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
pub struct PacketLoss {
    /// Time at which the loss was decided.
    pub time: Time,
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The operation that sent the message.
    pub send: OperationId,
    /// Delay of the arrival.
    pub delay: Time,
    /// Cause of the loss.
    pub cause: LossCause,
}

/// Cause of a loss; displayed as the end of a sentence about the message.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum LossCause {
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
        repair: TcpRepair,
    },
}

/// Mechanism by which a TCP sender detects lost segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum TcpRepair {
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
pub(super) enum EngineEvent {
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
    RequestArrived(FlightId),
    /// The answer to the request is at the sender.
    AnswerArrived(FlightId),
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
    pub(super) queue: EventQueue<EngineEvent>,
    pub(super) now: Time,
    pub(super) is_settled: bool,
    pub(super) losses: Vec<PacketLoss>,
}

impl Agenda {
    /// The present time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Completes the send of a message that crosses no link, or is empty, and delivers it after
    /// `latency`.
    fn deliver_at_once(&mut self, flight: FlightId, latency: Time) -> InjectionTimes {
        self.schedule_delivery(self.now + latency, flight);
        InjectionTimes {
            sent: Some(self.now),
            next: self.now,
        }
    }

    /// Completes a send at `time`, now or later.
    pub fn schedule_sent(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, EngineEvent::Sent(flight));
    }

    /// Begins the arrival of a message at `time`, now or later, by [`Medium::arrive`].
    pub fn schedule_arrival(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, EngineEvent::Arrive(flight));
    }

    /// Delivers a message to its receiver at `time`, now or later.
    pub fn schedule_delivery(&mut self, time: Time, flight: FlightId) {
        self.queue.push(time, EngineEvent::Delivered(flight));
    }

    /// Wakes the network at `time`, now or later.
    pub fn schedule_wake(&mut self, time: Time, token: u32) {
        self.queue.push(time, EngineEvent::Wake(token));
    }

    /// Requests [`Medium::settle`] after all other events of the present time.
    pub fn request_settling(&mut self) {
        self.is_settled = false;
    }

    /// Records that a message loses packets now and arrives `delay` later.
    pub fn record_loss(&mut self, flight: &Flight, delay: Time, cause: LossCause) {
        self.losses.push(PacketLoss {
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
