//! Contention factors: a point between, or beyond, the pLogP bounds of all-to-all.
//!
//! # Formula
//! P processes, m bytes per destination, [·] = 1 where the condition holds:
//!
//! | model | T(P, m) |
//! |---|---|
//! | [`Factor001`] | `(P−1)·(g(m) + or(m)·γ) + L + δ_P·[m > M]` |
//! | [`Factor003`] | `(P−1)·(g(m) + (os(m) + or(m) − g(m))·γ) + L` |
//!
//! Both are lower + (upper − lower)·γ between the bounds of [`alltoall`](super::alltoall),
//! γ a pure number: 0 is the contention-free network, 1 the one whose nodes send and receive
//! in turns. `δ_P` (seconds) is c·P, or c·(P−1), with c the δ of one process. One process
//! needs no time.
//!
//! # Where the publications disagree
//! *γ.* The later paper has another upper bound and a δ; the factors are not
//! interchangeable. Fast Ethernet has γ = 1/10 beside a δ in PPAM and γ = 1/5 without one
//! in RenPar. The two models coincide only where os = g and δ is absent. Neither γ is that
//! of a contention signature, which multiplies the lower bound itself.
//!
//! *γ over 1* is legal: both papers say that the real time may exceed the upper bound. Both
//! print 3/2 for Myrinet, and PPAM 9/2 for Gigabit Ethernet.
//!
//! *The total* `δ_P`. The formula line of PPAM adds (P−1)·δ; its text calibrates "δP =
//! 7 ms∗P" for Fast and "δP = 9 ms∗P" for Gigabit Ethernet. The text may mean that the whole
//! supplement is c·P (the default), the formula that it is c·(P−1), which is 1/P apart.
//! Thirdly, c·P could be the δ of the formula, in total (P−1)·c·P. The paper's own figure
//! excludes this: 24 processes would add 24·23·7 ms = 3.86 s to the 1.93 s that 23 MiB take
//! at 100 Mbit/s, but its axis ends at 4.5 s; 10 processes on Gigabit Ethernet would add
//! 0.81 s, but the axis ends at 0.45 s. The first two readings also agree with the 8.23 ms
//! per process that Steffenel 2006 found on Fast Ethernet.
//!
//! *m > M.* The δ of PPAM is for messages "larger than 2 kB", so its threshold is
//! [`Threshold::Above`] 2048 bytes, unlike the m ≥ M in the equations of later signatures.
//!
//! # Domain
//! Direct exchange on a network as loaded as the one γ was fitted on. Where os + or < g the
//! bounds of RenPar change places ([`are_bounds_degenerate`]): [`Factor003`] then predicts
//! less time for more contention, with a large γ even a negative one.
//!
//! # Source
//! Barchet-Steffenel and Mounié 2005 (PPAM) §4.1, "001" in names, and 2005 (RenPar) §5.1,
//! "003". PPAM is the later paper and the default.
//!
//! ```
//! # use netsig_core::model::{Threshold, contention_factor::{DeltaForm, Factor001}};
//! # use netsig_core::model::plogp::{PLogP, Parameters};
//! # use netsig_core::units::table::Table;
//! # use netsig_core::units::{Bytes, Procs, Seconds};
//! # let line = |at_zero: f64, at_16_mib: f64| {
//! #     Table::new("g", vec![(Bytes(0), Seconds(at_zero)), (Bytes(1 << 24), Seconds(at_16_mib))])
//! # };
//! # let network = PLogP::new(Parameters {
//! #     latency: Seconds(5e-5),
//! #     gap: line(1e-5, 0.16778216)?,
//! #     send_overhead: line(5e-6, 0.06711386400000001)?,
//! #     receive_overhead: line(6e-6, 0.08389208000000001)?,
//! # })?;
//! // γ and δ of Fast Ethernet, on a network with g(m) = 10 µs + 10 ns/B.
//! let factor = Factor001 {
//!     gamma: 0.1,
//!     delta_per_process: Seconds(7e-3),
//!     delta_form: DeltaForm::TimesP,
//!     threshold: Some(Threshold::Above(Bytes(2048))),
//! }
//! .checked()?;
//! let time = factor.time(&network, Procs::new(24)?, Bytes(1 << 20));
//! assert!((time.0 / 0.421524904 - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`are_bounds_degenerate`]: super::alltoall::are_bounds_degenerate

use super::Threshold;
use super::alltoall::exchange;
use super::plogp::PLogP;
use crate::units::parameter::{ParameterError, finite};
use crate::units::{Bytes, Procs, Seconds};

/// How often the δ of one process is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeltaForm {
    /// P times, as the text of the PPAM paper has it (the default).
    #[default]
    TimesP,
    /// P − 1 times, as its formula has it.
    TimesPMinus1,
}

/// The contention factor of the PPAM paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor001 {
    /// γ.
    pub gamma: f64,
    /// The δ of one process.
    pub delta_per_process: Seconds,
    /// How often it is added.
    pub delta_form: DeltaForm,
    /// M; `None` stands for a network without one (then δ plays no part).
    pub threshold: Option<Threshold>,
}

/// The contention factor of the RenPar paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor003 {
    /// γ.
    pub gamma: f64,
}

impl DeltaForm {
    fn factor(self, procs: Procs) -> f64 {
        match self {
            Self::TimesP => f64::from(procs.get()),
            Self::TimesPMinus1 => procs.partners(),
        }
    }
}

impl Factor001 {
    /// The factor, if its numbers are finite.
    ///
    /// # Errors
    /// Names the parameter that is not.
    pub fn checked(self) -> Result<Self, ParameterError> {
        finite("gamma", self.gamma)?;
        finite("delta_per_process", self.delta_per_process.0)?;
        Ok(self)
    }

    /// The time of an all-to-all with `size` bytes per destination; zero for one process.
    pub fn time(&self, network: &PLogP, procs: Procs, size: Bytes) -> Seconds {
        let each = network.g(size) + network.or(size) * self.gamma;
        exchange(network, procs, each) + self.supplement(procs, size)
    }

    /// `δ_P`, where `size` is on the upper side of the threshold and there is contention.
    fn supplement(&self, procs: Procs, size: Bytes) -> Seconds {
        let is_due = self.threshold.is_some_and(|m| m.takes_in(size)) && procs.get() > 1;
        if is_due {
            self.delta_per_process * self.delta_form.factor(procs)
        } else {
            Seconds(0.0)
        }
    }
}

impl Factor003 {
    /// The factor, if it is finite.
    ///
    /// # Errors
    /// If it is not.
    pub fn checked(self) -> Result<Self, ParameterError> {
        finite("gamma", self.gamma)?;
        Ok(self)
    }

    /// The time of an all-to-all with `size` bytes per destination; zero for one process.
    pub fn time(&self, network: &PLogP, procs: Procs, size: Bytes) -> Seconds {
        let gap = network.g(size);
        let serialised = network.os(size) + network.or(size);
        exchange(network, procs, gap + (serialised - gap) * self.gamma)
    }
}

#[cfg(test)]
mod tests {
    use super::super::alltoall::{contention_001, free, upper_003};
    use super::super::hockney::Hockney;
    use super::super::samples::{affine, assert_close, procs, stepped};
    use super::*;
    use crate::units::SecondsPerByte;

    const MIB: Bytes = Bytes(1 << 20);

    fn factor_001(gamma: f64, delta: f64, delta_form: DeltaForm) -> Factor001 {
        let factor = Factor001 {
            gamma,
            delta_per_process: Seconds(delta),
            delta_form,
            threshold: Some(Threshold::Above(Bytes(2048))),
        };
        factor.checked().unwrap()
    }

    /// Reference values computed outside netsig from the printed formulas.
    #[test]
    fn worked_values_of_the_factors() {
        let value = |factor: Factor001| factor.time(&affine(), procs(24), MIB);
        assert_close(
            value(factor_001(0.1, 7e-3, DeltaForm::TimesP)),
            0.421_524_904,
        );
        assert_close(
            value(factor_001(0.1, 7e-3, DeltaForm::TimesPMinus1)),
            0.414_524_903_999_999_97,
        );
        assert_close(
            value(factor_001(1.5, 0.0, DeltaForm::TimesP)),
            0.422_538_840_000_000_1,
        );
        let low = Factor003 { gamma: 0.2 }.time(&stepped(), procs(24), MIB);
        assert_close(low, 0.188_66);
    }

    #[test]
    fn a_factor_of_0_is_the_lower_bound_and_of_1_the_upper() {
        for network in [affine(), stepped()] {
            for size in [0, 100, 8192, 1 << 20].map(Bytes) {
                let five = procs(5);
                let later =
                    |gamma| factor_001(gamma, 0.0, DeltaForm::TimesP).time(&network, five, size);
                let earlier = |gamma| Factor003 { gamma }.time(&network, five, size);
                assert_eq!(later(0.0), free(&network, five, size));
                assert_eq!(earlier(0.0), free(&network, five, size));
                assert_close(later(1.0), contention_001(&network, five, size).0);
                assert_close(earlier(1.0), upper_003(&network, five, size).0);
            }
        }
    }

    #[test]
    fn the_factors_coincide_where_os_is_g_and_delta_is_absent() {
        let hockney = Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8)).unwrap();
        let network = PLogP::from_hockney(&hockney);
        let later = factor_001(1.5, 0.0, DeltaForm::TimesP).time(&network, procs(24), MIB);
        let earlier = Factor003 { gamma: 1.5 }.time(&network, procs(24), MIB);
        assert_close(later, earlier.0);
    }

    #[test]
    fn delta_is_for_messages_larger_than_the_threshold_among_two_or_more() {
        let factor = factor_001(0.1, 7e-3, DeltaForm::TimesP);
        let without = factor_001(0.1, 0.0, DeltaForm::TimesP);
        let delta = |count, size| {
            let [a, b] = [factor, without].map(|f| f.time(&affine(), procs(count), Bytes(size)));
            a - b
        };
        assert_eq!(delta(24, 2048), Seconds(0.0));
        assert!((delta(24, 2049).0 / 0.168 - 1.0).abs() < 1e-12);
        assert_eq!(factor.time(&affine(), procs(1), MIB), Seconds(0.0));
    }

    #[test]
    fn impossible_factors_are_refused() {
        let infinite = Factor003 {
            gamma: f64::INFINITY,
        };
        assert!(infinite.checked().is_err());
        let error = Factor001 {
            delta_per_process: Seconds(f64::NAN),
            ..factor_001(0.1, 0.0, DeltaForm::TimesP)
        };
        assert_eq!(
            error.checked().unwrap_err().to_string(),
            "delta_per_process = NaN is not allowed; it must be finite"
        );
    }
}
