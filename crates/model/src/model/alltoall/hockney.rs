//! `hockney`: the contention-free time, and the lower bound of Proposition 1.

use crate::model::prelude::*;

pub(super) const HOCKNEY: Model = Model {
    name: "hockney",
    formula: "T = (n−1)·(α + β·m)",
    source: "Steffenel 2006, eq. 1 and Proposition 1",
    domain: "The lower bound for one port and full duplex if nobody forwards; direct exchange \
             attains it where there is no contention. Algorithms that relay blocks, such as \
             two-phase, may need fewer start-ups. Too high for small messages whose start-ups overlap.",
    example: WorkedExample::on_network(
        ROUND_NUMBERS,
        "n = 4, m = 1000 B, α = 50 µs, β = 10 ns/B",
        0.000_18,
        (4, 1000),
    ),
    time: |inputs| inputs.evaluate_hockney(Hockney::alltoall),
    ..Model::of_subject(ModelSubject::Collective(Collective::Alltoall))
};
