//! `binary`: each process passes the message on to two others.

use super::BASE;
use crate::model::prelude::*;

pub(super) const BINARY: Model = Model {
    name: "binary",
    kind: ModelKind::UpperBound,
    formula: "T ≤ ⌈log2 P⌉·(2·g(m) + L)",
    domain: "Each passes the message on to two; an upper bound as printed.",
    example: WorkedExample::on_toy("P = 8, m = 4096 B", 0.000_455_76, (8, 4096)),
    time: |inputs| {
        inputs.evaluate_plogp(|net, procs, size| (net.g(size) * 2.0 + net.latency()) * f64::from(procs.ceil_log2()))
    },
    ..BASE
};
