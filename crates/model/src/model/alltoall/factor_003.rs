//! `factor_003`: the contention factor of the RenPar paper, a point between `free` and
//! `upper_003` or beyond.
//!
//! # Domain
//! Direct exchange on a network under the load at which γ was fitted. Where os + or < g the bounds
//! change places (see `upper_003`): the factor then predicts less time for more contention, with a
//! large γ even a negative time.

use super::GAMMA;
use super::free::{FREE, paced};
use crate::model::prelude::*;

pub(super) const FACTOR_003: Model = Model {
    name: "factor_003",
    formula: "T = (P−1)·(g(m) + (os(m)+or(m)−g(m))·γ) + L",
    source: "Barchet-Steffenel and Mounié 2005 (RenPar), section 5.1",
    domain: "γ places the time between free and upper_003; degenerate where os + or < g. \
             Its γ is not that of factor_001.",
    parameters: &[GAMMA],
    estimator: Estimator::ByRole,
    example: Example::on_toy("P = 24, m = 1 MiB, γ = 1/5", 0.236_633_630_4, (24, 1 << 20)).with(&[0.2]),
    time: |inputs| {
        let gamma = inputs.finite(0)?;
        inputs.by_plogp(|net, procs, size| {
            let (gap, serialised) = (net.g(size), net.os(size) + net.or(size));
            paced(net, procs, gap + (serialised - gap) * gamma)
        })
    },
    kind: Kind::Contention,
    ..FREE
};
