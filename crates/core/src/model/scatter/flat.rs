//! `flat`: the root sends each process its block.

use super::BASE;
use crate::model::entry::Model;
use crate::model::examples::{case, on_toy};
use crate::model::plogp::PLogP;
use crate::units::{Bytes, Procs, Seconds};

/// (P−1)·g(m) + L.
fn flat(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    net.g(size) * procs.partners() + net.latency()
}

pub(super) const FLAT: Model = Model {
    name: "flat",
    formula: "T = (P−1)·g(m) + L",
    domain: "The root sends each block to its rank, one after the other; its own block stays.",
    example: on_toy("P = 8, m = 1000 B", 0.000_19, || case(8, 1000)),
    time: |inputs| inputs.by_plogp(flat),
    ..BASE
};
