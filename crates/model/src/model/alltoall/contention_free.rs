//! `contention_free`: the lower limit in pLogP, where sends and receives overlap.

use super::hockney::HOCKNEY;
use crate::model::prelude::*;

/// (P−1)·g(m) + L: every process sends its P − 1 blocks at the gap.
pub(super) fn contention_free(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    paced(net, procs, net.g(size))
}

/// (P−1)·`each` + L.
pub(super) fn paced(net: &PLogP, procs: Procs, each: Seconds) -> Seconds {
    each * procs.partners() + net.latency()
}

pub(super) const CONTENTION_FREE: Model = Model {
    name: "contention_free",
    formula: "T = (P−1)·g(m) + L",
    source: "Barchet-Steffenel and Mounié 2005 (PPAM) Table 1, (RenPar) Table 3",
    domain: "The lower limit in pLogP, if nobody forwards.",
    needs: &[ModelInput::PLogP],
    example: WorkedExample::on_toy("P = 24, m = 1 MiB", 0.241_452_48, (24, 1 << 20)),
    time: |inputs| inputs.evaluate_plogp(contention_free),
    ..HOCKNEY
};
