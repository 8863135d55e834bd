//! `message_plogp`: latency plus the gap of the message's size.

use super::hockney::HOCKNEY;
use crate::model::examples::toy_network;
use crate::model::prelude::*;

pub(super) const PLOGP: Model = Model {
    name: "message_plogp",
    formula: "t = L + g(m)",
    source: "Kielmann, Bal, Verstoep 2000",
    domain: "g(m), os(m) and or(m) are tables, interpolated between their sizes.",
    needs: &[ModelInput::PLogP],
    example: WorkedExample::on_network(
        ExampleNetwork::Known(toy_network),
        "L = 50 µs, g(m) = 10 µs + 10 ns/B·m, m = 4096 B",
        0.000_100_96,
        (2, 4096),
    ),
    time: |inputs| inputs.evaluate_plogp(|net, _, size| net.message(size)),
    ..HOCKNEY
};
