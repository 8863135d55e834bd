//! `message_clement`: a shared network, whose gap per byte grows with the number of sharers.
//!
//! # Source
//! M. Clement, M. Steed, P. Crandall, Supercomputing 1996, as quoted by Steffenel 2006 (INRIA
//! report) eq. 2, T = l + bγ/W, and by Steffenel, Martinasso, Trystram 2007 (GPC) eq. 3.
//! This γ counts processes, unlike the ratios that other models call γ.

use super::hockney::HOCKNEY;
use crate::model::prelude::*;

pub(super) const CLEMENT: Model = Model {
    name: "message_clement",
    kind: ModelKind::Contention,
    formula: "t = α + β·m·γ, γ processes on a shared medium",
    source: "Clement et al. 1996; Steffenel 2006, eq. 2; Steffenel et al. 2007, eq. 3",
    domain: "All processes communicate at once.",
    parameters: &[ModelParameter::given(
        "gamma",
        "number of processes that share the medium",
        None,
    )],
    example: WorkedExample::on_network(
        ExampleNetwork::Hockney(5e-5, 1e-7),
        "α = 50 µs, β = 100 ns/B, m = 10000 B, γ = 8",
        0.008_05,
        (2, 10_000),
    )
    .with_values(&[8.0]),
    time: |inputs| {
        let sharers = inputs.non_negative(0)?;
        inputs.evaluate_hockney(|base, _, size| base.alpha() + base.beta() * size * sharers)
    },
    ..HOCKNEY
};
