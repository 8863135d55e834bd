//! `hockney`: the contention-free time, and the lower bound of Proposition 1.

use crate::algorithm::Collective;
use crate::model::entry::Model;
use crate::model::examples::{case, hockney, on_hockney};
use crate::model::hockney::Hockney;
use crate::model::words::{Estimator, Kind, Need, Subject};

pub(super) const HOCKNEY: Model = Model {
    name: "hockney",
    subject: Subject::Collective(Collective::Alltoall),
    kind: Kind::ContentionFree,
    formula: "T = (n−1)·(α + β·m)",
    source: "Steffenel 2006, eq. 1 and Proposition 1",
    domain: "The lower bound for one port and full duplex if nobody forwards; direct exchange \
             attains it where there is no contention. Algorithms that relay blocks, such as \
             two-phase, may need fewer start-ups. Too high for small messages whose start-ups overlap.",
    needs: &[Need::Hockney],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: on_hockney(
        "n = 4, m = 1000 B, α = 50 µs, β = 10 ns/B",
        0.000_18,
        || hockney(5e-5, 1e-8),
        || case(4, 1000),
    ),
    time: |inputs| inputs.by_hockney(Hockney::alltoall),
};
