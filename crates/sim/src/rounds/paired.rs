//! Exchanges in progress of a rank in a round of [`InFlightLimit::Exchanges`]: a send waits for the send and the
//! receive that stand one window before it in their lists.

use std::collections::VecDeque;

use netsig_base::algorithm::Schedule;
use netsig_base::schedule::{InFlightLimit, Round, ScheduleMessage};
use netsig_base::units::Rank;
use rustc_hash::FxHashMap;

use crate::program::OperationId;

/// The messages of a round by their places in the lists.
#[derive(Debug, Clone)]
pub(super) struct PairedMessages {
    window: usize,
    /// Receives that no message has reached, by sender.
    awaited: FxHashMap<Rank, VecDeque<OperationId>>,
    sent: Vec<bool>,
    received: Vec<bool>,
}

impl PairedMessages {
    /// The messages of a rank in `round`; messages that are not sent count as complete. `None` if the round does not
    /// limit exchanges.
    pub(super) fn of(schedule: &Schedule, rank: Rank, round: &Round) -> Option<Self> {
        let InFlightLimit::Exchanges(window) = round.in_flight else {
            return None;
        };
        let comes = |receive: &ScheduleMessage| schedule.is_sent((receive.partner, rank), &receive.slots);
        let leaves = |send: &ScheduleMessage| schedule.is_sent((rank, send.partner), &send.slots);
        let mut awaited: FxHashMap<Rank, VecDeque<OperationId>> = FxHashMap::default();
        for (place, receive) in (0..).zip(round.receives.iter()) {
            if comes(&receive) {
                awaited.entry(receive.partner).or_default().push_back(place);
            }
        }
        Some(Self {
            window: window.get() as usize,
            awaited,
            sent: round.sends.iter().map(|send| !leaves(&send)).collect(),
            received: round.receives.iter().map(|receive| !comes(&receive)).collect(),
        })
    }

    /// True if the send at this place may start.
    pub(super) fn may_send(&self, place: u32) -> bool {
        let before = (place as usize).checked_sub(self.window);
        let is_done = |done: &[bool], place: usize| done.get(place).copied().unwrap_or(true);
        before.is_none_or(|place| is_done(&self.sent, place) && is_done(&self.received, place))
    }

    /// The receive for the next message from a sender.
    pub(super) fn receive_from(&mut self, sender: Rank) -> Option<OperationId> {
        self.awaited.get_mut(&sender)?.pop_front()
    }

    /// Completes the send at this place.
    pub(super) fn sent(&mut self, place: OperationId) {
        self.sent[place as usize] = true;
    }

    /// Completes the receive at this place.
    pub(super) fn received(&mut self, place: OperationId) {
        self.received[place as usize] = true;
    }
}
