//! A line of the doctor's table: a check, its state, and the cure.

use std::fmt;

use crate::input::failure::{Failure, split};

/// A check with its result.
#[derive(Debug)]
pub struct Row {
    /// Name of the check.
    pub check: &'static str,
    /// The result.
    pub state: State,
    /// What was found.
    pub detail: String,
    /// What to do; empty if nothing.
    pub cure: String,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// All is well.
    Ok,
    /// Measuring works, with a limitation.
    Warning,
    /// Measuring does not work.
    Failed,
    /// The check needs another one that failed.
    Skipped,
}

impl Row {
    /// A check that found nothing wrong.
    pub fn ok(check: &'static str, detail: impl fmt::Display) -> Self {
        Self::new(check, State::Ok, [detail.to_string(), String::new()])
    }

    /// A check that found a limitation.
    pub fn warning(check: &'static str, detail: impl fmt::Display, cure: impl fmt::Display) -> Self {
        Self::new(check, State::Warning, [detail.to_string(), cure.to_string()])
    }

    /// A check that found a reason why measuring does not work.
    pub fn failed(check: &'static str, detail: impl fmt::Display, cure: impl fmt::Display) -> Self {
        Self::new(check, State::Failed, [detail.to_string(), cure.to_string()])
    }

    /// A check that was not made.
    pub fn skipped(check: &'static str, why: impl fmt::Display) -> Self {
        Self::new(check, State::Skipped, [why.to_string(), String::new()])
    }

    /// The failure of a check; the end of its message is the cure.
    pub fn of_failure(check: &'static str, failure: &Failure) -> Self {
        let message = failure.to_string();
        let (detail, cure) = split(&message).unwrap_or((&message, ""));
        Self::failed(check, detail, cure)
    }

    /// The same row as a warning.
    #[must_use]
    pub fn into_warning(self) -> Self {
        let state = State::Warning;
        Self { state, ..self }
    }

    /// True if the check found a reason why measuring does not work.
    pub fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    fn new(check: &'static str, state: State, [detail, cure]: [String; 2]) -> Self {
        Self {
            check,
            state,
            detail,
            cure,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        })
    }
}
