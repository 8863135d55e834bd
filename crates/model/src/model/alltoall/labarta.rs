//! `labarta` and `labarta_total`: messages cross a network of b buses in waves of b messages.
//!
//! # Domain
//! Networks that carry a fixed number of messages at a time, each at full speed. `labarta` takes
//! the rounds of direct exchange one after the other, so the last wave of each round may be half
//! empty; `labarta_total` fills every wave but the last.
//!
//! # Source
//! J. Labarta, S. Girona, V. Pillet, T. Cortes, L. Gregoris, Euro-Par 1996, as quoted by
//! Barchet-Steffenel and Mounié 2005 (PPAM) §3 and Steffenel 2006 (INRIA report) §2. They
//! quote the waves only; both ways of applying them to all-to-all are netsig's.

use std::num::NonZeroU32;

use super::hockney::HOCKNEY;
use crate::model::prelude::*;

/// Number of waves in which N `messages` cross b `buses`: ⌈N/b⌉.
pub fn waves(messages: u64, buses: NonZeroU32) -> u64 {
    messages.div_ceil(u64::from(buses.get()))
}

/// (n−1)·⌈n/b⌉·(α + β·m).
fn round_time(base: &Hockney, procs: Procs, size: Bytes, buses: NonZeroU32) -> Seconds {
    let in_round = waves(u64::from(procs.get()), buses);
    base.alltoall(procs, size) * in_round as f64
}

/// ⌈n·(n−1)/b⌉·(α + β·m).
fn total(base: &Hockney, procs: Procs, size: Bytes, buses: NonZeroU32) -> Seconds {
    let count = u64::from(procs.get());
    base.time(size) * waves(count * (count - 1), buses) as f64
}

pub(super) const LABARTA: Model = Model {
    name: "labarta",
    formula: "T = (n−1)·⌈n/b⌉·(α + β·m)",
    source: "Labarta et al. 1996, applied to the rounds of direct exchange by netsig",
    domain: "n ready messages on b buses go in ⌈n/b⌉ waves, in every round.",
    parameters: &[ModelParameter {
        name: "buses",
        meaning: "effective number of buses b",
        role: ParameterRole::Count,
        default: None,
    }],
    estimator: ModelEstimator::ByRole,
    example: WorkedExample::on_network(
        ROUND_NUMBERS,
        "n = 8, b = 3, m = 10000 B, α = 50 µs, β = 10 ns/B",
        0.003_15,
        (8, 10_000),
    )
    .with_values(&[3.0]),
    time: |inputs| {
        let buses = inputs.count(0)?;
        inputs.evaluate_hockney(|base, procs, size| round_time(base, procs, size, buses))
    },
    kind: ModelKind::Contention,
    ..HOCKNEY
};

pub(super) const LABARTA_TOTAL: Model = Model {
    name: "labarta_total",
    formula: "T = ⌈n(n−1)/b⌉·(α + β·m)",
    domain: "All messages of the exchange on b buses at once, without rounds.",
    example: LABARTA.example.with_expected(0.002_85),
    time: |inputs| {
        let buses = inputs.count(0)?;
        inputs.evaluate_hockney(|base, procs, size| total(base, procs, size, buses))
    },
    ..LABARTA
};
