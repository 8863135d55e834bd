//! Throughput under contention: the contention-free bound with a mixed gap per byte.
//!
//! # Formula
//! `β = (1−ρ)·β_F + ρ·β_C`, and T = (n−1)·(α + β·m) with that β. `β_F` is the gap per byte
//! of an undisturbed connection, `β_C` that of one delayed by contention (both in seconds
//! per byte), ρ the share of delayed connections, m bytes per destination.
//!
//! # Domain
//! Large messages only: on the Gigabit Ethernet it was made for, times are linear in m from
//! 64 KiB on. ρ = 0.5 ("at most one of each two connections" is delayed) is the paper's.
//!
//! # Where the publication disagrees with itself
//! *ρ.* On the same Gigabit Ethernet, Steffenel 2006 fits γ = 4.3628. The mix reaches
//! `β = γ·β_F` with `ρ = (γ−1)/(β_C/β_F − 1)` = 0.374 ([`rho_of_gamma`]), not with the 0.5
//! of his throughput approach, whose time per byte is 26 % more.
//!
//! *The contended gap.* With the printed gaps a delayed connection takes 10.0 times as long
//! as a free one, while the text has "almost six times longer", which can only be meant
//! against the average. `1/β_F` is 941 Mbit/s, what TCP carries over Gigabit Ethernet, but
//! `1/β_C` is 94.1 Mbit/s, what it carries over Fast Ethernet: the delay may have been a
//! slow hop. So `β_C` is data here, and need not exceed `β_F`.
//!
//! # Source
//! Steffenel 2006 (INRIA report) §6, eq. 3.
//!
//! ```
//! # use netsig_core::model::{hockney::Hockney, throughput::Throughput};
//! # use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};
//! let free = Hockney::new(Seconds(5e-5), SecondsPerByte(8.502e-9))?;
//! let model = Throughput::new(&free, SecondsPerByte(8.498189e-8), 0.5)?;
//! assert!((model.gap().0 / 4.6741945e-8 - 1.0).abs() < 1e-12);
//! let time = model.alltoall(Procs::new(40)?, Bytes(1 << 20));
//! assert!((time.0 / 1.91343678709248 - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::hockney::Hockney;
use crate::units::parameter::{ParameterError, finite, non_negative};
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

/// α, `β_F`, `β_C` and ρ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throughput {
    /// α and `β_F`.
    base: Hockney,
    /// `β_C`.
    beta_contended: SecondsPerByte,
    /// ρ.
    rho: f64,
}

impl Throughput {
    /// A network with α and `β_F` of `base`, of whose connections the share `rho` has the gap
    /// `beta_contended`.
    ///
    /// # Errors
    /// If the gap is negative or not finite, or `rho` not between 0 and 1.
    pub fn new(
        base: &Hockney,
        beta_contended: SecondsPerByte,
        rho: f64,
    ) -> Result<Self, ParameterError> {
        non_negative("beta_contended", beta_contended.0)?;
        if !(0.0..=1.0).contains(&rho) {
            return Err(ParameterError::new("rho", rho, "between 0 and 1"));
        }
        Ok(Self {
            base: *base,
            beta_contended,
            rho,
        })
    }

    /// The mixed gap β.
    pub fn gap(&self) -> SecondsPerByte {
        SecondsPerByte((1.0 - self.rho) * self.base.beta().0 + self.rho * self.beta_contended.0)
    }

    /// The all-to-all with `size` bytes per destination: (n − 1)·(α + β·m).
    pub fn alltoall(&self, procs: Procs, size: Bytes) -> Seconds {
        (self.base.alpha() + self.gap() * size) * procs.partners()
    }
}

/// The ρ whose mix is `γ·β_F`: `(γ−1)/(β_C/β_F − 1)`. Outside 0 to 1 it says that no mix of
/// the two gaps is that slow, or that fast.
///
/// # Errors
/// If a parameter is not finite, a gap is negative, or the gaps are too close to tell.
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

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: SecondsPerByte = SecondsPerByte(8.502e-9);
    const CONTENDED: SecondsPerByte = SecondsPerByte(8.498_189e-8);

    #[track_caller]
    fn assert_close(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value / expected - 1.0).abs() < tolerance,
            "{value} not {expected}"
        );
    }

    fn model(rho: f64) -> Result<Throughput, ParameterError> {
        Throughput::new(&Hockney::new(Seconds(5e-5), FREE)?, CONTENDED, rho)
    }

    /// The printed 4.6742e-8 s/B, and values computed outside netsig.
    #[test]
    fn printed_and_worked_values() {
        let half = model(0.5).unwrap();
        assert_close(half.gap().0, 4.6742e-8, 1e-5);
        let time = half.alltoall(Procs::new(40).unwrap(), Bytes(1 << 20));
        assert_close(time.0, 1.913_436_787_092_48, 1e-12);
        let rho = rho_of_gamma(4.3628, FREE, CONTENDED).unwrap();
        assert_close(rho, 0.373_830_631_817_069_9, 1e-12);
    }

    #[test]
    fn the_mix_at_the_rho_of_gamma_is_gamma_times_as_slow() {
        for gamma in [1.0, 1.5, 4.3628, 9.9] {
            let rho = rho_of_gamma(gamma, FREE, CONTENDED).unwrap();
            assert_close(model(rho).unwrap().gap().0, gamma * FREE.0, 1e-12);
        }
        assert!(rho_of_gamma(11.0, FREE, CONTENDED).unwrap() > 1.0);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for rho in [-0.1, 1.1, f64::NAN] {
            assert!(model(rho).is_err(), "{rho}");
        }
        let error = rho_of_gamma(2.0, FREE, FREE).unwrap_err();
        assert_eq!(
            error.to_string(),
            "beta_contended = 0.000000008502 is not allowed; it must be different from beta_free"
        );
        assert!(rho_of_gamma(f64::NAN, FREE, CONTENDED).is_err());
    }
}
