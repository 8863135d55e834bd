//! All-to-all between clusters: relays first gather the blocks for another cluster, so that few and long
//! messages cross the links between clusters.
//!
//! # Phases
//! Of two clusters the smaller has n₁ ranks and the larger n₂; i and j number the ranks of a cluster
//! from 0.
//!
//! 1. One round inside each cluster. A rank sends each peer one message: its block for the peer, and its
//!    blocks for other clusters that the peer relays.
//! 2. n₂ exchanges between the clusters: for each j, rank j of the larger and rank j mod n₁ of the smaller
//!    exchange one message each way, with all blocks that one relays for the other. At most `wan_flows`
//!    of them are in progress at once: exchange j begins when exchange j − `wan_flows` is complete, of
//!    which both its ranks tell those of j by an empty message inside their clusters.
//!
//! With `wan_flows` = n₁ these are the ⌈n₂/n₁⌉ steps of the source. Only 2·n₂ messages cross, while direct
//! exchange sends 2·n₁·n₂, and each block crosses once. Among more clusters each two do this, all at
//! the same time, so that every block crosses from its own cluster straight to that of its receiver.
//!
//! In two forms the messages of a cluster cross one after another (`stagger`).
//!
//! # Relays
//! Rank j mod n₁ relays a block from the smaller cluster to rank j of the larger. The relay of a
//! block from rank i of the larger cluster to rank j of the smaller is
//!
//! * `two-phase`: n₁·⌊i/n₁⌋ + j, or n₁ less if there is no such rank;
//! * `two-phase-balanced`: j + n₁·(i mod c), where c = ⌊(n₂−1−j)/n₁⌋ + 1 is the number of
//!   ranks that meet j in the second phase: their numbers of relayed blocks differ by at most one.
//!
//! # Source
//! Section 7 of Steffenel, Martinasso, Trystram 2007 (GPC), where ranks of the larger cluster are
//! numbered from n₁ and rounds from 1. The rule printed there for blocks from the larger cluster is
//! n₁·⌊i/n₁⌋ + j alone. Where n₁ does not divide n₂ it gives relays beyond the last rank, and
//! r·(n₁−r) blocks, r = n₂ mod n₁, would never arrive. Both forms here correct this. With
//! `two-phase`, such a block goes to the rank n₁ before, which also meets j; all other blocks keep
//! their printed relay. The printed range k ∈ [0, n₁] of ranks of the smaller cluster is [0, n₁−1].
//! More than two clusters, the limit on exchanges at once, and the stagger are netsig's.

mod pair;
mod stagger;
#[cfg(test)]
mod tests;

use std::ops::Range;

use itertools::Itertools as _;

use super::layout::Seat;
use super::setting::{SPACING, WAN_FLOWS};
use super::traffic::Traffic;
use super::{Collective, Cut, Entry, Layout, Outline, Rounds, Shape, alltoall};
use crate::schedule::{Message, Round, Slot};
use crate::units::Rank;
use pair::{Pair, Relays};
use stagger::Stagger;

pub(super) const TWO_PHASE: Entry = Entry {
    name: "two-phase",
    collective: Collective::Alltoall,
    summary: "clusters: gathered on relays, then long messages between clusters, WAN_FLOWS at once",
    settings: &[WAN_FLOWS],
    cut: Cut::Whole,
    rounds: &Form {
        relays: Relays::Near,
        stagger: Stagger::None,
    },
    traffic: Some(Traffic::Clusters),
    closed_form: None,
    library: &[],
};

pub(super) const TWO_PHASE_BALANCED: Entry = Entry {
    name: "two-phase-balanced",
    summary: "two-phase, but the relays of the larger cluster have equal shares",
    rounds: &Form {
        relays: Relays::Balanced,
        stagger: Stagger::None,
    },
    ..TWO_PHASE
};

pub(super) const TWO_PHASE_STAGGERED: Entry = Entry {
    name: "two-phase-staggered",
    summary: "two-phase, but the first WAN_FLOWS messages cross one after another",
    rounds: &Form {
        relays: Relays::Near,
        stagger: Stagger::First,
    },
    ..TWO_PHASE
};

pub(super) const TWO_PHASE_SPACED: Entry = Entry {
    name: "two-phase-spaced",
    summary: "two-phase, but all messages cross one after another, SPACING times as far apart as a host sends them",
    settings: &[SPACING],
    rounds: &Form {
        relays: Relays::Near,
        stagger: Stagger::All,
    },
    ..TWO_PHASE
};

/// What distinguishes the entries.
#[derive(Debug, Clone, Copy)]
struct Form {
    relays: Relays,
    stagger: Stagger,
}

impl Rounds for Form {
    fn outline(&self, shape: Shape) -> Outline {
        Exchange::new(shape, *self).outline()
    }

    fn round(&self, shape: Shape, rank: Rank, index: usize) -> Round {
        Exchange::new(shape, *self).round(rank, index)
    }

    fn active(&self, shape: Shape, _: Rank) -> Range<usize> {
        0..Exchange::new(shape, *self).rounds()
    }
}

/// An exchange between all clusters of a layout.
struct Exchange<'a> {
    layout: &'a Layout,
    form: Form,
    flows: u32,
    /// Hops of the stagger from one rank to the next.
    apart: u32,
}

/// A cluster as another one sees it: its number, both as a pair, and the first relayed block between them.
struct Far {
    cluster: usize,
    pair: Pair,
    base: u32,
}

impl<'a> Exchange<'a> {
    fn new(shape: Shape<'a>, form: Form) -> Self {
        let (flows, apart) = match form.stagger {
            Stagger::None => (shape.get(WAN_FLOWS), 0),
            Stagger::First => (shape.get(WAN_FLOWS), 1),
            Stagger::All => (u32::MAX, stagger::spacing(shape.get(SPACING))),
        };
        Self {
            layout: shape.clusters(),
            form,
            flows,
            apart,
        }
    }

    /// Sizes of a cluster and of another, for every two kinds of clusters, with the number of such others.
    fn kinds(&self) -> impl Iterator<Item = (Pair, u32)> {
        let kinds = self.layout.kinds().cartesian_product(self.layout.kinds());
        let pair = |((own, _), (other, count)): ((u32, u32), (u32, u32))| {
            let others = count - u32::from(own == other);
            let pair = Pair::new([own, other], self.form.relays);
            (others > 0).then_some((pair, others))
        };
        kinds.filter_map(pair)
    }

    fn outline(&self) -> Outline {
        let of_own = |own: u32, value: fn(&Pair) -> u32| -> u32 {
            let all = self.kinds().filter(|(pair, _)| pair.own() == own);
            all.map(|(pair, others)| value(&pair).saturating_mul(others))
                .fold(0, u32::saturating_add)
        };
        let most = |value: &dyn Fn(u32) -> u32| {
            let all = self.layout.kinds().map(|(own, _)| value(own));
            all.max().unwrap_or(0)
        };
        let gathered = |own: u32| match own {
            1 => 0,
            _ => 1 + of_own(own, Pair::most_targets),
        };
        let crossing = self.kinds().map(|(pair, _)| pair.most_sources()).max();
        let spacing = match self.hops() {
            0 => 0,
            _ => most(&|own| self.ranks() - own),
        };
        Outline {
            rounds: self.rounds(),
            scratch: most(&|own| of_own(own, Pair::room)),
            longest_message: [most(&gathered), crossing.unwrap_or(0), spacing]
                .into_iter()
                .fold(0, u32::max),
        }
    }

    /// One round of the first phase; the hops of a stagger; and of the second phase, rounds of exchanges with
    /// rounds of signals between them.
    fn rounds(&self) -> usize {
        let exchanges = self.kinds().map(|(pair, _)| pair.exchanges()).max();
        let waves = exchanges.map_or(0, |most| most.div_ceil(self.flows));
        let second = (2 * waves as usize).saturating_sub(1);
        1 + self.hops() as usize + second
    }

    fn round(&self, rank: Rank, index: usize) -> Round {
        let me = self.layout.seat(rank);
        let number = u32::try_from(index).expect("fewer than ranks");
        let second = number.checked_sub(1 + self.hops());
        match second {
            _ if number == 0 => self.gather(me),
            None => self.hop(me, (number - 1) / self.apart),
            Some(number) if number % 2 == 0 => self.cross(me, number / 2),
            Some(number) => self.signal(me, number.div_ceil(2)),
        }
    }

    /// The other clusters, the next first.
    fn others(&self, cluster: usize) -> impl Iterator<Item = Far> {
        let count = self.layout.clusters();
        let numbers = (1..count).map(move |ahead| (cluster + ahead) % count);
        numbers.scan(0, move |base, other| {
            let far = Far {
                cluster: other,
                pair: Pair::new([cluster, other].map(|own| self.layout.size(own)), self.form.relays),
                base: *base,
            };
            *base += far.pair.room();
            Some(far)
        })
    }

    /// Round of the first phase.
    fn gather(&self, me: Seat) -> Round {
        let size = self.layout.size(me.cluster);
        let peer = |distance| Seat {
            number: (me.number + distance) % size,
            ..me
        };
        Round {
            sends: (1..size).map(|t| self.hand_over(me, peer(t))).collect(),
            receives: (1..size).map(|t| self.collect(peer(size - t), me)).collect(),
            copies: [alltoall::keep(self.layout.rank(me).0)].into(),
            ..Round::default()
        }
    }

    /// Message of a rank to a peer: the block for the peer and the blocks that the peer relays.
    fn hand_over(&self, from: Seat, to: Seat) -> Message {
        let own = self.layout.rank(to);
        let mut message = Message::single(own, Slot::Input(own.0));
        for far in self.others(to.cluster) {
            if far.pair.place(to.number, from.number).is_some() {
                let targets = far.pair.targets(to.number);
                let block = |target| Slot::Input(self.there(&far, target).0);
                message.slots.extend(targets.map(block));
            }
        }
        message
    }

    /// Message of [`Exchange::hand_over`] at its receiver.
    fn collect(&self, from: Seat, to: Seat) -> Message {
        let own = self.layout.rank(from);
        let mut message = Message::single(own, Slot::Output(own.0));
        for far in self.others(to.cluster) {
            if let Some(place) = far.pair.place(to.number, from.number) {
                let targets = far.pair.targets(to.number);
                let block = |target| far.kept(to.number, target, place);
                message.slots.extend(targets.map(block));
            }
        }
        message
    }

    /// Exchanges of the second phase with these numbers, of each two clusters.
    fn cross(&self, me: Seat, wave: u32) -> Round {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for far in self.others(me.cluster) {
            for target in far.pair.targets_in(me.number, self.wave(wave)) {
                sends.push(self.pass_on(me, &far, target));
                receives.push(self.take(&far, target));
            }
        }
        Round {
            sends: sends.into_iter().collect(),
            receives: receives.into_iter().collect(),
            ..Round::default()
        }
    }

    /// Numbers of the exchanges of a wave.
    fn wave(&self, wave: u32) -> Range<u32> {
        let start = wave.saturating_mul(self.flows);
        start..start.saturating_add(self.flows)
    }

    /// Message of a relay to a rank of another cluster, with all blocks for that rank.
    fn pass_on(&self, relay: Seat, far: &Far, target: u32) -> Message {
        let to = self.there(far, target);
        let block = |(source, place)| {
            if source == relay.number {
                Slot::Input(to.0)
            } else {
                far.kept(relay.number, target, place)
            }
        };
        Message::of(to, far.pair.sources(relay.number).zip(0..).map(block))
    }

    /// Message of [`Exchange::pass_on`] of the rank `from` of another cluster at its receiver: one output block
    /// for each source of the relay.
    fn take(&self, far: &Far, from: u32) -> Message {
        let block = |number| Slot::Output(self.there(far, number).0);
        let sources = far.pair.reversed().sources(from);
        Message::of(self.there(far, from), sources.map(block))
    }

    /// Empty messages inside a cluster before the exchanges of a wave, from the ranks of those that must be
    /// complete.
    fn signal(&self, me: Seat, wave: u32) -> Round {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for far in self.others(me.cluster) {
            let to = |number| {
                let is_other = number != me.number;
                is_other.then(|| Message::of(self.layout.rank(Seat { number, ..me }), []))
            };
            let exchanges = |wave| {
                let targets = far.pair.targets_in(me.number, self.wave(wave));
                targets.map(|target| far.pair.exchange(me.number, target))
            };
            let next = exchanges(wave - 1).filter_map(|own| far.pair.member(own.checked_add(self.flows)?));
            sends.extend(next.filter_map(to));
            let before = exchanges(wave).filter_map(|own| far.pair.member(own - self.flows));
            receives.extend(before.filter_map(to));
        }
        Round {
            sends: sends.into_iter().collect(),
            receives: receives.into_iter().collect(),
            ..Round::default()
        }
    }

    /// n.
    fn ranks(&self) -> u32 {
        u32::try_from(self.layout.ranks()).expect("a rank is a 32-bit number")
    }

    fn there(&self, far: &Far, number: u32) -> Rank {
        self.layout.rank(Seat {
            cluster: far.cluster,
            number,
        })
    }
}

impl Far {
    /// Slot in which a relay keeps the block from its source number `place` for `target`.
    fn kept(&self, relay: u32, target: u32, place: u32) -> Slot {
        Slot::Scratch(self.base + self.pair.kept(relay, target, place))
    }
}
