//! Scatter in pLogP: three strategies, and the exact time of one of them.
//!
//! # Formula
//! m bytes to each of P processes, where the root keeps its own block; times in seconds:
//!
//! | strategy | T(P, m) |
//! |---|---|
//! | `flat` | (P−1)·g(m) + L |
//! | `chain` | Σ g(j·m) for j = 1 … P−1, + (P−1)·L |
//! | `binomial` | Σ g(2ʲ·m) for j = 0 … ⌈log2 P⌉−1, + ⌈log2 P⌉·L |
//! | `binomial_exact` | T(1) = 0, T(n) = g(b·m) + max(L + T(b), T(h)) |
//!
//! `chain` is exact. `binomial` charges full subtrees, so it is exact where P is a power of
//! two and else an upper bound for any g that does not fall. `binomial_exact` counts the
//! blocks that exist: h is the greatest power of two below n, and the first child of n
//! processes is the farthest one, h places away, with the b = n − h processes from there
//! on. After g(b·m) the h that remain with the sender are a full tree, and L later the b are
//! a tree that need not be full.
//!
//! Gather has the same values (§4: "symmetric"), but there they are contention-free: what
//! gather really takes is dominated by contention and loss (§5).
//!
//! # Domain
//! P ≥ 1, where P = 1 costs nothing; m ≥ 0 with P·m below 2⁶⁴ bytes.
//!
//! # Source
//! Barchet-Steffenel and Mounié 2005 (`RenPar`) Tab. 2; `binomial_exact` is netsig's, checked
//! by simulating the tree event by event.
//!
//! ```
//! # use netsig_core::model::scatter::{Strategy, time};
//! # use netsig_core::model::plogp::{PLogP, Parameters};
//! # use netsig_core::units::table::Table;
//! # use netsig_core::units::{Bytes, Procs, Seconds};
//! # let line = |name, rows: [(u64, f64); 2]| Table::new(name, rows.map(|(m, t)| (Bytes(m), Seconds(t))).into());
//! // L = 50 µs and g(m) = 10 µs + 10 ns · m.
//! # let network = PLogP::new(Parameters {
//! #     latency: Seconds(5e-5),
//! #     gap: line("g", [(0, 1e-5), (16_777_216, 0.167_782_16)])?,
//! #     send_overhead: line("os", [(0, 0.0), (1, 0.0)])?,
//! #     receive_overhead: line("or", [(0, 0.0), (1, 0.0)])?,
//! # })?;
//! let chain = time(&network, Strategy::Chain, Procs::new(24).unwrap(), Bytes(4096))?;
//! assert!((chain.0 / 0.012_684_96 - 1.0).abs() < 1e-12);
//! # Ok::<(), netsig_core::units::parameter::ParameterError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::plogp::PLogP;
use crate::text::names::{name_of, variant_of};
use crate::units::parameter::{ParameterError, volume};
use crate::units::{Bytes, Procs, Seconds};

/// Who sends to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The root sends to each.
    Flat,
    /// Each keeps its block and passes the rest to the next.
    Chain,
    /// A binomial tree, every subtree charged as if it were full.
    Binomial,
    /// A binomial tree with the blocks that there are.
    BinomialExact,
}

/// All strategies with their names, those of the printed table first and in its order.
pub const STRATEGIES: [(Strategy, &str); 4] = [
    (Strategy::Flat, "flat"),
    (Strategy::Chain, "chain"),
    (Strategy::Binomial, "binomial"),
    (Strategy::BinomialExact, "binomial_exact"),
];

/// The time of a scatter of `size` bytes to each of `procs`, and of a gather without
/// contention.
///
/// # Errors
/// If all blocks together are more than 2^64 − 1 bytes.
pub fn time(
    network: &PLogP,
    strategy: Strategy,
    procs: Procs,
    size: Bytes,
) -> Result<Seconds, ParameterError> {
    volume(procs, size)?;
    if procs.get() == 1 {
        return Ok(Seconds(0.0));
    }
    let g = |blocks: u32| network.g(Bytes(u64::from(blocks) * size.0));
    let latency = network.latency();
    Ok(match strategy {
        Strategy::Flat => g(1) * procs.partners() + latency,
        Strategy::Chain => network.sum_of_gaps(size, procs.get() - 1) + latency * procs.partners(),
        Strategy::Binomial => {
            let levels = procs.ceil_log2();
            let gaps = (0..levels).map(|j| g(1 << j));
            gaps.fold(latency * f64::from(levels), |time, gap| time + gap)
        }
        Strategy::BinomialExact => binomial_exact(procs, latency, g),
    })
}

/// T(P) of `binomial_exact`, from the lowest bit of P up: T of the bits below and T of a full
/// tree give T of the next. `g` is the gap of so many blocks.
fn binomial_exact(procs: Procs, latency: Seconds, g: impl Fn(u32) -> Seconds) -> Seconds {
    let mut time = Seconds(0.0);
    let mut below = 0;
    let mut full = Seconds(0.0);
    for bit in (0..=procs.floor_log2()).map(|level| 1 << level) {
        if procs.get() & bit != 0 {
            time = match below {
                0 => full,
                _ => g(below) + later(latency + time, full),
            };
            below |= bit;
        }
        full = full + g(bit) + latency;
    }
    time
}

fn later(a: Seconds, b: Seconds) -> Seconds {
    Seconds(a.0.max(b.0))
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, &STRATEGIES))
    }
}

impl FromStr for Strategy {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        variant_of(text, "a strategy of scatter", &STRATEGIES)
    }
}
