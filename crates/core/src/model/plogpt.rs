//! `PlogPT`: `pLogP` for TCP over a tree of switches, where links are shared and a lost
//! last packet costs a retransmission timeout.
//!
//! # Formula
//! Communication time = `L + g_c(m, C) + T_RTO`, in seconds, the last term only where the
//! conditions below hold. C are the communications that run at the same time.
//!
//! The network is a symmetric binary tree of P = 2^H leaves. All edges of height h (1 at
//! the leaves) have bandwidth `b_h` (bytes per second) and delay `d_h` (seconds), each
//! direction its own. `g_c(m, C) = m / throughput`, the throughput being the least, over
//! the edges on the way, of b divided by the members of C on that edge. In a round "rank r to
//! r xor i" every message has the height h = bit length of i and the throughput
//! `min over j ≤ h of b_j / 2^(j−1)`.
//!
//! An edge of height h ≥ 2 is negligible if `b_h ≥ 2·b_(h−1)` and `d_h = 0`; the effective
//! height of a message is that of the highest edge on its way that is not negligible.
//!
//! A message loses its last packet if (1) another one to the same receiver begins when it
//! ends, (2) m > b·d, the buffer of the switch, at the greater effective height of the two,
//! and (3) their effective heights differ.
//!
//! | all-to-all | without timeouts | rounds with a timeout |
//! |---|---|---|
//! | A: send to r xor i and wait for its message, i = 1…P−1 | `Σ (g_c + L)` | none |
//! | B: send to r xor i, i = 1…P−1, then wait for all | `Σ g_c + L` | the last of an effective height |
//!
//! With [`RtoMode::Receiver`], B takes
//! `T = max(T_noRTO, max over these rounds k of f_noRTO(k) + T_RTO + L)`; with
//! [`RtoMode::TwoPass`], `T_noRTO + (their number)·T_RTO`.
//!
//! # Choices
//! The slides do not say when a send whose last packet is lost leaves. If it left after the
//! timeout, the next message would begin too late for condition 1, so nothing would be
//! lost: no schedule is consistent with that. Hence the default, in which only the receiver
//! waits. A never meets condition 1, as its next round begins L later; L = 0 would bring the
//! same contradiction, and no timeout is charged.
//!
//! Printed is `b_h > 2·b_(h−1)` ([`Negligible::Above`]). A tree of full bisection has
//! `b_h = 2·b_(h−1)`; strictly read, its switches would have no buffer and lose packets
//! though they block nothing. Hence the default [`Negligible::AtLeast`].
//!
//! Heights only grow from round to round, so it is the same whether condition 3 asks for
//! different or for growing heights.
//!
//! # Domain
//! Bandwidths are positive; P is a power of two up to 2^31; messages are sent eagerly.
//!
//! # Source
//! Nomura, Matsuba, Ishikawa 2007 (`PlogPT`, slides of IEEE Cluster); algorithms A and B by
//! their second listing. `T_RTO` = 0.2 s in Linux.
//!
//! ```
//! # use netsig_core::model::plogpt::*;
//! # use netsig_core::network::binary_tree::{Edge, Network, Parameters};
//! # use netsig_core::units::{Bytes, BytesPerSecond, Seconds};
//! // Eight hosts; four share an uplink of 2 Gbit/s whose switch has 4550 bytes of buffer.
//! let edges = [(125e6, 0.0), (300e6, 0.0), (250e6, 1.82e-5)];
//! let edges = edges.map(|(b, d)| Edge { bandwidth: BytesPerSecond(b), delay: Seconds(d) });
//! let network = Network::new(Parameters::new(edges.to_vec(), Seconds(5e-5)))?;
//! let a = network.alltoall(Bytes(10_000), Algorithm::A, RtoMode::Receiver);
//! assert!((a.time.0 / 1.23e-3 - 1.0).abs() < 1e-12);
//! let b = network.alltoall(Bytes(10_000), Algorithm::B, RtoMode::Receiver);
//! assert!((b.time_without_rto.0 / 9.3e-4 - 1.0).abs() < 1e-12);
//! assert!((b.time.0 / 0.20029 - 1.0).abs() < 1e-12);
//! assert_eq!(b.rto_steps, [3]);
//! # Ok::<(), netsig_core::units::parameter::ParameterError>(())
//! ```

mod sharing;

pub use sharing::throughput;

use crate::network::binary_tree::{Level, Network};
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// The order in which a rank sends and waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// A round ends when its message is in.
    A,
    /// All messages are sent before the first is waited for.
    B,
}

/// Whom a retransmission timeout delays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RtoMode {
    /// The receiver of the message alone (the default).
    #[default]
    Receiver,
    /// Everything that comes after it.
    TwoPass,
}

/// One round of an all-to-all, in which each rank r sends to r xor `xor`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The number of the round, from 1.
    pub xor: u32,
    /// The height of its messages.
    pub height: u32,
    /// Their effective height.
    pub effective_height: u32,
    /// The bandwidth each of them has.
    pub throughput: BytesPerSecond,
    /// e: when they begin.
    pub enter: Seconds,
    /// `f_noRTO`: when they are sent, no packet being lost.
    pub finish_no_rto: Seconds,
}

/// How long an all-to-all takes, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The time with retransmission timeouts.
    pub time: Seconds,
    /// The time if no packet were lost.
    pub time_without_rto: Seconds,
    /// The rounds whose messages lose their last packet.
    pub rto_steps: Vec<u32>,
}

/// All rounds of one height: 2^(height−1) of them, one after the other.
#[derive(Debug, Clone, Copy)]
struct Class<'a> {
    level: &'a Level,
    /// How many rounds there are; also the number of the first.
    rounds: u32,
    /// When the first begins.
    start: Seconds,
    /// `g_c(m, C)`.
    gap: Seconds,
    /// What a receiver waits beyond the gap.
    latency: Seconds,
    /// From the begin of one round to that of the next.
    pace: Seconds,
}

impl Class<'_> {
    /// When the message of the k-th round is sent, k from 0.
    fn finish(&self, k: u32) -> Seconds {
        self.start + self.pace * f64::from(k) + self.gap
    }

    /// When the messages of the last round are received.
    fn received(&self) -> Seconds {
        self.finish(self.rounds - 1) + self.latency
    }

    fn step(&self, k: u32) -> Step {
        Step {
            xor: self.rounds + k,
            height: self.level.height,
            effective_height: self.level.effective_height,
            throughput: self.level.shared,
            enter: self.start + self.pace * f64::from(k),
            finish_no_rto: self.finish(k),
        }
    }
}

impl Network {
    /// The all-to-all of `size` bytes per destination.
    pub fn alltoall(&self, size: Bytes, algorithm: Algorithm, mode: RtoMode) -> Outcome {
        let classes = self.classes(size, algorithm);
        let zero = Seconds(0.0);
        let time_without_rto = classes.last().map_or(zero, Class::received);
        let losing: Vec<&Class> = match algorithm {
            Algorithm::A => Vec::new(),
            Algorithm::B => classes
                .windows(2)
                .filter(|pair| pair[0].level.loses_before(pair[1].level, size))
                .map(|pair| &pair[0])
                .collect(),
        };
        let time = match mode {
            RtoMode::Receiver => losing
                .iter()
                .map(|class| class.received() + self.rto())
                .fold(time_without_rto, |a, b| if b > a { b } else { a }),
            RtoMode::TwoPass => time_without_rto + self.rto() * losing.len() as f64,
        };
        let last_round = |class: &&Class| 2 * class.rounds - 1;
        Outcome {
            time,
            time_without_rto,
            rto_steps: losing.iter().map(last_round).collect(),
        }
    }

    /// The rounds of the all-to-all in order.
    pub fn steps(&self, size: Bytes, algorithm: Algorithm) -> impl Iterator<Item = Step> {
        self.classes(size, algorithm)
            .into_iter()
            .flat_map(|class| (0..class.rounds).map(move |k| class.step(k)))
    }

    /// The rounds by height.
    fn classes(&self, size: Bytes, algorithm: Algorithm) -> Vec<Class<'_>> {
        let mut classes: Vec<Class> = Vec::new();
        for level in self.levels() {
            let (gap, latency) = (level.gap(size), level.latency);
            let end = |class: &Class| class.start + class.pace * f64::from(class.rounds);
            classes.push(Class {
                level,
                rounds: 1 << (level.height - 1),
                start: classes.last().map_or(Seconds(0.0), end),
                gap,
                latency,
                pace: match algorithm {
                    Algorithm::A => gap + latency,
                    Algorithm::B => gap,
                },
            });
        }
        classes
    }
}

#[cfg(test)]
mod tests;
