//! `clement`: a shared medium, whose gap per byte grows with the number of sharers.
//!
//! # Domain
//! A shared medium such as Ethernet without switches, and only while all processes communicate at
//! once, as they do in every round of direct exchange. On switches, `sharing` below 1 is the
//! fraction of the processes that meet on a link.
//!
//! # Source
//! As `message_clement`. The papers give the time of one message; the all-to-all of n − 1 rounds
//! and the parameter `sharing` are netsig's.

use super::hockney::HOCKNEY;
use crate::model::prelude::*;

pub(super) const CLEMENT: Model = Model {
    name: "clement",
    formula: "T = (n−1)·(α + β·m·γ), γ = sharing·n",
    source: "Clement et al. 1996, as quoted in Steffenel 2006, eq. 2",
    domain: "A shared medium on which all communicate at once; literally γ is the number of \
             processes (sharing = 1), fitted it is the effective number.",
    parameters: &[ModelParameter {
        name: "sharing",
        meaning: "effective share of the processes that share the medium, γ = sharing·n",
        role: ParameterRole::Linear(0.0),
        default: Some(1.0),
    }],
    estimator: ModelEstimator::ByRole,
    example: WorkedExample::on_network(
        ROUND_NUMBERS,
        "n = 8, m = 10000 B, α = 50 µs, β = 10 ns/B, sharing = 1",
        0.005_95,
        (8, 10_000),
    )
    .with_values(&[1.0]),
    time: |inputs| {
        let share = inputs.non_negative(0)?;
        inputs.evaluate_hockney(|base, procs, size| {
            let sharers = share * f64::from(procs.get());
            (base.alpha() + base.beta() * size * sharers) * procs.partners()
        })
    },
    kind: ModelKind::Contention,
    ..HOCKNEY
};
