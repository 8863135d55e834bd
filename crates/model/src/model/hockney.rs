//! Hockney's model of a point-to-point message, and its lower bound for all-to-all.
//!
//! # Formula
//! t(m) = α + β·m, with α in seconds, β in seconds per byte, m in bytes.
//! All-to-all among n processes in the 1-port full-duplex model:
//! T ≥ (n − 1)·(α + β·m), with m bytes per destination.
//!
//! # Domain
//! Any sizes. The bound holds if nobody forwards: algorithms that relay blocks for others, several
//! in one message, need fewer start-ups.
//!
//! # Source
//! R. W. Hockney, Parallel Computing 20(3), 1994; the bound is eq. 1 and Proposition 1
//! of Steffenel 2006 (INRIA report) and of Steffenel, Martinasso, Trystram (GPC 2007).
//! Direct exchange attains it where there is no contention.

use netsig_base::units::parameter::{ParameterError, non_negative};
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

/// Least bandwidth share, so that an empty message has a weight.
const LEAST_SHARE: f64 = 0.1;

/// Start-up time and gap per byte of a point-to-point message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hockney {
    alpha: Seconds,
    beta: SecondsPerByte,
}

impl Hockney {
    /// A model with α = `alpha` and β = `beta`.
    ///
    /// # Errors
    /// If α or β is negative or not finite.
    pub fn new(alpha: Seconds, beta: SecondsPerByte) -> Result<Self, ParameterError> {
        non_negative("alpha", alpha.0)?;
        non_negative("beta", beta.0)?;
        Ok(Self { alpha, beta })
    }

    /// The start-up time α.
    pub fn alpha(&self) -> Seconds {
        self.alpha
    }

    /// The gap per byte β; 1/β is the asymptotic bandwidth.
    pub fn beta(&self) -> SecondsPerByte {
        self.beta
    }

    /// One message of `size` bytes: α + β·m.
    pub fn time(&self, size: Bytes) -> Seconds {
        self.alpha + self.beta * size
    }

    /// The contention-free all-to-all, `size` bytes per destination: (n − 1)·(α + β·m).
    pub fn alltoall(&self, procs: Procs, size: Bytes) -> Seconds {
        self.time(size) * procs.partners()
    }

    /// Bandwidth share: the share of bytes in the contention-free time, βm/(α+βm), but at least a tenth. If it is
    /// small, the time consists of start-ups, and no model here describes their overlap. The variance of relative
    /// errors grows with the reciprocal of the share.
    pub(crate) fn bandwidth_share(&self, size: Bytes) -> f64 {
        let bytes = (self.beta * size).0;
        let time = self.time(size).0;
        if time > 0.0 {
            (bytes / time).max(LEAST_SHARE)
        } else {
            1.0
        }
    }
}
