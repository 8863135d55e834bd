//! `message_hockney`: α and β alone.

use crate::model::entry::Model;
use crate::model::examples::{case, hockney, on_hockney};
use crate::model::words::{Estimator, Kind, Need, Subject};

pub(super) const HOCKNEY: Model = Model {
    name: "message_hockney",
    subject: Subject::Message,
    kind: Kind::ContentionFree,
    formula: "t = α + β·m",
    source: "Hockney 1994; Steffenel 2006, section 4",
    domain: "A network and library whose ping-pong is a line.",
    needs: &[Need::Hockney],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: on_hockney(
        "α = 50 µs, β = 10 ns/B, m = 1000 B",
        6e-5,
        || hockney(5e-5, 1e-8),
        || case(2, 1000),
    ),
    time: |inputs| inputs.by_hockney(|base, _, size| base.time(size)),
};
