//! Numbers with three significant digits, for people.

use std::fmt;

use super::{BINARY_UNITS, Bytes, Seconds};

/// A unit of times that people read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondsUnit {
    per_second: f64,
    /// Its symbol, such as `ms`.
    pub name: &'static str,
}

/// An estimate of a size in bytes, which people read with three significant digits.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct EstimatedBytes(pub f64);

impl Seconds {
    /// The unit that leaves between one and three digits before the point, as far as there is one.
    pub fn unit(self) -> SecondsUnit {
        let (per_second, name) = match self.0.abs() {
            v if v == 0.0 || v >= 0.9995 || v.is_nan() => (1.0, "s"),
            v if v >= 0.9995e-3 => (1e3, "ms"),
            v if v >= 0.9995e-6 => (1e6, "µs"),
            _ => (1e9, "ns"),
        };
        SecondsUnit { per_second, name }
    }
}

impl SecondsUnit {
    /// The number of a time in this unit, with three significant digits.
    pub fn number(self, time: Seconds) -> String {
        three_digits(time.0 * self.per_second)
    }

    /// True if the number of a time in this unit is neither small nor long.
    pub fn suits(self, time: Seconds) -> bool {
        (0.01..10_000.0).contains(&(time.0.abs() * self.per_second))
    }
}

/// A number for people, with three significant digits; whole numbers from 1000 on keep all: `0.0457`, `7.11`, `3900`.
pub fn three_digits(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.2e}");
    let exponent = scientific.split_once('e').and_then(|(_, digits)| digits.parse().ok());
    match exponent.unwrap_or(0_i32) {
        ..LEAST_EXPONENT => scientific,
        3.. if value.fract() == 0.0 => value.to_string(),
        3.. => scientific.parse::<f64>().unwrap_or(value).to_string(),
        exponent => {
            let decimals = usize::try_from(2 - exponent).unwrap_or(0);
            format!("{value:.decimals$}")
        }
    }
}

/// The exponent below which a number is written as a power of ten.
const LEAST_EXPONENT: i32 = -5;

/// The three digits in the largest binary unit; below 1 KiB, whole bytes: `257 KiB`.
impl fmt::Display for EstimatedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.round();
        let whole = Bytes::rounded(bytes);
        let has_unit = |(scale, _): &&(u64, &str)| bytes >= *scale as f64;
        match BINARY_UNITS.iter().find(has_unit) {
            Some((scale, name)) if !whole.0.is_multiple_of(*scale) => {
                write!(f, "{} {name}", three_digits(bytes / *scale as f64))
            }
            _ => whole.fmt(f),
        }
    }
}
