//! `binomial` and `binomial_exact`: each process passes on half of its blocks.
//!
//! # Misprint
//! `binomial` charges full subtrees: it is exact for powers of two, and for other P an upper
//! bound if g does not fall. `binomial_exact` counts the blocks that exist: h is the
//! greatest power of two below n; the first child of n processes is the farthest, h places away,
//! and heads the last b = n − h processes. After g(b·m) the sender goes on with a full tree of h
//! processes; L later the child starts a tree of b, possibly incomplete. A simulation of the
//! messages confirms this (`sim/network/endpoint/tests.rs`).

use super::BASE;
use crate::model::prelude::*;

/// Gap g of a message of this many blocks.
fn gap(net: &PLogP, blocks: u32, size: Bytes) -> Seconds {
    net.g(Bytes(u64::from(blocks) * size.0))
}

/// Σ g(2ʲ·m) for j = 0 … ⌈log2 P⌉−1, + ⌈log2 P⌉·L.
fn binomial(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    let levels = procs.ceil_log2();
    let gaps = (0..levels).map(|j| gap(net, 1 << j, size));
    gaps.fold(net.latency() * f64::from(levels), |time, gap| time + gap)
}

/// T(P), computed from the lowest bit of P upwards: T of the lower bits and T of a full tree give T
/// with the next bit.
fn binomial_exact(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    let mut time = Seconds(0.0);
    let mut below = 0;
    let mut full = Seconds(0.0);
    for bit in (0..=procs.floor_log2()).map(|level| 1 << level) {
        if procs.get() & bit != 0 {
            time = match below {
                0 => full,
                _ => gap(net, below, size) + Seconds((net.latency() + time).0.max(full.0)),
            };
            below |= bit;
        }
        full = full + gap(net, bit, size) + net.latency();
    }
    time
}

pub(super) const BINOMIAL: Model = Model {
    name: "binomial",
    formula: "T = Σ_{j=0…⌈log2 P⌉−1} g(2^j·m) + ⌈log2 P⌉·L",
    domain: "Exact for powers of two; for other P an upper bound, since it charges blocks that \
             do not exist: binomial_exact does not. May beat flat for P just below a power of two.",
    example: WorkedExample::on_toy("P = 8, m = 1000 B", 0.000_25, (8, 1000)),
    time: |inputs| inputs.evaluate_plogp(binomial),
    ..BASE
};

pub(super) const BINOMIAL_EXACT: Model = Model {
    name: "binomial_exact",
    corrects: Some("binomial"),
    formula: "T(1) = 0, T(n) = g(b·m) + max(L + T(b), T(h)), h the greatest power of two below n, b = n−h",
    source: "netsig, after Barchet-Steffenel and Mounié 2005 (RenPar), Table 2",
    domain: "Time of the truncated binomial tree in pLogP for every P; deviates from the print.",
    example: WorkedExample::on_toy("P = 24, m = 4096 B", 0.001_192_08, (24, 4096)),
    time: |inputs| inputs.evaluate_plogp(binomial_exact),
    ..BASE
};
