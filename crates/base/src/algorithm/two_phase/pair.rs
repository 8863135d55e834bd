//! Two clusters of a two-phase exchange, seen from one of them: its relays, their sources and targets, and the order
//! of the exchanges.

use std::iter::StepBy;
use std::ops::Range;

/// Rule for the relays in the larger cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RelayRule {
    /// The printed rank if it exists, else the rank n₁ before.
    Near,
    /// All ranks that meet the receiver, in turn.
    Balanced,
}

/// Sizes of this rank's cluster and of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClusterPair {
    this_size: u32,
    other_size: u32,
    relay_rule: RelayRule,
}

/// Numbers of ranks in a cluster.
pub(super) type RankNumbers = StepBy<Range<u32>>;

impl ClusterPair {
    pub(super) fn new([this_size, other_size]: [u32; 2], relay_rule: RelayRule) -> Self {
        Self {
            this_size,
            other_size,
            relay_rule,
        }
    }

    /// The pair as the other cluster sees it.
    pub(super) fn reversed(self) -> Self {
        Self {
            this_size: self.other_size,
            other_size: self.this_size,
            ..self
        }
    }

    /// Size of this rank's cluster.
    pub(super) fn cluster_size(&self) -> u32 {
        self.this_size
    }

    /// n₁, the size of the smaller cluster.
    fn smaller_size(&self) -> u32 {
        self.this_size.min(self.other_size)
    }

    /// True if this rank's cluster has no more ranks than the other. Of equal clusters, either is the smaller: their
    /// relays are then the same.
    fn is_smaller(&self) -> bool {
        self.this_size <= self.other_size
    }

    /// n₂, the number of exchanges.
    pub(super) fn exchanges(&self) -> u32 {
        self.this_size.max(self.other_size)
    }

    /// Number of the exchange between an own rank and one of the other cluster.
    pub(super) fn exchange(&self, this_rank: u32, other_rank: u32) -> u32 {
        if self.is_smaller() { other_rank } else { this_rank }
    }

    /// The own rank of an exchange, if it exists.
    pub(super) fn member(&self, exchange: u32) -> Option<u32> {
        let number = if self.is_smaller() {
            exchange % self.this_size
        } else {
            exchange
        };
        (exchange < self.exchanges()).then_some(number)
    }

    /// Ranks of the relay's own cluster whose blocks it relays, possibly itself.
    pub(super) fn sources(&self, relay: u32) -> RankNumbers {
        let (small, large) = (self.smaller_size(), self.exchanges());
        let (class, row) = (relay % small, relay / small);
        match self.relay_rule {
            _ if self.is_smaller() => (0..small).step_by(1),
            // No later rank meets its target, so it relays for the rest of the cluster.
            RelayRule::Near if relay + small >= large => (row * small..large).step_by(1),
            RelayRule::Near => (row * small..(row + 1) * small).step_by(1),
            RelayRule::Balanced => {
                let meeting = (large - 1 - class) / small + 1;
                (row..large).step_by(meeting as usize)
            }
        }
    }

    /// Number of `source` among the sources of a relay; `None` for other ranks.
    pub(super) fn source_number(&self, relay: u32, source: u32) -> Option<u32> {
        let mut sources = self.sources(relay).zip(0..);
        let found = sources.find(|&(rank, _)| rank == source);
        found.map(|(_, place)| place)
    }

    /// Ranks of the other cluster that the relay meets and sends blocks to.
    pub(super) fn targets(&self, relay: u32) -> RankNumbers {
        let small = self.smaller_size();
        let numbers = if self.is_smaller() {
            relay..self.other_size
        } else {
            relay % small..small
        };
        numbers.step_by(small as usize)
    }

    /// The targets of a relay whose exchanges are among these, in the order of the exchanges.
    pub(super) fn targets_in(self, relay: u32, exchanges: Range<u32>) -> impl Iterator<Item = u32> {
        let targets = self.targets(relay);
        targets.filter(move |&target| exchanges.contains(&self.exchange(relay, target)))
    }

    /// Block of a relay's memory for the block from its source number `place` for `target`.
    pub(super) fn relay_block(&self, relay: u32, target: u32, place: u32) -> u32 {
        let stride = u32::try_from(self.sources(relay).len()).expect("fewer than ranks");
        let row = if self.is_smaller() {
            target / self.smaller_size()
        } else {
            0
        };
        row * stride + place
    }

    /// Largest number of ranks that a relay has blocks for.
    pub(super) fn most_targets(&self) -> u32 {
        if self.is_smaller() {
            self.other_size.div_ceil(self.this_size)
        } else {
            1
        }
    }

    /// Largest number of sources of a relay.
    pub(super) fn most_sources(&self) -> u32 {
        let (small, large) = (self.smaller_size(), self.exchanges());
        match self.relay_rule {
            _ if self.is_smaller() => small,
            RelayRule::Near => small + large % small,
            RelayRule::Balanced => large.div_ceil(large / small),
        }
    }

    /// Blocks of memory that a relay needs.
    pub(super) fn relay_blocks(&self) -> u32 {
        self.most_targets().saturating_mul(self.most_sources())
    }
}
