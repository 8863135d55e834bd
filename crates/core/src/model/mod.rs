//! The models, one a file, each with its formula, units, domain and source.

pub mod hockney;
pub mod signature;

use crate::units::Bytes;

/// A parameter that no formula can work with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{name} = {value} is not allowed; it must be {rule}")]
pub struct ParameterError {
    name: &'static str,
    value: f64,
    rule: &'static str,
}

/// `value`, if it is finite and at least zero.
fn non_negative(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(ParameterError {
            name,
            value,
            rule: "finite and at least 0",
        })
    }
}

/// `value`, if it is finite.
fn finite(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ParameterError {
            name,
            value,
            rule: "finite",
        })
    }
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
