//! `binary`: each process passes the message to two.

use super::BASE;
use crate::model::entry::Model;
use crate::model::examples::{case, on_toy};
use crate::model::plogp::PLogP;
use crate::model::words::Kind;
use crate::units::{Bytes, Procs, Seconds};

/// ⌈log2 P⌉·(2·g(m) + L).
fn binary(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    (net.g(size) * 2.0 + net.latency()) * f64::from(procs.ceil_log2())
}

pub(super) const BINARY: Model = Model {
    name: "binary",
    kind: Kind::UpperBound,
    formula: "T ≤ ⌈log2 P⌉·(2·g(m) + L)",
    domain: "Each passes the message on to two; an upper bound as printed.",
    example: on_toy("P = 8, m = 4096 B", 0.000_455_76, || case(8, 4096)),
    time: |inputs| inputs.by_plogp(binary),
    ..BASE
};
