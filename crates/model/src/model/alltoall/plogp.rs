//! `plogp_a` and `plogp_b`: two orders of the steps of direct exchange in pLogP.

use super::contention_free::{CONTENTION_FREE, contention_free};
use crate::model::prelude::*;

/// (P−1)·(g(m) + L): every step waits for the arrival of its block.
fn in_steps(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    net.message(size) * procs.partners()
}

pub(super) const PLOGP_A: Model = Model {
    name: "plogp_a",
    formula: "T = (P−1)·(g(m) + L)",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogP",
    domain: "Irecv, Send and Wait in every round; rounds do not overlap.",
    example: WorkedExample::on_toy("P = 24, m = 1 MiB", 0.242_552_48, (24, 1 << 20)),
    time: |inputs| inputs.evaluate_plogp(in_steps),
    ..CONTENTION_FREE
};

pub(super) const PLOGP_B: Model = Model {
    name: "plogp_b",
    formula: "T = (P−1)·g(m) + L",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogP",
    domain: "All Irecv first, then all Sends, then all Waits; the same as contention_free.",
    example: WorkedExample::on_toy("P = 24, m = 1 MiB", 0.241_452_48, (24, 1 << 20)),
    time: |inputs| inputs.evaluate_plogp(contention_free),
    ..CONTENTION_FREE
};
