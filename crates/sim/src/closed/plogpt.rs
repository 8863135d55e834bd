//! Closed forms of all-to-alls on the binary trees of [`PlogPT`](crate::network::plogpt), in
//! whole picoseconds as in the engine.
//!
//! # Formula
//! In round i every rank r sends to rank r xor i, so all ranks act alike: a message takes `s_h`,
//! m divided by its throughput, and is received L after its send, both rounded to picoseconds; h
//! is the bit length of i. So all ranks begin every round together, and
//!
//! - A (`pairwise`) takes `Σ_i (s_h + L)`,
//! - B (`sends-in-turn`) takes `Σ_i s_h + L`, or longer with timeouts: at the end of the
//!   last round of a height, each message may meet one of the next height. With
//!   [`RtoMode::Receiver`] the messages of such a round are received `T_RTO` later; with
//!   [`RtoMode::TwoPass`] each such round delays all by `T_RTO`.
//!
//! There are 2^(h−1) rounds of height h, so H terms suffice. `L_h` is L.
//!
//! # Domain
//! P = 2^H. Where packets may be lost, every round must last longer than the tolerance for equal
//! times, 10⁻⁹ of the elapsed time; otherwise messages would meet not only the next round.
//!
//! # Source
//! Nomura, Matsuba, Ishikawa 2007 (`PlogPT`, slides of IEEE Cluster).
//!
//! ```
//! # use netsig_model::model::alltoall::plogpt::{Algorithm, Parameters, RtoMode};
//! # use netsig_base::units::BytesPerSecond;
//! # use netsig_base::network::Edge;
//! # use netsig_sim::{Time, closed};
//! # use netsig_base::units::{Bytes, Seconds};
//! let edge = |d| Edge { bandwidth: BytesPerSecond(125e6), delay: Seconds(d) };
//! let tree = Parameters::new(vec![edge(0.0), edge(3.64e-5)], Seconds(5e-5));
//! let b = closed::plogpt(Algorithm::B, Bytes(10_000), &tree, RtoMode::Receiver).unwrap();
//! assert_eq!((b.time, b.losses), (Time::of(Seconds(0.200_13)), 4));
//! ```

use netsig_base::units::Bytes;
use netsig_model::model::alltoall::plogpt::{Algorithm, Level, Parameters, PlogPT, RtoMode};

use super::Totals;
use crate::network::plogpt::tolerance;
use crate::time::Time;

/// All rounds of one height.
#[derive(Debug, Clone, Copy)]
struct Class {
    duration: Time,
    /// Time at which the sends of the last round end.
    finish: Time,
}

/// Totals of the all-to-all of `size` bytes per destination on the tree of `parameters`; `None`
/// if it must be simulated, the parameters describe no valid tree, or the time overflows.
pub fn plogpt(
    algorithm: Algorithm,
    size: Bytes,
    parameters: &Parameters,
    mode: RtoMode,
) -> Option<Totals> {
    let network = PlogPT::new(parameters).ok()?;
    let latency = Time::of(parameters.latency);
    let pause = match algorithm {
        Algorithm::A => latency,
        Algorithm::B => Time::ZERO,
    };
    let classes = classes(&network, size, pause);
    if may_lose(&network, size) && !are_apart(&classes) {
        return None;
    }
    // Heights whose last round loses its last packets to the first round of the next height.
    let pairs = network.levels().windows(2).zip(&classes);
    let losing: Vec<&Class> = match algorithm {
        Algorithm::A => Vec::new(),
        Algorithm::B => pairs
            .filter(|(pair, _)| pair[0].loses_before(&pair[1], size))
            .map(|(_, class)| class)
            .collect(),
    };
    let rto = Time::of(parameters.rto);
    let received = |class: &Class| class.finish + latency;
    let without_rto = classes.last().map_or(Time::ZERO, received);
    let late = losing.iter().map(|class| received(class) + rto);
    let time = match mode {
        RtoMode::Receiver => late.fold(without_rto, Time::max),
        RtoMode::TwoPass => without_rto + rto * losing.len() as u64,
    };
    let procs = u64::from(network.procs().get());
    let messages = procs * (procs - 1);
    let bytes = u128::from(messages) * u128::from(size.0);
    (time < Time::MAX).then(|| Totals {
        time,
        messages,
        bytes,
        losses: procs * losing.len() as u64,
    })
}

/// Groups the rounds by height, with `pause` after each round.
fn classes(network: &PlogPT, size: Bytes, pause: Time) -> Vec<Class> {
    let mut start = Time::ZERO;
    let class = |level: &Level| {
        let duration = Time::of(level.gap(size));
        let pace = duration + pause;
        let rounds = 1 << (level.height - 1);
        let finish = start + pace * (rounds - 1) + duration;
        start += pace * rounds;
        Class { duration, finish }
    };
    network.levels().iter().map(class).collect()
}

/// True if a message could lose its last packet to a message of a greater height.
fn may_lose(network: &PlogPT, size: Bytes) -> bool {
    let levels = network.levels();
    let mut pairs = (1..levels.len())
        .flat_map(|next| levels[..next].iter().zip(std::iter::repeat(&levels[next])));
    pairs.any(|(level, next)| level.loses_before(next, size))
}

/// True if every round is longer than the tolerance, so that its messages can meet only those of
/// the next round.
fn are_apart(classes: &[Class]) -> bool {
    let next = classes.iter().skip(1).chain(classes.last());
    classes.iter().zip(next).all(|(class, next)| {
        let tolerance = tolerance(class.finish);
        class.duration > tolerance && next.duration > tolerance
    })
}
