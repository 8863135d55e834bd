//! `upper_003`: the upper limit in pLogP of the RenPar paper.
//!
//! # Where the publications disagree
//! The RenPar paper argues that a node which can no longer overlap is busy for os(m) until
//! the message is handed over and for or(m) with the one that comes in. The PPAM paper of
//! the same authors, which is the later one, charges g(m) in place of os(m): `contention_001`,
//! netsig's default. The difference matters, because os(m) + or(m) may be less than g(m). Then
//! this "upper" limit lies below the lower one and a factor between the two acts with the wrong
//! sign; [`has_degenerate_bounds`] tells.

use super::factor_003::FACTOR_003;
use super::free::{FREE, paced};
use crate::model::entry::Model;
use crate::model::examples::{case, on_toy};
use crate::model::plogp::PLogP;
use crate::model::words::Kind;
use crate::units::{Bytes, Procs, Seconds};

/// (P−1)·(os(m) + or(m)) + L.
fn upper_003(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    paced(net, procs, net.os(size) + net.or(size))
}

/// Whether the limit lies below `free`: os(m) + or(m) < g(m).
pub(super) fn are_bounds_degenerate(net: &PLogP, size: Bytes) -> bool {
    net.os(size) + net.or(size) < net.g(size)
}

/// Whether `model` takes this limit and it lies below the lower one.
pub fn has_degenerate_bounds(model: &Model, net: &PLogP, size: Bytes) -> bool {
    [UPPER_003, FACTOR_003].contains(model) && are_bounds_degenerate(net, size)
}

pub(super) const UPPER_003: Model = Model {
    name: "upper_003",
    kind: Kind::UpperBound,
    formula: "T = (P−1)·os(m) + (P−1)·or(m) + L",
    source: "Barchet-Steffenel and Mounié 2005 (RenPar), Table 3",
    domain: "The earlier upper limit. Where os + or < g it lies below the lower one, as in \
             the example: the limits are degenerate.",
    example: on_toy("P = 24, m = 1 MiB", 0.217_358_232, || case(24, 1 << 20)),
    time: |inputs| inputs.by_plogp(upper_003),
    ..FREE
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples::{affine, stepped};

    #[test]
    fn short_overheads_make_the_bounds_degenerate() {
        // 11 µs against 10 µs at first, 9 ns/B against 10 ns/B thereafter.
        assert!(!are_bounds_degenerate(&affine(), Bytes(999)));
        assert!(are_bounds_degenerate(&affine(), Bytes(1001)));
        assert!(are_bounds_degenerate(&stepped(), Bytes(1 << 20)));
    }
}
