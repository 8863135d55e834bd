//! The models, one a file, each with its formula, units, domain and source.

pub mod adve;
pub mod agarwal;
pub mod alltoall;
pub mod broadcast;
pub mod clement;
pub mod closed_form;
pub mod contention_factor;
pub mod exchange;
pub mod grid;
pub mod hockney;
pub mod labarta;
pub mod loggp;
pub mod plogp;
pub mod plogpt;
pub mod regimes;
#[cfg(test)]
pub(crate) mod samples;
pub mod scatter;
pub mod segment;
pub mod signature;
pub mod slowdown;
pub mod tam;
pub mod throughput;

use crate::units::Bytes;

/// Which sizes a threshold M takes in. The equations of Steffenel 2006 and 2007 say
/// m ≥ M, their text says "larger than M".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// m ≥ M (the default).
    From(Bytes),
    /// m > M.
    Above(Bytes),
}

impl Threshold {
    /// Whether a message of this size is on the upper side.
    pub fn takes_in(self, size: Bytes) -> bool {
        match self {
            Self::From(bytes) => size >= bytes,
            Self::Above(bytes) => size > bytes,
        }
    }
}
