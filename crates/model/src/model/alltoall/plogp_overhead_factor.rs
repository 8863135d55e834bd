//! `plogp_overhead_factor`: the contention factor of the RenPar paper, a point between `contention_free` and
//! `plogp_overhead_bound` or beyond.
//!
//! # Domain
//! Direct exchange on a network under the load at which γ was fitted. Where os + or < g the bounds
//! change places (see `plogp_overhead_bound`): the factor then predicts less time for more contention, with a
//! large γ even a negative time.

use super::GAMMA;
use super::contention_free::{CONTENTION_FREE, paced};
use crate::model::prelude::*;

pub(super) const PLOGP_OVERHEAD_FACTOR: Model = Model {
    name: "plogp_overhead_factor",
    formula: "T = (P−1)·(g(m) + (os(m)+or(m)−g(m))·γ) + L",
    source: "Barchet-Steffenel and Mounié 2005 (RenPar), section 5.1",
    domain: "γ places the time between contention_free and plogp_overhead_bound; degenerate where os + or < g. \
             Its γ is not that of plogp_factor.",
    parameters: &[GAMMA],
    estimator: ModelEstimator::ByRole,
    example: WorkedExample::on_toy("P = 24, m = 1 MiB, γ = 1/5", 0.236_633_630_4, (24, 1 << 20)).with_values(&[0.2]),
    time: |inputs| {
        let gamma = inputs.finite(0)?;
        inputs.evaluate_plogp(|net, procs, size| {
            let (gap, serialised) = (net.g(size), net.os(size) + net.or(size));
            paced(net, procs, gap + (serialised - gap) * gamma)
        })
    },
    kind: ModelKind::Contention,
    ..CONTENTION_FREE
};
