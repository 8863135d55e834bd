//! `message_plogp`: L and the gap of the message's size.

use super::hockney::HOCKNEY;
use crate::model::entry::Model;
use crate::model::examples::{case, on_hockney, toy};
use crate::model::words::Need;

pub(super) const PLOGP: Model = Model {
    name: "message_plogp",
    formula: "t = L + g(m)",
    source: "Kielmann, Bal, Verstoep 2000",
    domain: "g(m), os(m) and or(m) are tables, interpolated between their sizes.",
    needs: &[Need::PLogP],
    example: on_hockney(
        "L = 50 µs, g(m) = 10 µs + 10 ns/B·m, m = 4096 B",
        0.000_100_96,
        toy,
        || case(2, 4096),
    ),
    time: |inputs| inputs.by_plogp(|net, _, size| net.message(size)),
    ..HOCKNEY
};
