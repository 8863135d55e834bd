//! Decision about lost last packets, from the messages that began recently at each receiver.

use netsig_base::units::{Bytes, Rank};
use netsig_model::model::alltoall::plogpt::overflows;

use super::traffic::Message;
use super::wires::Way;
use crate::network::{Cause, Flight};
use crate::time::Time;

/// Last two senders of messages on ways of one kind, with their begins, the latest first.
#[derive(Debug, Clone, Copy)]
struct Begun {
    way: Way,
    last: [Option<(Rank, Time)>; 2],
}

/// Recent begins of messages, by receiver. Two senders suffice: one of them differs from the
/// sender of the message that ends, if any sender does.
#[derive(Debug, Clone)]
pub(super) struct Beginnings(Vec<Vec<Begun>>);

impl Beginnings {
    pub(super) fn new(ranks: usize) -> Self {
        Self(vec![Vec::new(); ranks])
    }

    /// Records the begin of a message.
    pub(super) fn begin(&mut self, message: &Message, now: Time) {
        let (Flight { from, to, .. }, way) = (message.flight, message.way);
        let ways = &mut self.0[to.0 as usize];
        let new = Some((from, now));
        match ways.iter_mut().find(|begun| begun.way == way) {
            Some(Begun { last, .. }) => {
                if last[0].is_some_and(|(latest, _)| latest != from) {
                    last[1] = last[0];
                }
                last[0] = new;
            }
            None => ways.push(Begun { way, last: [new, None] }),
        }
    }

    /// Cause of the loss of a message's last packet, if it is lost: a message from another sender
    /// has begun at its receiver no earlier than `since`.
    pub(super) fn meets(&self, message: &Message, since: Time) -> Option<Cause> {
        let other = |begun: &Begun| {
            let mut last = begun.last.iter().flatten();
            let other = last.find(|(from, time)| *from != message.flight.from && *time >= since);
            other.map(|(from, _)| (*from, begun.way.height))
        };
        let loses = |begun: &&Begun| {
            let (own, other) = (message.way, begun.way);
            let higher = if own.height > other.height { own } else { other };
            own.height != other.height && overflows(Bytes(message.flight.bytes), higher.buffer)
        };
        let ways = self.0[message.flight.to.0 as usize].iter();
        let (other, other_height) = ways.filter(loses).find_map(other)?;
        Some(Cause::LastPacket {
            other,
            height: message.way.height,
            other_height,
        })
    }
}
