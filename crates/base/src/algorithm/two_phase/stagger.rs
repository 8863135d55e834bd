//! Messages of a two-phase exchange that cross one after another.
//!
//! # Method
//! Messages that leave together share the link and arrive together, and the link is idle until the
//! next ones reach it, for a latency. In `two-phase-staggered` the ranks of a cluster begin the second
//! phase one after another: rank i + 1 when it has a message from rank i inside the cluster, as long as all that a
//! rank sends to other clusters. As hosts send faster than the link, but not many times faster, the messages
//! reach it about when it is free, stay one after another in all that follows, and need less of its buffer. The
//! message's blocks are the rank's own for other clusters, and they arrive where blocks from there will overwrite them.
//!
//! In `two-phase-spaced` rank i + 1 waits for `spacing` such messages, 64 at most, and there is no limit on
//! exchanges: with a spacing about as large as the link is slower than the hosts, the link is always busy and
//! its buffer never full, also where it takes a message longer to cross than to pass a port.
//!
//! # Source
//! netsig.

use super::{Exchange, TWO_PHASE_STAGGERED};
use crate::algorithm::Algorithm;
use crate::algorithm::layout::Seat;
use crate::algorithm::setting::SPACING;
use crate::schedule::{Message, Round, Slot};
use crate::units::Rank;

/// Most messages that a rank of `two-phase-spaced` waits for.
const MOST_SPACING: u32 = 64;

/// Messages between clusters that leave one after another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stagger {
    None,
    /// As many as may be in progress.
    First,
    All,
}

impl Algorithm {
    /// Hops between two messages between clusters that leave one after another, if they do.
    pub fn hops_apart(&self) -> Option<u32> {
        match self.entry.name {
            name if name == TWO_PHASE_STAGGERED.name => Some(1),
            _ => self.get(SPACING).map(spacing),
        }
    }
}

/// Hops from one rank to the next.
pub(super) fn spacing(wanted: u32) -> u32 {
    wanted.min(MOST_SPACING)
}

impl Exchange<'_> {
    /// Number of hops of the stagger.
    pub(super) fn hops(&self) -> u32 {
        if self.layout.clusters() < 2 {
            return 0;
        }
        let most = self.layout.sizes().max().unwrap_or(1);
        (most.min(self.flows) - 1) * self.apart
    }

    /// A hop of the stagger from rank `number` to the next: a message as long as all that a rank sends to
    /// other clusters. What it carries is overwritten in the second phase.
    pub(super) fn hop(&self, me: Seat, number: u32) -> Round {
        let message = |partner, slot: fn(u32) -> Slot| {
            let is_far = |rank: &u32| self.layout.seat(Rank(*rank)).cluster != me.cluster;
            let far = (0..self.ranks()).filter(is_far).map(slot);
            let partner = self.layout.rank(Seat { number: partner, ..me });
            Message::of(partner, far).into()
        };
        let mut round = Round::default();
        if me.number == number && number + 1 < self.layout.size(me.cluster) {
            round.sends = message(number + 1, Slot::Input);
        }
        if me.number == number + 1 {
            round.receives = message(number, Slot::Output);
        }
        round
    }
}
