//! `plogpt_a`, `plogpt_b` and its variants: `PlogPT`, pLogP for TCP over a tree of switches, where
//! messages share links and the loss of a last packet costs a retransmission time-out.
//!
//! # Formula
//! Communication time = `L + g_c(m, C) + T_RTO`, in seconds, the last term only where the
//! conditions below hold. C is the set of communications that run at the same time.
//!
//! The network is a symmetric binary tree of P = 2^H leaves. All edges of height h (1 at the
//! leaves) have bandwidth `b_h` (bytes per second) and delay `d_h` (seconds) in each direction.
//! `g_c(m, C) = m / throughput`. The throughput is the minimum, over the edges on the path, of b
//! divided by the number of members of C on that edge. In a round "rank r to r xor i" every message
//! has the height h = bit length of i and the throughput `min over j ≤ h of b_j / 2^(j−1)`.
//!
//! An edge of height h ≥ 2 is negligible if `b_h ≥ 2·b_(h−1)` and `d_h = 0`; the effective height
//! of a message is the height of the highest edge on its path that is not negligible.
//!
//! A message loses its last packet under three conditions: (1) another message to the same receiver begins when it
//! ends; (2) m > b·d, the buffer of the switch, at the greater effective height of the two; (3) their effective
//! heights differ.
//!
//! | all-to-all | without time-outs | rounds with a time-out |
//! |---|---|---|
//! | A: send to r xor i and wait for its message, i = 1…P−1 | `Σ (g_c + L)` | none |
//! | B: send to r xor i, i = 1…P−1, then wait for all | `Σ g_c + L` | the last of an effective height |
//!
//! With [`RtoMode::Receiver`], B takes
//! `T = max(T_noRTO, max over these rounds k of f_noRTO(k) + T_RTO + L)`; with
//! [`RtoMode::TwoPass`], `T_noRTO + (number of these rounds)·T_RTO`.
//!
//! # Choices
//! The slides do not say when a send whose last packet is lost completes. If it completed after the
//! time-out, the next message would begin too late for condition 1, so no packet would be lost: no
//! schedule satisfies this. In the default, therefore, only the receiver waits. Algorithm A never
//! meets condition 1, as its next round begins L later; L = 0 would bring the same contradiction,
//! and no time-out is charged.
//!
//! The slides print `b_h > 2·b_(h−1)` ([`PlogptEdgeRule::Above`]). A tree of full bisection has `b_h = 2·b_(h−1)`; by
//! the printed rule its switches would have no buffer and lose packets although they block nothing. The default is
//! therefore [`PlogptEdgeRule::AtLeast`].
//!
//! Heights only grow from round to round, so condition 3 gives the same result for "different" and
//! for "growing" heights.
//!
//! # Domain
//! Bandwidths are positive; P is a power of two up to 2^31; messages are sent eagerly.
//!
//! # Source
//! Nomura, Matsuba, Ishikawa 2007 (`PlogPT`, slides of IEEE Cluster); algorithms A and B after
//! their second listing. `T_RTO` = 0.2 s in Linux.

mod levels;
mod rounds;
mod sharing;

use netsig_base::network::{LinkSpec, Network, TreeEdge};
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{BitsPerSecond, BytesPerSecond};
use serde::Deserialize;
use strum::{EnumIter, EnumMessage};

pub use levels::{PlogPT, PlogptEdgeRule, PlogptLevel, PlogptParameters, overflows};
pub use rounds::{ElapsedTime, RoundClass};
pub use sharing::throughput;

use super::hockney::HOCKNEY;
use crate::model::examples::hockney_network;
use crate::model::prelude::*;

/// Order in which a rank sends and waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlogptAlgorithm {
    /// A round ends when its message has arrived.
    A,
    /// A rank sends all messages before it waits for the first.
    B,
}

/// Ranks that a retransmission time-out delays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, EnumIter, EnumMessage, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum RtoMode {
    /// The receiver of the message alone.
    #[default]
    Receiver,
    /// The sender and the receiver, found in a first pass.
    TwoPass,
}

/// One round of an all-to-all, in which each rank r sends to r xor `xor`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlogptRound {
    /// Number of the round, from 1.
    pub xor: u32,
    /// Height of the messages of the round.
    pub height: u32,
    /// Effective height of the messages.
    pub effective_height: u32,
    /// Bandwidth of each message.
    pub throughput: BytesPerSecond,
    /// e: time at which the messages begin.
    pub enter: Seconds,
    /// `f_noRTO`: time at which the messages have been sent if no packet is lost.
    pub finish_no_rto: Seconds,
}

/// Time of an all-to-all, and the rounds with a time-out.
#[derive(Debug, Clone, PartialEq)]
pub struct PlogptOutcome<T = Seconds> {
    /// Time with retransmission time-outs.
    pub time: T,
    /// Time if no packet were lost.
    pub time_without_rto: T,
    /// Rounds whose messages lose their last packet.
    pub rto_rounds: Vec<u32>,
}

impl PlogPT {
    /// The all-to-all of `size` bytes per destination.
    pub fn alltoall<T: ElapsedTime>(&self, size: Bytes, algorithm: PlogptAlgorithm, mode: RtoMode) -> PlogptOutcome<T> {
        let classes = self.round_classes::<T>(size, algorithm);
        let last = classes.last().map(RoundClass::last_received);
        let time_without_rto = last.unwrap_or_else(|| T::from(Seconds(0.0)));
        let losing: Vec<&RoundClass<T>> = match algorithm {
            PlogptAlgorithm::A => Vec::new(),
            PlogptAlgorithm::B => classes
                .windows(2)
                .filter(|pair| pair[0].level.loses_before(pair[1].level, size))
                .map(|pair| &pair[0])
                .collect(),
        };
        let rto = T::from(self.rto());
        let count = u32::try_from(losing.len()).expect("at most 31 heights");
        let time = match mode {
            RtoMode::Receiver => losing
                .iter()
                .map(|class| class.last_received() + rto)
                .fold(time_without_rto, |a, b| if b > a { b } else { a }),
            RtoMode::TwoPass => time_without_rto + rto.times(count),
        };
        let last_round = |class: &&RoundClass<T>| 2 * class.rounds - 1;
        PlogptOutcome {
            time,
            time_without_rto,
            rto_rounds: losing.iter().map(last_round).collect(),
        }
    }

    /// The rounds of the all-to-all in order.
    pub fn rounds(&self, size: Bytes, algorithm: PlogptAlgorithm) -> impl Iterator<Item = PlogptRound> {
        self.round_classes(size, algorithm)
            .into_iter()
            .flat_map(|class| (0..class.rounds).map(move |k| class.round(k)))
    }

    /// The rounds of the all-to-all by height.
    pub fn round_classes<T: ElapsedTime>(&self, size: Bytes, algorithm: PlogptAlgorithm) -> Vec<RoundClass<'_, T>> {
        let mut start = T::from(Seconds(0.0));
        let next_class = |level| {
            let class = RoundClass::new(level, size, algorithm, start);
            start = class.enter(class.rounds);
            class
        };
        self.levels().iter().map(next_class).collect()
    }
}

const IN_A_TREE: WorkedExample = WorkedExample::on_network(
    ExampleNetwork::Known(tree_of_eight),
    "P = 8, m = 10000 B, links of 125 MB/s, between the halves 250 MB/s with a buffer of \
     4550 B, L = 50 µs",
    0.001_23,
    (8, 10_000),
);

pub(super) const PLOGPT_A: Model = Model {
    name: "plogpt_a",
    kind: ModelKind::Contention,
    formula: "T = Σ_i (m/thr(h_i) + L), rounds i = 1…P−1 with partner r xor i",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogPT",
    domain: "P a power of two on a complete binary tree. The tree is that of --network, or its two switches \
             with half of the processes each, else one switch with links of rate 1/β; L = α. A \
             waits in every round and never times out.",
    example: IN_A_TREE,
    time: |inputs| plogpt(inputs, PlogptAlgorithm::A, RtoMode::Receiver, PlogptEdgeRule::AtLeast),
    ..HOCKNEY
};

pub(super) const PLOGPT_B: Model = Model {
    name: "plogpt_b",
    formula: "T = max(Σ_i m/thr(h_i) + L, latest f_noRTO + T_RTO + L)",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogPT",
    domain: "As plogpt_a. Where the uplink is narrow and m beyond its buffer, B meets a time-out \
             of 200 ms, which delays its receiver.",
    example: IN_A_TREE.with_expected(0.200_29),
    time: |inputs| plogpt(inputs, PlogptAlgorithm::B, RtoMode::Receiver, PlogptEdgeRule::AtLeast),
    ..PLOGPT_A
};

pub(super) const PLOGPT_B_TWO_PASS: Model = Model {
    name: "plogpt_b_two_pass",
    formula: "T = Σ_i m/thr(h_i) + L + T_RTO for each time-out",
    source: "netsig, after Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogPT",
    domain: "The other reading of plogpt_b: time-outs are found first, and then each delays \
             all that comes after it.",
    example: IN_A_TREE.with_expected(0.200_93),
    time: |inputs| plogpt(inputs, PlogptAlgorithm::B, RtoMode::TwoPass, PlogptEdgeRule::AtLeast),
    ..PLOGPT_B
};

pub(super) const PLOGPT_B_PRINTED: Model = Model {
    name: "plogpt_b_printed",
    domain: "plogpt_b with the printed rule: an edge is negligible if it is more than twice as \
             wide as the one below, not at least. Then even a switch of full bisection times \
             out, as in the example.",
    example: WorkedExample::on_network(
        ExampleNetwork::Hockney(5e-5, 8e-9),
        "P = 8, m = 10000 B, links of 125 MB/s on one switch, L = 50 µs",
        0.200_29,
        (8, 10_000),
    ),
    time: |inputs| plogpt(inputs, PlogptAlgorithm::B, RtoMode::Receiver, PlogptEdgeRule::Above),
    ..PLOGPT_B
};

/// Two switches of four hosts.
fn tree_of_eight() -> KnownNetwork {
    let port = |mbit: u64, buffer| LinkSpec::new(BitsPerSecond(mbit * 1_000_000), Bytes(buffer));
    KnownNetwork {
        network: Network::two_switches([4, 4], port(1000, 0), port(2000, 4550)).ok(),
        ..hockney_network(5e-5, 8e-9)
    }
}

fn plogpt(
    inputs: &FormulaInputs,
    algorithm: PlogptAlgorithm,
    mode: RtoMode,
    edge_rule: PlogptEdgeRule,
) -> Result<ModelTime, ModelError> {
    let KnownNetwork { hockney, network, .. } = inputs.known;
    let Some(edges) = tree_edges(hockney, network.as_ref(), inputs.case.procs)? else {
        return inputs.evaluate_hockney(|base, procs, _| startup_time(base, algorithm, procs));
    };
    let model = PlogPT::new(&PlogptParameters {
        edge_rule,
        ..PlogptParameters::new(edges, hockney.alpha())
    })?;
    inputs.evaluate_hockney(|_, _, size| model.alltoall(size, algorithm, mode).time)
}

/// Time of the start-ups alone, where bytes take no time.
fn startup_time(hockney: &Hockney, algorithm: PlogptAlgorithm, procs: Procs) -> Seconds {
    match algorithm {
        PlogptAlgorithm::A => hockney.alpha() * procs.partners(),
        PlogptAlgorithm::B => hockney.alpha(),
    }
}

/// Edges by height of a tree of `procs` ranks. A network that is a binary tree has its own edges. Otherwise the
/// lowest edges are the links of the hosts, and the bandwidth doubles from height to height, as within a switch. A
/// link between two switches is the top edge. `None` if bytes take no time.
fn tree_edges(
    hockney: &Hockney,
    network: Option<&Network>,
    procs: Procs,
) -> Result<Option<Vec<TreeEdge>>, ParameterError> {
    if !procs.get().is_power_of_two() {
        let rule = "a power of two for PlogPT";
        return Err(ParameterError::new("procs", procs, rule));
    }
    let count = procs.floor_log2() as usize;
    if let Some(heights) = network.and_then(Network::heights) {
        let edges = heights.get(..count).map(<[TreeEdge]>::to_vec);
        let rule = "at most the hosts of the network";
        return edges.map(Some).ok_or_else(|| ParameterError::new("procs", procs, rule));
    }
    let gap = network.map_or(hockney.beta(), Network::host_gap).0;
    if gap == 0.0 {
        return Ok(None);
    }
    let edge = |height: u32| TreeEdge {
        bandwidth: BytesPerSecond(f64::from(height).exp2() / gap),
        delay: Seconds(0.0),
    };
    let mut edges: Vec<TreeEdge> = (0..procs.floor_log2()).map(edge).collect();
    let known_cuts = network.map_or(Some(&[][..]), Network::cuts);
    let cuts = known_cuts.ok_or_else(|| {
        let rule = "a tree of switches for PlogPT";
        ParameterError::new("network", "a graph with circles", rule)
    })?;
    for cut in cuts {
        let behind = cut.procs_behind(procs);
        if behind == 0 || behind == procs.get() {
            continue;
        }
        if behind * 2 != procs.get() {
            let value = format!("{procs} with {behind} of them behind a link between switches");
            let rule = "twice as many as behind that link for PlogPT";
            return Err(ParameterError::new("procs", value, rule));
        }
        edges.pop();
        edges.push(TreeEdge {
            bandwidth: BytesPerSecond(1.0 / cut.gap.0),
            delay: cut.gap * cut.buffer,
        });
    }
    Ok(Some(edges))
}

#[cfg(test)]
mod tests;
