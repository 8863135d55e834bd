//! `contention_001`: the upper limit in pLogP of the PPAM paper, in which a process sends and
//! receives in turns.
//!
//! It is a limit of the model and not of measurements: the paper says that real times may
//! exceed it.

use super::free::{FREE, paced};
use crate::model::entry::Model;
use crate::model::examples::{case, on_toy};
use crate::model::plogp::PLogP;
use crate::model::words::Kind;
use crate::units::{Bytes, Procs, Seconds};

/// (P−1)·(g(m) + or(m)) + L.
fn contention_001(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    paced(net, procs, net.g(size) + net.or(size))
}

pub(super) const CONTENTION_001: Model = Model {
    name: "contention_001",
    kind: Kind::UpperBound,
    formula: "T = (P−1)·g(m) + (P−1)·or(m) + L",
    source: "Barchet-Steffenel and Mounié 2005 (PPAM), Table 1",
    domain: "The upper limit that netsig takes: a process never sends while it receives.",
    example: on_toy("P = 24, m = 1 MiB", 0.362_176_72, || case(24, 1 << 20)),
    time: |inputs| inputs.by_plogp(contention_001),
    ..FREE
};
