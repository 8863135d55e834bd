//! `throughput`: the contention-free bound with a gap per byte that mixes free and delayed
//! connections.
//!
//! # Symbols
//! `β_F` is the gap per byte of an undisturbed connection, `β_C` that of one delayed by
//! contention (both in seconds per byte), ρ the share of delayed connections.
//!
//! # Domain
//! Large messages only: on the Gigabit Ethernet of the paper, times are linear in m from 64 KiB on.
//! The paper takes ρ = 0.5 ("at most one of each two connections" is delayed).
//!
//! # Where the publication disagrees with itself
//! *ρ.* On the same Gigabit Ethernet, Steffenel 2006 fits γ = 4.3628. The mix reaches
//! `β = γ·β_F` with `ρ = (γ−1)/(β_C/β_F − 1)` = 0.374 ([`rho_of_gamma`]), not with the 0.5
//! of his throughput approach, whose time per byte is 26 % more.
//!
//! *The contended gap.* With the printed gaps a delayed connection takes 10.0 times as long as a free one. The text
//! has "almost six times longer", which fits only the ratio to the average. `1/β_F` is 941 Mbit/s, the throughput of
//! TCP over Gigabit Ethernet, but `1/β_C` is 94.1 Mbit/s, that of TCP over Fast Ethernet: the delay may have been a
//! slow hop. `β_C` is therefore an input here, and need not exceed `β_F`.

use netsig_base::units::parameter::{ParameterError, finite, non_negative};

use super::hockney::HOCKNEY;
use crate::model::prelude::*;

/// The mixed gap (1−ρ)·`β_F` + ρ·`β_C` (eq. 3).
pub fn mixed_gap(rho: f64, free: SecondsPerByte, contended: SecondsPerByte) -> SecondsPerByte {
    SecondsPerByte((1.0 - rho) * free.0 + rho * contended.0)
}

/// The ρ whose mixed gap is `γ·β_F`: `(γ−1)/(β_C/β_F − 1)`. A result outside 0 to 1 means that no
/// mix of the two gaps is that slow, or that fast.
///
/// # Errors
/// If a parameter or ρ is not finite (ρ where the gaps are equal), or a gap is negative.
pub fn rho_of_gamma(
    gamma: f64,
    beta_free: SecondsPerByte,
    beta_contended: SecondsPerByte,
) -> Result<f64, ParameterError> {
    finite("gamma", gamma)?;
    let free = non_negative("beta_free", beta_free.0)?;
    let contended = non_negative("beta_contended", beta_contended.0)?;
    let rho = (gamma - 1.0) * free / (contended - free);
    if rho.is_finite() {
        Ok(rho)
    } else {
        let rule = "different from beta_free";
        Err(ParameterError::new("beta_contended", contended, rule))
    }
}

pub(super) const THROUGHPUT: Model = Model {
    name: crate::model::THROUGHPUT,
    formula: "T = (n−1)·(α + m·((1−ρ)·β_F + ρ·β_C)), β_F = β",
    source: "Steffenel 2006, section 6, eq. 3",
    domain: "Messages above 64 KiB. ρ = 1/2: at most one of each two connections is delayed.",
    parameters: &[
        ModelParameter {
            name: "beta_contended_s_per_byte",
            meaning: "gap of a delayed connection β_C",
            role: ParameterRole::Linear(0.0),
            default: None,
        },
        ModelParameter::given("rho", "fraction of delayed connections ρ", Some(0.5)),
    ],
    estimator: ModelEstimator::ByRole,
    example: WorkedExample::on_network(
        GIGABIT_ETHERNET,
        "n = 40, m = 1 MiB, α = 50 µs, β_F = 8.502 ns/B, β_C = 84.98189 ns/B, ρ = 1/2",
        1.913_436_787_092_48,
        (40, 1 << 20),
    )
    .with_values(&[8.498_189e-8, 0.5]),
    time: |inputs| {
        let contended = SecondsPerByte(inputs.non_negative(0)?);
        let rho = inputs.checked_value(1, "between 0 and 1", |rho| (0.0..=1.0).contains(rho))?;
        inputs.evaluate_hockney(|base, procs, size| {
            let gap = mixed_gap(rho, base.beta(), contended);
            (base.alpha() + gap * size) * procs.partners()
        })
    },
    kind: ModelKind::Contention,
    ..HOCKNEY
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_that_are_one_tell_no_rho() {
        let gap = SecondsPerByte(8.502e-9);
        let error = rho_of_gamma(2.0, gap, gap).unwrap_err();
        assert_eq!(
            error.to_string(),
            "beta_contended = 0.000000008502 is not allowed; it must be different from beta_free"
        );
    }
}
