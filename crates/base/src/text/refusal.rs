//! Refusals: the one line that says why a request has no answer, with the kind of its cause.

use std::fmt::Display;

use itertools::Itertools as _;

use super::file_error::FileError;
use super::sanitised::printable_message;

/// Kind of the cause of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCause {
    /// The request, or a file that it names, cannot be used.
    Request,
    /// The data cannot support the answer.
    Data,
}

/// Reason why a request has no answer; the text ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    cause: RefusalCause,
    text: String,
}

impl Refusal {
    /// A request that cannot be used.
    pub fn request(text: impl Display) -> Self {
        Self::new(RefusalCause::Request, text)
    }

    /// Data that cannot support the answer.
    pub fn data(text: impl Display) -> Self {
        Self::new(RefusalCause::Data, text)
    }

    fn new(cause: RefusalCause, text: impl Display) -> Self {
        let text = printable_message(text.to_string()).into_owned();
        Self { cause, text }
    }

    /// The refusal of a file that cannot be read because of `why`.
    pub fn unreadable(name: impl Display, why: impl Display) -> Self {
        Self::request(format!("{name}: cannot be read ({why}); check the path"))
    }

    /// The refusal of a file that is named twice.
    pub fn named_twice(name: impl Display) -> Self {
        Self::request("is named twice; name each file once").about(name)
    }

    /// The first of several refusals with the texts of all, each once on a line of its own; `None` without
    /// refusals.
    pub fn joined(all: &[Self]) -> Option<Self> {
        let first = all.first()?;
        let lines = all.iter().map(|refusal| refusal.text.as_str()).unique();
        Some(Self::new(first.cause, lines.collect::<Vec<_>>().join("\n")))
    }

    /// Puts the name of a file before the text.
    #[must_use]
    pub fn about(self, name: impl Display) -> Self {
        Self::new(self.cause, format!("{name}: {}", self.text))
    }

    /// Kind of the cause.
    pub fn cause(&self) -> RefusalCause {
        self.cause
    }
}

impl From<FileError> for Refusal {
    fn from(error: FileError) -> Self {
        Self::request(error)
    }
}
