//! Notes and warnings that come with an answer.

use super::sanitised::printable_message;

/// A line beside an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, derive_more::Display)]
pub enum Note {
    /// The answer rests on an assumption.
    #[display("note: {_0}")]
    Remark(String),
    /// The answer may be wrong.
    #[display("warning: {_0}")]
    Warning(String),
}

impl Note {
    /// A note on an assumption.
    pub fn remark(text: impl Into<String>) -> Self {
        Self::Remark(printable_message(text.into()).into_owned())
    }

    /// A warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::Warning(printable_message(text.into()).into_owned())
    }

    /// The text without its kind.
    pub fn text(&self) -> &str {
        match self {
            Self::Remark(text) | Self::Warning(text) => text,
        }
    }
}
