//! Exchanges in progress of a rank in a round of [`InFlight::Exchanges`]: a send waits for the send and
//! the receive that stand one window before it in their lists.

use std::collections::VecDeque;

use netsig_base::algorithm::Schedule;
use netsig_base::schedule::{InFlight, Message, Round};
use netsig_base::units::Rank;
use rustc_hash::FxHashMap;

use crate::program::Op;

/// The messages of a round by their places in the lists.
#[derive(Debug, Clone)]
pub(super) struct Paired {
    window: usize,
    /// Receives that no message has reached, by sender.
    awaited: FxHashMap<Rank, VecDeque<Op>>,
    sent: Vec<bool>,
    received: Vec<bool>,
}

impl Paired {
    /// The messages of a rank in `round`, those that are not sent being complete; `None` if the round
    /// has no exchanges in progress.
    pub(super) fn of(schedule: &Schedule, rank: Rank, round: &Round) -> Option<Self> {
        let InFlight::Exchanges(window) = round.in_flight else {
            return None;
        };
        let comes = |own: &Message| schedule.is_sent((own.partner, rank), &own.slots);
        let leaves = |own: &Message| schedule.is_sent((rank, own.partner), &own.slots);
        let mut awaited: FxHashMap<Rank, VecDeque<Op>> = FxHashMap::default();
        for (place, receive) in (0..).zip(round.receives.iter()) {
            if comes(&receive) {
                awaited.entry(receive.partner).or_default().push_back(place);
            }
        }
        Some(Self {
            window: window.get() as usize,
            awaited,
            sent: round.sends.iter().map(|own| !leaves(&own)).collect(),
            received: round.receives.iter().map(|own| !comes(&own)).collect(),
        })
    }

    /// True if the send at this place may start.
    pub(super) fn may_send(&self, place: u32) -> bool {
        let before = (place as usize).checked_sub(self.window);
        let is_done = |done: &[bool], place: usize| done.get(place).copied().unwrap_or(true);
        before.is_none_or(|place| is_done(&self.sent, place) && is_done(&self.received, place))
    }

    /// The receive for the next message from a sender.
    pub(super) fn receive_from(&mut self, sender: Rank) -> Option<Op> {
        self.awaited.get_mut(&sender)?.pop_front()
    }

    /// Completes the send at this place.
    pub(super) fn sent(&mut self, place: Op) {
        self.sent[place as usize] = true;
    }

    /// Completes the receive at this place.
    pub(super) fn received(&mut self, place: Op) {
        self.received[place as usize] = true;
    }
}
