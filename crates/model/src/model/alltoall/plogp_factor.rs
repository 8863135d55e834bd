//! `plogp_factor`: the contention factor of the PPAM paper, a point between `contention_free` and
//! `plogp_receive_bound` or beyond, and a supplement for large messages.
//!
//! # Symbols
//! γ is a pure number: 0 is the contention-free network, 1 the network whose nodes send and receive
//! in turns. `δ_P` in seconds. γ over 1 is legal: the paper says that the real time may exceed the
//! upper bound, and prints 3/2 for Myrinet and 9/2 for Gigabit Ethernet. This γ differs from the γ
//! of `plogp_overhead_factor`: Fast Ethernet has γ = 1/10 beside a δ in PPAM and γ = 1/5 without a δ in
//! RenPar. The two coincide only where os = g and δ is absent. Both differ from the γ of a
//! contention signature, which multiplies the lower bound itself.
//!
//! # Where the publication disagrees with itself
//! The formula line adds (P−1)·δ; the text calibrates "δP = 7 ms∗P" for Fast and "δP = 9 ms∗P" for
//! Gigabit Ethernet. The text may mean that the whole supplement is c·P (`plogp_factor`, the
//! default), the formula that it is c·(P−1) (`plogp_factor_per_peer`); the two differ by 1/P.
//! In a third reading c·P is the δ of the formula, in total (P−1)·c·P. The paper's own figure
//! excludes this reading. 24 processes would add 24·23·7 ms = 3.86 s to the 1.93 s that 23 MiB take
//! at 100 Mbit/s, but its axis ends at 4.5 s; 10 processes on Gigabit Ethernet would add 0.81 s,
//! but the axis ends at 0.45 s. The first two readings also agree with the 8.23 ms per process that
//! Steffenel 2006 found on Fast Ethernet.
//!
//! δ is for messages "larger than 2 kB", m > M, unlike the m ≥ M in the equations of later
//! signatures.
//!
//! # Domain
//! Direct exchange on a network under the load at which γ was fitted.

use super::contention_free::{CONTENTION_FREE, paced};
use super::{GAMMA, THRESHOLD};
use crate::model::prelude::*;

const DELTA_P: ModelParameter = ModelParameter {
    name: "delta_per_process_s",
    meaning: "supplement δ_P for each process above M",
    role: ParameterRole::Supplement,
    default: Some(0.0),
};

/// (P−1)·(g(m) + or(m)·γ) + L, plus `δ_P`·`times`(P) for m > M.
fn supplemented(inputs: &FormulaInputs, times: fn(Procs) -> f64) -> Result<ModelTime, ModelError> {
    let (gamma, delta) = (inputs.finite(0)?, Seconds(inputs.finite(1)?));
    let threshold = inputs.threshold(2)?;
    inputs.evaluate_plogp(|net, procs, size| {
        let is_due = threshold.is_some_and(|threshold| size > threshold);
        let supplements = if is_due { times(procs) } else { 0.0 };
        paced(net, procs, net.g(size) + net.or(size) * gamma) + delta * supplements
    })
}

pub(super) const PLOGP_FACTOR: Model = Model {
    name: "plogp_factor",
    formula: "T = (P−1)·(g(m) + or(m)·γ) + L + P·δ_P·[m > M]",
    source: "Barchet-Steffenel and Mounié 2005 (PPAM), section 4.1",
    domain: "γ places the time between contention_free and plogp_receive_bound; more than 1 is legal. The total \
             supplement is P·δ_P as the text calibrates it. Its γ is not that of plogp_overhead_factor.",
    parameters: &[GAMMA, DELTA_P, THRESHOLD],
    estimator: ModelEstimator::ByRole,
    example: WorkedExample::on_toy(
        "P = 24, m = 1 MiB, γ = 1/10, δ_P = 7 ms, M = 2 KiB",
        0.421_524_904,
        (24, 1 << 20),
    )
    .with_values(&[0.1, 0.007, 2048.0]),
    time: |inputs| supplemented(inputs, |procs| f64::from(procs.get())),
    kind: ModelKind::Contention,
    ..CONTENTION_FREE
};

pub(super) const DELTA_PER_PEER: Model = Model {
    name: "plogp_factor_per_peer",
    formula: "T = (P−1)·(g(m) + or(m)·γ) + L + (P−1)·δ_P·[m > M]",
    domain: "As plogp_factor, with the supplement of the formula line in place of the text's.",
    example: PLOGP_FACTOR.example.with_expected(0.414_524_904),
    time: |inputs| supplemented(inputs, Procs::partners),
    ..PLOGP_FACTOR
};
