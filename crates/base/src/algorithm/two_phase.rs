//! All-to-all between clusters: relays first gather the blocks for another cluster, so that few and long
//! messages cross the links between clusters.
//!
//! # Phases
//! Of two clusters the smaller has n₁ ranks and the larger n₂; i and j number the ranks of a cluster
//! from 0.
//!
//! 1. One round inside each cluster. A rank sends each peer one message: its block for the peer, and its blocks for
//!    other clusters that the peer relays.
//! 2. Between the clusters, n₂ exchanges: rank j of the larger cluster and rank j mod n₁ of the smaller exchange one
//!    message each way. A message has all blocks that its sender relays for its receiver. At most `wan_flows`
//!    exchanges are in progress at once: exchange j begins when exchange j − `wan_flows` is complete. Both ranks of
//!    the completed exchange tell those of exchange j by an empty message inside their clusters.
//!
//! With `wan_flows` = n₁ these are the ⌈n₂/n₁⌉ steps of the source. Only 2·n₂ messages cross, while direct exchange
//! sends 2·n₁·n₂, and each block crosses once. Among more clusters every two clusters do this at the same time, so
//! that every block crosses straight from its own cluster to that of its receiver.
//!
//! In two forms the messages of a cluster cross one after another (`stagger`).
//!
//! # Relays
//! Rank j mod n₁ relays a block from the smaller cluster to rank j of the larger. The relay of a
//! block from rank i of the larger cluster to rank j of the smaller is
//!
//! * `two-phase`: n₁·⌊i/n₁⌋ + j, or n₁ less if there is no such rank;
//! * `two-phase-balanced`: j + n₁·(i mod c), where c = ⌊(n₂−1−j)/n₁⌋ + 1 is the number of ranks that meet j in the
//!   second phase. The numbers of blocks that these ranks relay differ by at most one.
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

use super::layout::ClusterRank;
use super::setting::{SPACING, WAN_FLOWS};
use super::traffic::AlgorithmTraffic;
use super::{
    AlgorithmEntry, AlgorithmRounds, ClusterLayout, Collective, PieceCut, ScheduleOutline, ScheduleShape, alltoall,
};
use crate::schedule::{BlockSlot, Round, ScheduleMessage};
use crate::units::Rank;
use pair::{ClusterPair, RelayRule};
use stagger::Stagger;

pub(super) const TWO_PHASE: AlgorithmEntry = AlgorithmEntry {
    name: "two-phase",
    collective: Collective::Alltoall,
    summary: "clusters: gathered on relays, then long messages between clusters, WAN_FLOWS at once",
    settings: &[WAN_FLOWS],
    cut: PieceCut::Whole,
    rounds: &TwoPhaseForm {
        relay_rule: RelayRule::Near,
        stagger: Stagger::None,
    },
    traffic: Some(AlgorithmTraffic::Clusters),
    closed_form: None,
    offered: &[],
};

pub(super) const TWO_PHASE_BALANCED: AlgorithmEntry = AlgorithmEntry {
    name: "two-phase-balanced",
    summary: "two-phase, but the relays of the larger cluster have equal shares",
    rounds: &TwoPhaseForm {
        relay_rule: RelayRule::Balanced,
        stagger: Stagger::None,
    },
    ..TWO_PHASE
};

pub(super) const TWO_PHASE_STAGGERED: AlgorithmEntry = AlgorithmEntry {
    name: "two-phase-staggered",
    summary: "two-phase, but the first WAN_FLOWS messages cross one after another",
    rounds: &TwoPhaseForm {
        relay_rule: RelayRule::Near,
        stagger: Stagger::First,
    },
    ..TWO_PHASE
};

pub(super) const TWO_PHASE_SPACED: AlgorithmEntry = AlgorithmEntry {
    name: "two-phase-spaced",
    summary: "two-phase, but all messages cross one after another, SPACING times as far apart as a host sends them",
    settings: &[SPACING],
    rounds: &TwoPhaseForm {
        relay_rule: RelayRule::Near,
        stagger: Stagger::All,
    },
    ..TWO_PHASE
};

/// Differences between the entries.
#[derive(Debug, Clone, Copy)]
struct TwoPhaseForm {
    relay_rule: RelayRule,
    stagger: Stagger,
}

impl AlgorithmRounds for TwoPhaseForm {
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline {
        TwoPhaseExchange::new(shape, *self).outline()
    }

    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
        TwoPhaseExchange::new(shape, *self).round(rank, index)
    }

    fn active_rounds(&self, shape: ScheduleShape, _: Rank) -> Range<usize> {
        0..TwoPhaseExchange::new(shape, *self).rounds()
    }
}

/// An exchange between all clusters of a layout.
struct TwoPhaseExchange<'a> {
    layout: &'a ClusterLayout,
    form: TwoPhaseForm,
    flows: u32,
    /// Hops of the stagger from one rank to the next.
    hops_apart: u32,
}

/// Another cluster: its number, its pair with this rank's cluster, and the first relayed block between them.
struct RemoteCluster {
    cluster: usize,
    pair: ClusterPair,
    base: u32,
}

impl<'a> TwoPhaseExchange<'a> {
    fn new(shape: ScheduleShape<'a>, form: TwoPhaseForm) -> Self {
        let (flows, hops_apart) = match form.stagger {
            Stagger::None => (shape.setting_value(WAN_FLOWS), 0),
            Stagger::First => (shape.setting_value(WAN_FLOWS), 1),
            Stagger::All => (u32::MAX, stagger::limited_spacing(shape.setting_value(SPACING))),
        };
        Self {
            layout: shape.required_layout(),
            form,
            flows,
            hops_apart,
        }
    }

    /// For every two sizes of clusters: their pair, and the number of other clusters of the second size.
    fn cluster_pairs(&self) -> impl Iterator<Item = (ClusterPair, u32)> {
        let size_pairs = self.layout.size_counts().cartesian_product(self.layout.size_counts());
        let pair = |((this_size, _), (other_size, count)): ((u32, u32), (u32, u32))| {
            let others = count - u32::from(this_size == other_size);
            let pair = ClusterPair::new([this_size, other_size], self.form.relay_rule);
            (others > 0).then_some((pair, others))
        };
        size_pairs.filter_map(pair)
    }

    fn outline(&self) -> ScheduleOutline {
        let sum_over_others = |this_size: u32, value: fn(&ClusterPair) -> u32| -> u32 {
            let all = self
                .cluster_pairs()
                .filter(|(pair, _)| pair.cluster_size() == this_size);
            all.map(|(pair, others)| value(&pair).saturating_mul(others))
                .fold(0, u32::saturating_add)
        };
        let most = |value: &dyn Fn(u32) -> u32| {
            let all = self.layout.size_counts().map(|(size, _)| value(size));
            all.max().unwrap_or(0)
        };
        let gathered = |size: u32| match size {
            1 => 0,
            _ => 1 + sum_over_others(size, ClusterPair::most_targets),
        };
        let crossing = self.cluster_pairs().map(|(pair, _)| pair.most_sources()).max();
        let spacing = match self.hops() {
            0 => 0,
            _ => most(&|size| self.ranks() - size),
        };
        ScheduleOutline {
            rounds: self.rounds(),
            scratch: most(&|size| sum_over_others(size, ClusterPair::relay_blocks)),
            buffers: 0,
            longest_message: [most(&gathered), crossing.unwrap_or(0), spacing]
                .into_iter()
                .fold(0, u32::max),
        }
    }

    /// Number of rounds: one for the first phase, the hops of a stagger, and for the second phase rounds of exchanges
    /// with rounds of signals between them.
    fn rounds(&self) -> usize {
        let exchanges = self.cluster_pairs().map(|(pair, _)| pair.exchanges()).max();
        let waves = exchanges.map_or(0, |most| most.div_ceil(self.flows));
        let second = (2 * waves as usize).saturating_sub(1);
        1 + self.hops() as usize + second
    }

    fn round(&self, rank: Rank, index: usize) -> Round {
        let me = self.layout.cluster_rank(rank);
        let number = u32::try_from(index).expect("fewer than ranks");
        let second = number.checked_sub(1 + self.hops());
        match second {
            _ if number == 0 => self.gather(me),
            None => self.hop(me, (number - 1) / self.hops_apart),
            Some(number) if number % 2 == 0 => self.cross(me, number / 2),
            Some(number) => self.signal(me, number.div_ceil(2)),
        }
    }

    /// The other clusters, the next first.
    fn remote_clusters(&self, cluster: usize) -> impl Iterator<Item = RemoteCluster> {
        let count = self.layout.clusters();
        let numbers = (1..count).map(move |ahead| (cluster + ahead) % count);
        numbers.scan(0, move |base, other| {
            let remote = RemoteCluster {
                cluster: other,
                pair: ClusterPair::new(
                    [cluster, other].map(|number| self.layout.size(number)),
                    self.form.relay_rule,
                ),
                base: *base,
            };
            *base += remote.pair.relay_blocks();
            Some(remote)
        })
    }

    /// Round of the first phase.
    fn gather(&self, me: ClusterRank) -> Round {
        let size = self.layout.size(me.cluster);
        let peer = |distance| ClusterRank {
            number: (me.number + distance) % size,
            ..me
        };
        Round {
            sends: (1..size).map(|t| self.gather_send(me, peer(t))).collect(),
            receives: (1..size).map(|t| self.gather_receive(peer(size - t), me)).collect(),
            copies: [alltoall::copy_to_output(self.layout.rank_at(me).0)].into(),
            ..Round::default()
        }
    }

    /// Message of a rank to a peer: the block for the peer and the blocks that the peer relays.
    fn gather_send(&self, from: ClusterRank, to: ClusterRank) -> ScheduleMessage {
        let peer = self.layout.rank_at(to);
        let mut message = ScheduleMessage::single(peer, BlockSlot::Input(peer.0));
        for remote in self.remote_clusters(to.cluster) {
            if remote.pair.source_number(to.number, from.number).is_some() {
                let targets = remote.pair.targets(to.number);
                let block = |target| BlockSlot::Input(self.remote_rank(&remote, target).0);
                message.slots.extend(targets.map(block));
            }
        }
        message
    }

    /// Message of [`TwoPhaseExchange::gather_send`] at its receiver.
    fn gather_receive(&self, from: ClusterRank, to: ClusterRank) -> ScheduleMessage {
        let peer = self.layout.rank_at(from);
        let mut message = ScheduleMessage::single(peer, BlockSlot::Output(peer.0));
        for remote in self.remote_clusters(to.cluster) {
            if let Some(place) = remote.pair.source_number(to.number, from.number) {
                let targets = remote.pair.targets(to.number);
                let block = |target| remote.relay_slot(to.number, target, place);
                message.slots.extend(targets.map(block));
            }
        }
        message
    }

    /// Round of the second phase: the exchanges of a wave, between every two clusters.
    fn cross(&self, me: ClusterRank, wave: u32) -> Round {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for remote in self.remote_clusters(me.cluster) {
            for target in remote.pair.targets_in(me.number, self.wave_exchanges(wave)) {
                sends.push(self.cross_send(me, &remote, target));
                receives.push(self.cross_receive(&remote, target));
            }
        }
        Round {
            sends: sends.into_iter().collect(),
            receives: receives.into_iter().collect(),
            ..Round::default()
        }
    }

    /// Numbers of the exchanges of a wave.
    fn wave_exchanges(&self, wave: u32) -> Range<u32> {
        let start = wave.saturating_mul(self.flows);
        start..start.saturating_add(self.flows)
    }

    /// Message of a relay to a rank of another cluster, with all blocks for that rank.
    fn cross_send(&self, relay: ClusterRank, remote: &RemoteCluster, target: u32) -> ScheduleMessage {
        let to = self.remote_rank(remote, target);
        let block = |(source, place)| {
            if source == relay.number {
                BlockSlot::Input(to.0)
            } else {
                remote.relay_slot(relay.number, target, place)
            }
        };
        ScheduleMessage::of(to, remote.pair.sources(relay.number).zip(0..).map(block))
    }

    /// Message of [`TwoPhaseExchange::cross_send`] from rank `from` of another cluster, at its receiver: one output
    /// block for each source of the relay.
    fn cross_receive(&self, remote: &RemoteCluster, from: u32) -> ScheduleMessage {
        let block = |number| BlockSlot::Output(self.remote_rank(remote, number).0);
        let sources = remote.pair.reversed().sources(from);
        ScheduleMessage::of(self.remote_rank(remote, from), sources.map(block))
    }

    /// Empty messages inside a cluster before the exchanges of a wave, from the ranks whose exchanges must be
    /// complete.
    fn signal(&self, me: ClusterRank, wave: u32) -> Round {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for remote in self.remote_clusters(me.cluster) {
            let to = |number| {
                let is_other = number != me.number;
                is_other.then(|| ScheduleMessage::of(self.layout.rank_at(ClusterRank { number, ..me }), []))
            };
            let exchanges = |wave| {
                let targets = remote.pair.targets_in(me.number, self.wave_exchanges(wave));
                targets.map(|target| remote.pair.exchange(me.number, target))
            };
            let next = exchanges(wave - 1).filter_map(|exchange| remote.pair.member(exchange.checked_add(self.flows)?));
            sends.extend(next.filter_map(to));
            let before = exchanges(wave).filter_map(|exchange| remote.pair.member(exchange - self.flows));
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

    fn remote_rank(&self, remote: &RemoteCluster, number: u32) -> Rank {
        self.layout.rank_at(ClusterRank {
            cluster: remote.cluster,
            number,
        })
    }
}

impl RemoteCluster {
    /// Slot in which a relay keeps the block from its source number `place` for `target`.
    fn relay_slot(&self, relay: u32, target: u32, place: u32) -> BlockSlot {
        BlockSlot::Scratch(self.base + self.pair.relay_block(relay, target, place))
    }
}
