//! `message_hockney`: α and β alone.

use crate::model::prelude::*;

pub(super) const HOCKNEY: Model = Model {
    name: "message_hockney",
    formula: "t = α + β·m",
    source: "Hockney 1994; Steffenel 2006, section 4",
    domain: "A network and library whose ping-pong is a line.",
    example: WorkedExample::on_network(ROUND_NUMBERS, "α = 50 µs, β = 10 ns/B, m = 1000 B", 6e-5, (2, 1000)),
    time: |inputs| inputs.evaluate_hockney(|base, _, size| base.time(size)),
    ..Model::of_subject(ModelSubject::Message)
};
