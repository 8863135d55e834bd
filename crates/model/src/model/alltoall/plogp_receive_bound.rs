//! `plogp_receive_bound`: the upper limit in pLogP of the PPAM paper, in which a process sends and
//! receives in turns.
//!
//! The limit bounds the model, not measurements: the paper says that real times may exceed it.

use super::contention_free::{CONTENTION_FREE, paced};
use crate::model::prelude::*;

pub(super) const PLOGP_RECEIVE_BOUND: Model = Model {
    name: "plogp_receive_bound",
    kind: ModelKind::UpperBound,
    formula: "T = (P−1)·g(m) + (P−1)·or(m) + L",
    source: "Barchet-Steffenel and Mounié 2005 (PPAM), Table 1",
    domain: "The upper limit that netsig takes: a process never sends while it receives.",
    example: WorkedExample::on_toy("P = 24, m = 1 MiB", 0.362_176_72, (24, 1 << 20)),
    time: |inputs| inputs.evaluate_plogp(|net, procs, size| paced(net, procs, net.g(size) + net.or(size))),
    ..CONTENTION_FREE
};
