//! Closed forms of all-to-alls on the binary trees of [`PlogPT`](crate::network::plogpt), in
//! whole picoseconds as in the engine.
//!
//! # Formula
//! In round i, of bit length h, every rank r sends to rank r xor i. A message takes `s_h`, m divided by its
//! throughput, and is received L after its send, both rounded to picoseconds. All ranks act alike and begin every
//! round together.
//!
//! - A (`pairwise`) takes `Σ_i (s_h + L)`.
//! - B (`sends-in-turn`) takes `Σ_i s_h + L` without timeouts. At the end of the last round of a height, each message
//!   may meet a message of the next height. With [`RtoMode::Receiver`] the messages of such a round are received
//!   `T_RTO` later; with [`RtoMode::TwoPass`] each such round delays all ranks by `T_RTO`.
//!
//! There are 2^(h−1) rounds of height h, so H terms suffice. `L_h` is L.
//!
//! # Domain
//! P = 2^H. Where packets may be lost, every round must last longer than the tolerance for equal times, 10⁻⁹ of the
//! elapsed time; otherwise messages would also meet messages of later rounds.
//!
//! # Source
//! Nomura, Matsuba, Ishikawa 2007 (`PlogPT`, slides of IEEE Cluster).
//!
//! ```
//! # use netsig_model::model::alltoall::plogpt::{PlogptAlgorithm, PlogptParameters, RtoMode};
//! # use netsig_base::units::BytesPerSecond;
//! # use netsig_base::network::TreeEdge;
//! # use netsig_sim::{Time, closed};
//! # use netsig_base::units::{Bytes, Seconds};
//! let edge = |d| TreeEdge { bandwidth: BytesPerSecond(125e6), delay: Seconds(d) };
//! let tree = PlogptParameters::new(vec![edge(0.0), edge(3.64e-5)], Seconds(5e-5));
//! let b = closed::plogpt(PlogptAlgorithm::B, Bytes(10_000), &tree, RtoMode::Receiver).unwrap();
//! assert_eq!((b.time, b.losses), (Time::of(Seconds(0.200_13)), 4));
//! ```

use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::alltoall::plogpt::{
    ElapsedTime, PlogPT, PlogptAlgorithm, PlogptParameters, RoundClass, RtoMode,
};

use super::SimTotals;
use crate::network::plogpt::tolerance;
use crate::time::Time;

impl From<Seconds> for Time {
    fn from(time: Seconds) -> Self {
        Self::of(time)
    }
}

impl ElapsedTime for Time {
    fn times(self, count: u32) -> Self {
        self * u64::from(count)
    }
}

/// Totals of the all-to-all of `size` bytes per destination on the tree of `parameters`; `None`
/// if it must be simulated, the parameters describe no valid tree, or the time overflows.
pub fn plogpt(
    algorithm: PlogptAlgorithm,
    size: Bytes,
    parameters: &PlogptParameters,
    mode: RtoMode,
) -> Option<SimTotals> {
    let network = PlogPT::new(parameters).ok()?;
    if may_lose(&network, size) && !are_apart(&network.round_classes(size, algorithm)) {
        return None;
    }
    let outcome = network.alltoall::<Time>(size, algorithm, mode);
    let procs = u64::from(network.procs().get());
    let messages = procs * (procs - 1);
    let bytes = u128::from(messages) * u128::from(size.0);
    (outcome.time < Time::MAX).then(|| SimTotals {
        time: outcome.time,
        messages,
        bytes,
        losses: procs * outcome.rto_rounds.len() as u64,
    })
}

/// True if a message could lose its last packet to a message of a greater height.
fn may_lose(network: &PlogPT, size: Bytes) -> bool {
    let levels = network.levels();
    let mut pairs = (1..levels.len()).flat_map(|next| levels[..next].iter().zip(std::iter::repeat(&levels[next])));
    pairs.any(|(level, next)| level.loses_before(next, size))
}

/// True if every round is longer than the tolerance, so that its messages can meet only messages of the next round.
fn are_apart(classes: &[RoundClass<Time>]) -> bool {
    let next = classes.iter().skip(1).chain(classes.last());
    classes.iter().zip(next).all(|(class, next)| {
        let tolerance = tolerance(class.finish());
        class.gap > tolerance && next.gap > tolerance
    })
}
