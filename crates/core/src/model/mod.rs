//! The models, one a file, each with its formula, units, domain and source.

pub mod adve;
pub mod agarwal;
pub mod alltoall;
pub mod broadcast;
pub mod clement;
pub mod contention_factor;
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
pub mod tree;

use std::fmt;

use crate::units::{Bytes, Procs};

/// A parameter that no formula can work with: its name, its value, and the rule it breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value} is not allowed; it must be {rule}")]
pub struct ParameterError {
    name: &'static str,
    value: String,
    rule: &'static str,
}

impl ParameterError {
    /// `name` has a value that breaks `rule`, which completes "it must be …".
    #[cold]
    pub(crate) fn new(name: &'static str, value: impl fmt::Display, rule: &'static str) -> Self {
        Self {
            name,
            value: value.to_string(),
            rule,
        }
    }
}

/// `value`, if it is finite and at least zero.
pub(crate) fn non_negative(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(ParameterError::new(name, value, "finite and at least 0"))
    }
}

/// `value`, if it is finite.
pub(crate) fn finite(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ParameterError::new(name, value, "finite"))
    }
}

/// n·m: all blocks of one process.
///
/// # Errors
/// If it is more than 2^64 − 1 bytes.
pub fn volume(procs: Procs, size: Bytes) -> Result<Bytes, ParameterError> {
    size.0
        .checked_mul(u64::from(procs.get()))
        .map(Bytes)
        .ok_or_else(|| {
            let value = format!("{} for each of {procs} processes", size.0);
            ParameterError::new("size", value, "less than 2^64 bytes over all processes")
        })
}

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
