//! Position of a case relative to the measurements, and reasons why it is too far from them.

use netsig_base::units::{Bytes, Procs};

use super::domain::MeasuredDomain;
use super::prediction::PredictionStanding;
use super::saturation::Saturation;

/// Reason why a case is outside the measured range.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum OutsideDomain {
    /// More than four times the largest measured process count.
    #[display("more than {FAR} times the {most} processes that were measured")]
    Processes {
        /// Largest measured process count.
        most: Procs,
    },
    /// No message of this protocol was measured.
    #[display("the MPI library changes its protocol at {limit}, and nothing was measured on that side")]
    Protocol {
        /// Size at which the protocol changes.
        limit: Bytes,
    },
    /// More than four times the largest measured size.
    #[display("more than {FAR} times the {largest} that were measured")]
    Size {
        /// Largest measured size.
        largest: Bytes,
    },
    /// The growth with n is unknown: only one process count was measured.
    #[display("{only} is the only process count that was measured, so that growth with the processes is unknown")]
    Growth {
        /// The measured process count.
        only: Procs,
    },
    /// γ still grows with n.
    #[display("up to {most} processes do not saturate the network, so that the time of more is not known")]
    Unsaturated {
        /// Largest measured process count.
        most: Procs,
    },
}

/// Treatment of cases that are too far from the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtrapolationRule {
    /// They have no time.
    Refused,
    /// They have one, with a warning.
    Extrapolated,
}

/// Largest ratio of a case to the largest measured process count, and to the largest size.
pub const FAR: u32 = 4;

impl MeasuredDomain {
    /// Position of a case relative to the measurements.
    pub(crate) fn standing(&self, procs: Procs, size: Bytes) -> PredictionStanding {
        if matches!(self.saturation, Saturation::From(saturated) if procs < saturated) {
            return PredictionStanding::Unsaturated;
        }
        let measured = self.procs.first().is_some_and(|&least| procs >= least)
            && self.procs.last().is_some_and(|&most| procs <= most)
            && (self.smallest..=self.largest).contains(&size);
        if measured {
            PredictionStanding::Interpolated
        } else {
            PredictionStanding::Extrapolated
        }
    }

    /// Reason why a case is too far from the measurements, if it is.
    pub fn reason_outside(&self, procs: Procs, size: Bytes) -> Option<OutsideDomain> {
        let most = *self.procs.last()?;
        if self.saturation == Saturation::NotReached && procs > most {
            return Some(OutsideDomain::Unsaturated { most });
        }
        if let [only] = self.procs[..]
            && procs != only
        {
            return Some(OutsideDomain::Growth { only });
        }
        self.too_far(procs, size)
    }

    /// Reason why a case is too far from the measurements if the growth with the processes is known.
    pub(crate) fn too_far(&self, procs: Procs, size: Bytes) -> Option<OutsideDomain> {
        let most = *self.procs.last()?;
        if procs.get() > most.get().saturating_mul(FAR) {
            return Some(OutsideDomain::Processes { most });
        }
        let largest = self.largest;
        (size.0 > largest.0.saturating_mul(FAR.into())).then_some(OutsideDomain::Size { largest })
    }
}
