//! `flat`: the root sends each process its block.

use super::BASE;
use crate::model::prelude::*;

pub(super) const FLAT: Model = Model {
    name: "flat",
    formula: "T = (P−1)·g(m) + L",
    domain: "The root sends each block to its rank, one after the other; its own block stays.",
    example: WorkedExample::on_toy("P = 8, m = 1000 B", 0.000_19, (8, 1000)),
    time: |inputs| inputs.evaluate_plogp(|net, procs, size| net.g(size) * procs.partners() + net.latency()),
    ..BASE
};
