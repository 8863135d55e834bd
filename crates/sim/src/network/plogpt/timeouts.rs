//! Decision about lost last packets, from the messages that began recently at each receiver.

use netsig_base::units::{Bytes, Rank};
use netsig_model::model::alltoall::plogpt::overflows;

use super::traffic::PlogptMessage;
use super::wires::EffectiveLink;
use crate::network::{Flight, LossCause};
use crate::time::Time;

/// Last two senders of messages with the same effective link, with their begins, the latest first.
#[derive(Debug, Clone, Copy)]
struct RecentSenders {
    link: EffectiveLink,
    last: [Option<(Rank, Time)>; 2],
}

/// Recent starts of messages, by receiver. Two senders suffice: one of them differs from the
/// sender of the message that ends, if any sender does.
#[derive(Debug, Clone)]
pub(super) struct RecentBegins(Vec<Vec<RecentSenders>>);

impl RecentBegins {
    pub(super) fn new(ranks: usize) -> Self {
        Self(vec![Vec::new(); ranks])
    }

    /// Records the start of a message.
    pub(super) fn begin(&mut self, message: &PlogptMessage, now: Time) {
        let (Flight { from, to, .. }, link) = (message.flight, message.effective_link);
        let recent_links = &mut self.0[to.0 as usize];
        let new = Some((from, now));
        match recent_links.iter_mut().find(|begun| begun.link == link) {
            Some(RecentSenders { last, .. }) => {
                if last[0].is_some_and(|(latest, _)| latest != from) {
                    last[1] = last[0];
                }
                last[0] = new;
            }
            None => recent_links.push(RecentSenders {
                link,
                last: [new, None],
            }),
        }
    }

    /// Cause of the loss of a message's last packet, if it is lost: a message from another sender
    /// has begun at its receiver no earlier than `since`.
    pub(super) fn loss_cause(&self, message: &PlogptMessage, since: Time) -> Option<LossCause> {
        let other = |begun: &RecentSenders| {
            let mut last = begun.last.iter().flatten();
            let other = last.find(|(from, time)| *from != message.flight.from && *time >= since);
            other.map(|(from, _)| (*from, begun.link.height))
        };
        let loses = |begun: &&RecentSenders| {
            let (ending_link, begun_link) = (message.effective_link, begun.link);
            let higher = if ending_link.height > begun_link.height {
                ending_link
            } else {
                begun_link
            };
            ending_link.height != begun_link.height && overflows(Bytes(message.flight.bytes), higher.buffer)
        };
        let recent_links = self.0[message.flight.to.0 as usize].iter();
        let (other, other_height) = recent_links.filter(loses).find_map(other)?;
        Some(LossCause::LastPacket {
            other,
            height: message.effective_link.height,
            other_height,
        })
    }
}
