//! Two clusters of a two-phase exchange, as one of them sees it: its relays, their sources and targets, and
//! the order of the exchanges.

use std::iter::StepBy;
use std::ops::Range;

/// Relays in the larger cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relays {
    /// The printed rank if it exists, else the rank n₁ before.
    Near,
    /// All ranks that meet the receiver, in turn.
    Balanced,
}

/// Sizes of the own cluster and of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    own: u32,
    other: u32,
    relays: Relays,
}

/// Numbers of ranks in a cluster.
pub(super) type Numbers = StepBy<Range<u32>>;

impl Pair {
    pub(super) fn new([own, other]: [u32; 2], relays: Relays) -> Self {
        Self { own, other, relays }
    }

    /// The pair as the other cluster sees it.
    pub(super) fn reversed(self) -> Self {
        Self {
            own: self.other,
            other: self.own,
            ..self
        }
    }

    /// Size of the own cluster.
    pub(super) fn own(&self) -> u32 {
        self.own
    }

    /// n₁, the size of the smaller cluster.
    fn small(&self) -> u32 {
        self.own.min(self.other)
    }

    /// True if the own cluster has no more ranks than the other. Of equal clusters, either is the smaller: their
    /// relays are then the same.
    fn is_smaller(&self) -> bool {
        self.own <= self.other
    }

    /// n₂, the number of exchanges.
    pub(super) fn exchanges(&self) -> u32 {
        self.own.max(self.other)
    }

    /// Number of the exchange between an own rank and one of the other cluster.
    pub(super) fn exchange(&self, own: u32, other: u32) -> u32 {
        if self.is_smaller() { other } else { own }
    }

    /// The own rank of an exchange, if it exists.
    pub(super) fn member(&self, exchange: u32) -> Option<u32> {
        let number = if self.is_smaller() {
            exchange % self.own
        } else {
            exchange
        };
        (exchange < self.exchanges()).then_some(number)
    }

    /// Ranks of the relay's own cluster whose blocks it relays, possibly itself.
    pub(super) fn sources(&self, relay: u32) -> Numbers {
        let (small, large) = (self.small(), self.exchanges());
        let (class, row) = (relay % small, relay / small);
        match self.relays {
            _ if self.is_smaller() => (0..small).step_by(1),
            // No later rank meets its target, so it relays for the rest of the cluster.
            Relays::Near if relay + small >= large => (row * small..large).step_by(1),
            Relays::Near => (row * small..(row + 1) * small).step_by(1),
            Relays::Balanced => {
                let meeting = (large - 1 - class) / small + 1;
                (row..large).step_by(meeting as usize)
            }
        }
    }

    /// Number of `source` among the sources of a relay; `None` if it is none of them.
    pub(super) fn place(&self, relay: u32, source: u32) -> Option<u32> {
        let mut sources = self.sources(relay).zip(0..);
        let found = sources.find(|&(own, _)| own == source);
        found.map(|(_, place)| place)
    }

    /// Ranks of the other cluster that the relay sends blocks to: those that it meets.
    pub(super) fn targets(&self, relay: u32) -> Numbers {
        let small = self.small();
        let numbers = if self.is_smaller() {
            relay..self.other
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
    pub(super) fn kept(&self, relay: u32, target: u32, place: u32) -> u32 {
        let stride = u32::try_from(self.sources(relay).len()).expect("fewer than ranks");
        let row = if self.is_smaller() { target / self.small() } else { 0 };
        row * stride + place
    }

    /// Largest number of ranks that a relay has blocks for.
    pub(super) fn most_targets(&self) -> u32 {
        if self.is_smaller() {
            self.other.div_ceil(self.own)
        } else {
            1
        }
    }

    /// Largest number of sources of a relay.
    pub(super) fn most_sources(&self) -> u32 {
        let (small, large) = (self.small(), self.exchanges());
        match self.relays {
            _ if self.is_smaller() => small,
            Relays::Near => small + large % small,
            Relays::Balanced => large.div_ceil(large / small),
        }
    }

    /// Blocks of memory that a relay needs.
    pub(super) fn room(&self) -> u32 {
        self.most_targets().saturating_mul(self.most_sources())
    }
}
