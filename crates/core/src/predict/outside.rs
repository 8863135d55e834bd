//! How a case stands to what was measured, and why it is too far from that.

use super::Standing;
use crate::fit::domain::Domain;
use crate::fit::saturation::Saturation;
use crate::model::regimes::Class;
use crate::units::{Bytes, Procs};

/// Why a case is outside of what was measured.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum Outside {
    /// More than four times the most processes.
    #[display("more than {FAR} times the {most} processes that were measured")]
    Processes {
        /// The most that were measured.
        most: Procs,
    },
    /// No message of that protocol was measured.
    #[display(
        "the MPI library changes its protocol at {limit}, and nothing was measured on that side"
    )]
    Protocol {
        /// From which size on it is used, or up to which.
        limit: Bytes,
    },
    /// More than four times the largest message.
    #[display("more than {FAR} times the {largest} that were measured")]
    Size {
        /// The largest that was measured.
        largest: Bytes,
    },
    /// How the time grows with n is not known: one count alone was measured.
    #[display(
        "{only} is the only process count that was measured, so that growth with the processes is unknown"
    )]
    Growth {
        /// That count.
        only: Procs,
    },
    /// γ still grows with n.
    #[display(
        "up to {most} processes do not saturate the network, so that the time of more is not known"
    )]
    Unsaturated {
        /// The most that were measured.
        most: Procs,
    },
    /// Nothing was measured at such counts, where the algorithm does something else.
    #[display(
        "the algorithm does something else at powers of two, and {}",
        match _0 {
            Class::Power => "none was measured",
            Class::Other | Class::Every => "only these were measured",
        }
    )]
    Class(Class),
}

/// How many times the most processes and the largest message a prediction goes beyond.
pub const FAR: u32 = 4;

impl Domain {
    /// How a case stands to what was measured.
    pub(super) fn standing(&self, procs: Procs, size: Bytes) -> Standing {
        if matches!(self.saturation, Saturation::From(saturated) if procs < saturated) {
            return Standing::Unsaturated;
        }
        let measured = self.procs.first().is_some_and(|&least| procs >= least)
            && self.procs.last().is_some_and(|&most| procs <= most)
            && (self.smallest..=self.largest).contains(&size);
        if measured {
            Standing::Interpolated
        } else {
            Standing::Extrapolated
        }
    }

    /// Why a case is too far from what was measured, if it is.
    pub fn outside(&self, procs: Procs, size: Bytes) -> Option<Outside> {
        let most = *self.procs.last()?;
        if self.saturation == Saturation::NotReached && procs > most {
            return Some(Outside::Unsaturated { most });
        }
        if let [only] = self.procs[..]
            && procs != only
        {
            return Some(Outside::Growth { only });
        }
        if procs.get() > most.get().saturating_mul(FAR) {
            return Some(Outside::Processes { most });
        }
        let largest = self.largest;
        (size.0 > largest.0.saturating_mul(FAR.into())).then_some(Outside::Size { largest })
    }
}
