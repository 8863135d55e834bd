//! A cell of printed rows: a text for users and a value for programs.

use std::fmt;

use netsig_base::text::sanitised::printable;
use netsig_base::units::{Bytes, Seconds, three_digits};
use serde_json::Value;

use super::quantity::{CellQuantity, ColumnUnit};

/// One value of a row; the default is an empty cell.
#[derive(Debug, Clone, Default)]
pub struct PrintedCell {
    pub(super) shown: String,
    pub(super) value: Value,
    pub(super) quantity: CellQuantity,
}

impl PrintedCell {
    /// A value with a different text for users.
    pub fn shown_as(value: impl Into<Value>, shown: impl fmt::Display) -> Self {
        Self {
            shown: printable(&shown.to_string()).into_owned(),
            value: value.into(),
            quantity: CellQuantity::Other,
        }
    }

    /// A word or sentence.
    pub fn text(text: impl fmt::Display) -> Self {
        let text = text.to_string();
        Self::shown_as(text.clone(), text)
    }

    /// A plain number.
    pub fn number(number: impl Into<Value> + ToString + Copy) -> Self {
        Self::shown_as(number, number.to_string())
    }

    /// A plain number, shown with three significant digits.
    pub fn rounded(number: f64) -> Self {
        Self::shown_as(number, three_digits(number))
    }

    /// A size in bytes.
    pub fn size(size: Bytes) -> Self {
        Self {
            quantity: CellQuantity::Size(size),
            ..Self::shown_as(size.0, size)
        }
    }

    /// A time in seconds.
    pub fn time(time: Seconds) -> Self {
        Self {
            quantity: CellQuantity::Time(time),
            ..Self::shown_as(time.0, time)
        }
    }

    /// The cell of a value; empty for `None`.
    pub fn if_some<T>(value: Option<T>, cell: fn(T) -> Self) -> Self {
        value.map(cell).unwrap_or_default()
    }

    /// The text for users.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The text in a column of this unit, on one line.
    pub(super) fn shown_in(&self, unit: Option<ColumnUnit>) -> String {
        let number = unit
            .filter(|_| !self.shown.is_empty())
            .and_then(|unit| unit.number(self.quantity));
        number.unwrap_or_else(|| self.shown.replace(['\n', '\t'], " "))
    }

    /// True for a number.
    pub fn is_number(&self) -> bool {
        self.value.is_number()
    }

    /// The same value, not shown in a table.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self {
            shown: String::new(),
            ..self
        }
    }

    /// A relative error, shown in per cent with its sign.
    pub fn error(error: f64) -> Self {
        Self::shown_as(error, format!("{:+.1} %", error * 100.0))
    }

    /// A ratio of times, shown with two decimals.
    pub fn factor(ratio: f64) -> Self {
        Self::shown_as(ratio, format!("{ratio:.2} x"))
    }

    /// An absolute relative error, shown in per cent.
    pub fn share(share: f64) -> Self {
        Self::shown_as(share, format!("{:.1} %", share * 100.0))
    }
}
