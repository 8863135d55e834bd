//! `flat`, `flat_rdv`, `flat_seg`: the root sends to each process.

use super::{BASE, rendezvous, segmented};
use crate::model::prelude::*;

/// (P−1)·k·`gap` + `rest`, in k `pieces`.
fn flat_tree_time(procs: Procs, pieces: u64, gap: Seconds, rest: Seconds) -> Seconds {
    gap * (procs.partners() * pieces as f64) + rest
}

pub(super) const FLAT: Model = Model {
    name: "flat",
    formula: "T = (P−1)·g(m) + L",
    domain: "The root sends to all, one after the other.",
    example: WorkedExample::on_toy("P = 8, m = 4096 B", 0.000_406_72, (8, 4096)),
    time: |inputs| inputs.evaluate_plogp(|net, procs, size| flat_tree_time(procs, 1, net.g(size), net.latency())),
    ..BASE
};

pub(super) const RENDEZVOUS: Model = Model {
    name: "flat_rdv",
    formula: "T = (P−1)·g(m) + 2·g(1) + 3·L",
    domain: "As flat, with one request and one answer before the data (rendezvous).",
    example: WorkedExample::on_toy("P = 8, m = 4096 B", 0.000_526_74, (8, 4096)),
    time: |inputs| inputs.evaluate_plogp(|net, procs, size| flat_tree_time(procs, 1, net.g(size), rendezvous(net))),
    ..BASE
};

pub(super) const SEGMENTED: Model = Model {
    name: "flat_seg",
    formula: "T = (P−1)·g(s)·k + L, k = ⌈m/s⌉",
    domain: "As flat, in segments of s bytes. The gap of a segment is at least os(s), or(s), and the share of a segment in what the wire needs for m.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B, s = 8192 B", 0.016_963_28, (24, 65536)).in_segments(8192),
    time: |inputs| segmented(inputs, flat_tree_time),
    ..BASE
};
