//! `plogp_overhead_bound`: the upper limit in pLogP of the RenPar paper.
//!
//! # Where the publications disagree
//! In the RenPar paper, a node that can no longer overlap is busy for os(m) until it has handed over its message, and
//! for or(m) with the arriving message. The later PPAM paper of the same authors charges g(m) in place of os(m):
//! `plogp_receive_bound`, netsig's default. The difference matters, because os(m) + or(m) may be less than g(m). Then
//! this "upper" limit lies below the lower one, and a factor between the two acts with the wrong sign;
//! [`has_degenerate_bounds`] detects this.

use super::contention_free::{CONTENTION_FREE, paced};
use super::plogp_overhead_factor::PLOGP_OVERHEAD_FACTOR;
use crate::model::prelude::*;

/// True if `model` uses this limit and the limit lies below that of `contention_free`: os(m) + or(m) < g(m).
pub fn has_degenerate_bounds(model: &Model, net: &PLogP, size: Bytes) -> bool {
    [PLOGP_OVERHEAD_BOUND, PLOGP_OVERHEAD_FACTOR].contains(model) && net.os(size) + net.or(size) < net.g(size)
}

pub(super) const PLOGP_OVERHEAD_BOUND: Model = Model {
    name: "plogp_overhead_bound",
    kind: ModelKind::UpperBound,
    formula: "T = (P−1)·os(m) + (P−1)·or(m) + L",
    source: "Barchet-Steffenel and Mounié 2005 (RenPar), Table 3",
    domain: "The earlier upper limit. Where os + or < g it lies below the lower one, as in \
             the example: the limits are degenerate.",
    example: WorkedExample::on_toy("P = 24, m = 1 MiB", 0.217_358_232, (24, 1 << 20)),
    time: |inputs| inputs.evaluate_plogp(|net, procs, size| paced(net, procs, net.os(size) + net.or(size))),
    ..CONTENTION_FREE
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::affine;

    /// os + or is 11 µs against a g of 10 µs at first, and 9 ns/B against 10 ns/B thereafter.
    #[test]
    fn short_overheads_make_the_bounds_degenerate() {
        for (size, expected) in [(999, false), (1001, true)] {
            assert_eq!(
                has_degenerate_bounds(&PLOGP_OVERHEAD_BOUND, &affine(), Bytes(size)),
                expected
            );
        }
    }
}
