//! The contention signature (γ, δ, M) of a network under all-to-all.
//!
//! # Formula
//! With n processes, m bytes per destination, [·] = 1 where the condition holds:
//!
//! | form | T(n, m) | source |
//! |---|---|---|
//! | `full` | (n−1)·((α+βm)·γ + δ·[m≥M]) | Steffenel 2006 eq. 4–5, δ inside the bracket |
//! | `bandwidth` | (n−1)·(α + βm·γ + δ·[m≥M]) | Steffenel, Martinasso, Trystram 2007 eq. 4–5 |
//! | `full_delta_once` | (n−1)·(α+βm)·γ + δ·[m≥M] | the literal parentheses of 2006 eq. 5 |
//!
//! γ is the ratio of the real time to the contention-free bound; δ (seconds) is the additional cost
//! of each simultaneous communication of at least M bytes. For m ≥ M the first two forms are the
//! same model: δ of `bandwidth` = δ of `full` + (γ−1)·α. Below M they differ by (n−1)·(γ−1)·α.
//!
//! # Where the publications disagree
//! *γ on α or not.* The report of 2006 multiplies the whole bound, the paper of 2007 βm alone. Both define γ as the
//! ratio of the real time to the bound and find it by a regression on the bound, so `full` is the default. Both print
//! the same δ, although δ of the two forms differs by (γ−1)·α: about 0.2 ms of the 4.93 ms of Gigabit Ethernet.
//!
//! *δ once or n−1 times.* The printed parentheses of the report add δ once. Its text adds δ for each of the n−1
//! messages: "each simultaneous communication induces an overload of 8.23 ms", and δ depends on the number of
//! processes. So do the equations of 2007.
//!
//! *m ≥ M or m > M.* The equations say m ≥ M, the texts "larger than M": netsig takes m ≥ M; the
//! other reading is a threshold of M + 1 bytes.
//!
//! A signature may carry a second ratio for m < M (`gamma_below`): MPI libraries switch
//! protocol near the size where contention sets in, and one γ cannot serve both sides.
//!
//! # Domain
//! A saturated network. Steffenel reports errors "usually under 10 %" there; docs/results/real.md counts, network by
//! network, the cells of long messages with smaller errors.
//!
//! # Source
//! Steffenel 2006 (INRIA report) eq. 4–5; Steffenel, Martinasso, Trystram 2007 (GPC) eq.
//! 4–5. The second γ is netsig's.

use netsig_base::units::parameter::{ParameterError, finite};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::hockney::Hockney;

/// Position of γ and δ in the formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignatureForm {
    /// γ multiplies the whole bound (the default).
    #[default]
    Full,
    /// γ multiplies the bandwidth term alone.
    Bandwidth,
    /// As `Full`, with δ added once instead of n−1 times.
    FullDeltaOnce,
}

/// The two sides of the threshold M.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureSide {
    /// m < M, and every size where there is no M.
    Below,
    /// m ≥ M.
    AtOrAbove,
}

/// γ, δ and M on top of a contention-free model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signature {
    /// Contention-free model: α and β.
    pub base: Hockney,
    /// Position of γ and δ in the formula.
    pub form: SignatureForm,
    /// γ on the upper side of the threshold, and everywhere unless `gamma_below` is set.
    pub gamma: f64,
    /// γ on the lower side, if it differs.
    pub gamma_below: Option<f64>,
    /// δ in seconds.
    pub delta: Seconds,
    /// M; `None` for a network without a threshold, which has no δ either.
    pub threshold: Option<Bytes>,
}

impl Signature {
    /// The signature, after a check that its numbers are finite.
    ///
    /// # Errors
    /// If γ, γ below M or δ is not finite.
    pub fn checked(self) -> Result<Self, ParameterError> {
        finite("gamma", self.gamma)?;
        finite("gamma_below", self.gamma_below.unwrap_or(1.0))?;
        finite("delta_s", self.delta.0)?;
        Ok(self)
    }

    /// The side of the threshold that `size` is on.
    pub fn side(&self, size: Bytes) -> SignatureSide {
        match self.threshold {
            Some(threshold) if size >= threshold => SignatureSide::AtOrAbove,
            _ => SignatureSide::Below,
        }
    }

    /// The time of an all-to-all with `size` bytes per destination; zero for one process.
    pub fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        self.time_on(self.side(size), procs, size)
    }

    /// The time if `size` were on the given side of the threshold.
    pub fn time_on(&self, side: SignatureSide, procs: Procs, size: Bytes) -> Seconds {
        if procs.get() == 1 {
            return Seconds(0.0);
        }
        let (gamma, delta) = match side {
            SignatureSide::AtOrAbove => (self.gamma, self.delta.0),
            SignatureSide::Below => (self.gamma_below.unwrap_or(self.gamma), 0.0),
        };
        let partners = procs.partners();
        let bound = self.base.alltoall(procs, size).0;
        let start_up = self.base.alpha().0 * partners;
        Seconds(match self.form {
            SignatureForm::Full => bound * gamma + partners * delta,
            SignatureForm::Bandwidth => start_up + (bound - start_up) * gamma + partners * delta,
            SignatureForm::FullDeltaOnce => bound * gamma + delta,
        })
    }
}
