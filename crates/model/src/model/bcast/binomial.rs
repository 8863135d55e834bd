//! `binomial`, `binomial_rdv`, `binomial_seg`: all processes that have the message send it on, so
//! that their number doubles; each also in a corrected form, `_exact`.
//!
//! # Misprint
//! The source has ⌊⌋ and ⌈⌉ the wrong way round, which matters unless P is a power of two. P = 3
//! would take g + 2·L, but three processes need at least 2·g + L. Where each process serves its
//! farthest child first, the tree takes exactly ⌈log2 P⌉·g(m) + ⌊log2 P⌋·L, as a simulation of its
//! messages confirms (`sim/network/endpoint/tests.rs`).

use super::{BASE, rendezvous, segmented};
use crate::model::prelude::*;

const CORRECTED_SOURCE: &str = "netsig, after Barchet-Steffenel and Mounié 2005 (RenPar), Table 1";

/// Numbers of gaps and of latencies on the longest path of the tree.
struct BinomialPathCounts {
    gaps: u32,
    latencies: u32,
}

fn printed_counts(procs: Procs) -> BinomialPathCounts {
    BinomialPathCounts {
        gaps: procs.floor_log2(),
        latencies: procs.ceil_log2(),
    }
}

fn exact_counts(procs: Procs) -> BinomialPathCounts {
    BinomialPathCounts {
        gaps: procs.ceil_log2(),
        latencies: procs.floor_log2(),
    }
}

/// gaps·k·`gap` + latencies·`latency`, in k `pieces`.
fn binomial(counts: &BinomialPathCounts, pieces: u64, gap: Seconds, latency: Seconds) -> Seconds {
    gap * (f64::from(counts.gaps) * pieces as f64) + latency * f64::from(counts.latencies)
}

pub(super) const BINOMIAL: Model = Model {
    name: "binomial",
    formula: "T = ⌊log2 P⌋·g(m) + ⌈log2 P⌉·L",
    domain: "Exact for powers of two. For other P the print has floor and ceiling interchanged and is no bound: binomial_exact is right. One of the two that the source recommends.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B", 0.002_911_44, (24, 65536)),
    time: |inputs| {
        inputs.evaluate_plogp(|net, procs, size| binomial(&printed_counts(procs), 1, net.g(size), net.latency()))
    },
    ..BASE
};

pub(super) const BINOMIAL_EXACT: Model = Model {
    name: "binomial_exact",
    corrects: Some("binomial"),
    formula: "T = ⌈log2 P⌉·g(m) + ⌊log2 P⌋·L",
    source: CORRECTED_SOURCE,
    domain: "Time of the truncated binomial tree in pLogP for every P; deviates from the print.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B", 0.003_526_8, (24, 65536)),
    time: |inputs| {
        inputs.evaluate_plogp(|net, procs, size| binomial(&exact_counts(procs), 1, net.g(size), net.latency()))
    },
    ..BASE
};

pub(super) const RENDEZVOUS: Model = Model {
    name: "binomial_rdv",
    formula: "T = ⌊log2 P⌋·g(m) + ⌈log2 P⌉·(2·g(1) + 3·L)",
    domain: "As binomial, with rendezvous at each level; the same remark holds.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B", 0.003_511_54, (24, 65536)),
    time: |inputs| {
        inputs.evaluate_plogp(|net, procs, size| binomial(&printed_counts(procs), 1, net.g(size), rendezvous(net)))
    },
    ..BASE
};

pub(super) const RENDEZVOUS_EXACT: Model = Model {
    name: "binomial_rdv_exact",
    corrects: Some("binomial_rdv"),
    formula: "T = ⌈log2 P⌉·g(m) + ⌊log2 P⌋·(2·g(1) + 3·L)",
    source: CORRECTED_SOURCE,
    domain: "binomial_rdv with floor and ceiling in the right places; deviates from the print.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B", 0.004_006_88, (24, 65536)),
    time: |inputs| {
        inputs.evaluate_plogp(|net, procs, size| binomial(&exact_counts(procs), 1, net.g(size), rendezvous(net)))
    },
    ..BASE
};

pub(super) const SEGMENTED: Model = Model {
    name: "binomial_seg",
    formula: "T = ⌊log2 P⌋·g(s)·k + ⌈log2 P⌉·L, k = ⌈m/s⌉",
    domain: "As binomial, in segments, stored and forwarded level by level; the same remark holds. The gap of a segment is at least os(s), or(s), and the share of a segment in what the wire needs for m.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B, s = 8192 B", 0.003_191_44, (24, 65536)).in_segments(8192),
    time: |inputs| {
        segmented(inputs, |procs, pieces, gap, latency| {
            binomial(&printed_counts(procs), pieces, gap, latency)
        })
    },
    ..BASE
};

pub(super) const SEGMENTED_EXACT: Model = Model {
    name: "binomial_seg_exact",
    corrects: Some("binomial_seg"),
    formula: "T = ⌈log2 P⌉·g(s)·k + ⌊log2 P⌋·L, k = ⌈m/s⌉",
    source: CORRECTED_SOURCE,
    domain: "binomial_seg with floor and ceiling in the right places; deviates from the print. The gap of a segment is at least os(s), or(s), and the share of a segment in what the wire needs for m.",
    example: WorkedExample::on_toy("P = 24, m = 65536 B, s = 8192 B", 0.003_876_8, (24, 65536)).in_segments(8192),
    time: |inputs| {
        segmented(inputs, |procs, pieces, gap, latency| {
            binomial(&exact_counts(procs), pieces, gap, latency)
        })
    },
    ..BASE
};
