//! Messages of a two-phase exchange that cross one after another.
//!
//! # Method
//! Messages that leave together share the link and arrive together, and the link is idle until the next ones reach
//! it, for a latency. In `two-phase-staggered` the ranks of a cluster begin the second phase one after another. Rank
//! i + 1 begins when it has a message from rank i inside the cluster. This message has the length of all blocks that
//! a rank sends to other clusters. Hosts send faster than the link, but not many times faster. So the messages reach
//! the link about when it is free, stay one after another from then on, and need less of its buffer. The blocks of
//! the message are the rank's own for other clusters, and they arrive where blocks from there will overwrite them.
//!
//! In `two-phase-spaced` rank i + 1 waits for `spacing` such messages, 64 at most, and there is no limit on
//! exchanges. If the spacing is about the ratio of the hosts' rate to the link's, the link is always busy and its
//! buffer never full. This holds even if a message takes longer to cross the link than to pass a port.
//!
//! # Source
//! netsig.

use super::{TWO_PHASE_STAGGERED, TwoPhaseExchange};
use crate::algorithm::Algorithm;
use crate::algorithm::layout::ClusterRank;
use crate::algorithm::setting::SPACING;
use crate::schedule::{BlockSlot, Round, ScheduleMessage};
use crate::units::Rank;

/// Most messages that a rank of `two-phase-spaced` waits for.
const MOST_SPACING: u32 = 64;

/// Order in which the messages between clusters leave: together, or one after another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stagger {
    None,
    /// The first messages, as many as may be in progress, leave one after another.
    First,
    All,
}

impl Algorithm {
    /// Hops between two messages that leave a cluster one after another; `None` if they leave together.
    pub fn hops_apart(&self) -> Option<u32> {
        match self.entry.name {
            name if name == TWO_PHASE_STAGGERED.name => Some(1),
            _ => self.setting_value(SPACING).map(limited_spacing),
        }
    }
}

/// `setting` as the number of hops from one rank to the next, at most [`MOST_SPACING`].
pub(super) fn limited_spacing(setting: u32) -> u32 {
    setting.min(MOST_SPACING)
}

impl TwoPhaseExchange<'_> {
    /// Number of hops of the stagger.
    pub(super) fn hops(&self) -> u32 {
        if self.layout.clusters() < 2 {
            return 0;
        }
        let most = self.layout.sizes().max().unwrap_or(1);
        (most.min(self.flows) - 1) * self.hops_apart
    }

    /// A hop of the stagger from rank `number` to the next: a message as long as all blocks that a rank sends to
    /// other clusters. The second phase overwrites its data.
    pub(super) fn hop(&self, me: ClusterRank, number: u32) -> Round {
        let message = |partner_number, slot: fn(u32) -> BlockSlot| {
            let is_remote = |rank: &u32| self.layout.cluster_rank(Rank(*rank)).cluster != me.cluster;
            let remote_blocks = (0..self.ranks()).filter(is_remote).map(slot);
            let partner = self.layout.rank_at(ClusterRank {
                number: partner_number,
                ..me
            });
            ScheduleMessage::of(partner, remote_blocks).into()
        };
        let mut round = Round::default();
        if me.number == number && number + 1 < self.layout.size(me.cluster) {
            round.sends = message(number + 1, BlockSlot::Input);
        }
        if me.number == number + 1 {
            round.receives = message(number, BlockSlot::Output);
        }
        round
    }
}
