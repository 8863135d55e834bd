//! `chain`: each process keeps its block and passes the rest to the next.

use super::BASE;
use crate::model::entry::Model;
use crate::model::examples::{case, on_toy};
use crate::model::plogp::PLogP;
use crate::units::{Bytes, Procs, Seconds};

/// Σ g(j·m) for j = 1 … P−1, + (P−1)·L.
fn chain(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    net.sum_of_gaps(size, procs.get() - 1) + net.latency() * procs.partners()
}

pub(super) const CHAIN: Model = Model {
    name: "chain",
    formula: "T = Σ_{j=1…P−1} g(j·m) + (P−1)·L",
    domain: "Each keeps its block and passes the rest on; exact in pLogP.",
    example: on_toy("P = 24, m = 4096 B", 0.012_684_96, || case(24, 4096)),
    time: |inputs| inputs.by_plogp(chain),
    ..BASE
};
