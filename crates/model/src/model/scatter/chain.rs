//! `chain`: each process keeps its block and passes the rest to the next.

use super::BASE;
use crate::model::prelude::*;

pub(super) const CHAIN: Model = Model {
    name: "chain",
    formula: "T = Σ_{j=1…P−1} g(j·m) + (P−1)·L",
    domain: "Each keeps its block and passes the rest on; exact in pLogP.",
    example: WorkedExample::on_toy("P = 24, m = 4096 B", 0.012_684_96, (24, 4096)),
    time: |inputs| {
        inputs.evaluate_plogp(|net, procs, size| {
            net.sum_of_gaps(size, procs.get() - 1) + net.latency() * procs.partners()
        })
    },
    ..BASE
};
