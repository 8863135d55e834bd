//! `agarwal`: contention in a k-ary n-cube, as waiting time and latency of a message in cycles.
//!
//! # Symbols
//! w is the waiting time of a message at a hop and `T_c` its latency, both in cycles of the
//! network; ρ is the utilisation of a channel, B the length of the message in flits, n the number
//! of dimensions, `k_d` the mean number of hops in each. A ring of k nodes in one direction has
//! `k_d = (k−1)/2`.
//!
//! # Domain
//! Wormhole routing, uniform destinations, 0 ≤ ρ < 1. Where `k_d` is below 1 the
//! formula would give a negative wait; it is 0 there. This is a model of a message under a
//! known load, not of an all-to-all.
//!
//! # Source
//! A. Agarwal, IEEE Transactions on Parallel and Distributed Systems 2(4), 1991, eq. 12.
//! LoGPC (C. A. Moritz and M. I. Frank 2001), which Steffenel 2006 (INRIA report) quotes, builds on
//! this formula; LoGPC's own formula differs and is not in netsig.

use std::num::NonZeroU32;

use super::hockney::HOCKNEY;
use crate::model::prelude::*;

/// `w = ρB/(1−ρ) · (k_d−1)/k_d² · (1 + 1/n)` cycles at a hop, at least 0.
pub fn waiting(utilisation: f64, flits: f64, dimensions: NonZeroU32, mean_hops: f64) -> f64 {
    if mean_hops <= 1.0 {
        return 0.0;
    }
    let load = utilisation * flits / (1.0 - utilisation);
    let hops = (mean_hops - 1.0) / mean_hops.powi(2);
    load * hops * (1.0 + 1.0 / f64::from(dimensions.get()))
}

/// `T_c = (1 + w)·n·k_d + B`: from the first flit sent to the last one received.
fn latency(utilisation: f64, flits: f64, dimensions: NonZeroU32, mean_hops: f64) -> f64 {
    let wait = waiting(utilisation, flits, dimensions, mean_hops);
    (1.0 + wait) * f64::from(dimensions.get()) * mean_hops + flits
}

pub(super) const AGARWAL: Model = Model {
    name: "agarwal",
    kind: ModelKind::Contention,
    formula: "T_c = (1+w)·n·k_d + B, w = (ρB/(1−ρ))·((k_d−1)/k_d²)·(1+1/n), in cycles",
    source: "Agarwal 1991, eq. 12",
    domain: "A k-ary n-cube of channel utilisation ρ < 1. LoGPC builds on it, but is not it.",
    needs: &[],
    parameters: &[
        ModelParameter::given("rho", "channel utilisation ρ", None),
        ModelParameter::given("flits", "message length B in flits", None),
        ModelParameter::given("dimensions", "n", None),
        ModelParameter::given("hops", "mean hops per dimension k_d", None),
    ],
    example: WorkedExample {
        unit: "cycles",
        values: &[0.5, 16.0, 2.0, 4.0],
        ..WorkedExample::on_network(ROUND_NUMBERS, "ρ = 0.5, B = 16 flits, n = 2, k_d = 4", 60.0, (2, 1000))
    },
    time: cycles,
    ..HOCKNEY
};

/// The latency, in cycles in place of seconds.
fn cycles(inputs: &FormulaInputs) -> Result<ModelTime, ModelError> {
    let dimensions = inputs.count(2)?;
    let rho = inputs.checked_value(0, "at least 0 and less than 1", |rho| (0.0..1.0).contains(rho))?;
    let (flits, hops) = (inputs.non_negative(1)?, inputs.non_negative(3)?);
    Ok(Seconds(latency(rho, flits, dimensions, hops)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loaded_cube_never_waits_less_than_nothing() {
        let three = NonZeroU32::new(3).unwrap();
        for hops in [0.0, 0.5, 1.0] {
            assert!((latency(0.9, 8.0, three, hops) - (3.0 * hops + 8.0)).abs() < 1e-12);
        }
    }
}
