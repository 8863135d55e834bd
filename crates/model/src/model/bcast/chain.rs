//! `chain`, `chain_rdv`, `chain_seg`: each process passes the message to the next.

use super::{BASE, rendezvous, segmented};
use crate::model::prelude::*;

/// (P−1)·(`gap` + `rest`), and another `gap` for each of the k `pieces` after the first.
fn chain(procs: Procs, pieces: u64, gap: Seconds, rest: Seconds) -> Seconds {
    let hops = procs.partners();
    gap * (hops + (pieces - 1) as f64) + rest * hops
}

pub(super) const CHAIN: Model = Model {
    name: "chain",
    formula: "T = (P−1)·(g(m) + L)",
    domain: "Each passes the whole message on to the next.",
    example: WorkedExample::on_toy("P = 8, m = 4096 B", 0.000_706_72, (8, 4096)),
    time: |inputs| inputs.evaluate_plogp(|net, procs, size| chain(procs, 1, net.g(size), net.latency())),
    ..BASE
};

pub(super) const RENDEZVOUS: Model = Model {
    name: "chain_rdv",
    formula: "T = (P−1)·(g(m) + 2·g(1) + 3·L)",
    domain: "As chain, with rendezvous at each step.",
    example: WorkedExample::on_toy("P = 8, m = 4096 B", 0.001_546_86, (8, 4096)),
    time: |inputs| inputs.evaluate_plogp(|net, procs, size| chain(procs, 1, net.g(size), rendezvous(net))),
    ..BASE
};

pub(super) const SEGMENTED: Model = Model {
    name: "chain_seg",
    formula: "T = (P−1)·(g(s) + L) + g(s)·(k−1), k = ⌈m/s⌉",
    domain: "The pipeline: each passes segments on as they come. One of the two that the source recommends. The gap of a segment is at least os(s), or(s), and the share of a segment in what the wire needs for m.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B, s = 8192 B", 0.003_907_6, (24, 65536)).in_segments(8192),
    time: |inputs| segmented(inputs, chain),
    ..BASE
};
