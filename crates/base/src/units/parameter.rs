//! Checks of numbers for formulas, and the error of a number that no formula can use.

use std::fmt;

use super::{Bytes, Procs};

/// A parameter that no formula can use: its name, its value, and the violated rule. The error is a
/// pointer, so that functions return a valid number in registers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct ParameterError(Box<RuleViolation>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value} is not allowed; it must be {rule}")]
struct RuleViolation {
    name: &'static str,
    value: String,
    rule: &'static str,
}

impl ParameterError {
    /// Error of a `value` that violates `rule`; `rule` completes "it must be …".
    #[cold]
    pub fn new(name: &'static str, value: impl fmt::Display, rule: &'static str) -> Self {
        Self(Box::new(RuleViolation {
            name,
            value: value.to_string(),
            rule,
        }))
    }
}

/// For checks whose other errors are texts.
impl From<ParameterError> for String {
    fn from(error: ParameterError) -> Self {
        error.to_string()
    }
}

/// Returns `value` if it is finite and at least zero.
///
/// # Errors
/// If it is not; the error names the parameter.
pub fn non_negative(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(ParameterError::new(name, value, "finite and at least 0"))
    }
}

/// Returns `value` if it is finite.
///
/// # Errors
/// If it is not; the error names the parameter.
pub fn finite(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ParameterError::new(name, value, "finite"))
    }
}

/// n·m: bytes of all blocks of one process.
///
/// # Errors
/// If it is more than 2^64 − 1 bytes.
pub fn volume(procs: Procs, size: Bytes) -> Result<Bytes, ParameterError> {
    size.0.checked_mul(u64::from(procs.get())).map(Bytes).ok_or_else(|| {
        let value = format!("{} for each of {procs} processes", size.0);
        ParameterError::new("size", value, "less than 2^64 bytes over all processes")
    })
}
