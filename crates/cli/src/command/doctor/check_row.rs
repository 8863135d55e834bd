//! A line of the doctor's table: a check, its state, and the cure.

use std::fmt;

use crate::input::failure::{Failure, split_remedy};

/// A check with its result.
#[derive(Debug)]
pub struct CheckRow {
    /// Name of the check.
    pub check: &'static str,
    /// The result.
    pub state: CheckState,
    /// The finding.
    pub detail: String,
    /// The remedy; empty if there is nothing to do.
    pub cure: String,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// All is well.
    Ok,
    /// Measuring works, with a limitation.
    Warning,
    /// Measuring does not work.
    Failed,
    /// The check depends on a failed check.
    Skipped,
}

impl CheckRow {
    /// A check that found nothing wrong.
    pub fn ok(check: &'static str, detail: impl fmt::Display) -> Self {
        Self::new(check, CheckState::Ok, [detail.to_string(), String::new()])
    }

    /// A check that found a limitation.
    pub fn warning(check: &'static str, detail: impl fmt::Display, cure: impl fmt::Display) -> Self {
        Self::new(check, CheckState::Warning, [detail.to_string(), cure.to_string()])
    }

    /// A check that found a reason why measuring does not work.
    pub fn failed(check: &'static str, detail: impl fmt::Display, cure: impl fmt::Display) -> Self {
        Self::new(check, CheckState::Failed, [detail.to_string(), cure.to_string()])
    }

    /// The finding, and the remedy if there is one.
    pub fn detail_and_cure(&self) -> String {
        if self.cure.is_empty() {
            self.detail.clone()
        } else {
            format!("{}; cure: {}", self.detail, self.cure)
        }
    }

    /// A check that was not made.
    pub fn skipped(check: &'static str, why: impl fmt::Display) -> Self {
        Self::new(check, CheckState::Skipped, [why.to_string(), String::new()])
    }

    /// The failure of a check; the end of its message is the cure.
    pub fn of_failure(check: &'static str, failure: &Failure) -> Self {
        let message = failure.to_string();
        let (detail, cure) = split_remedy(&message).unwrap_or((&message, ""));
        Self::failed(check, detail, cure)
    }

    /// The same row as a warning.
    #[must_use]
    pub fn into_warning(self) -> Self {
        let state = CheckState::Warning;
        Self { state, ..self }
    }

    /// True if the check found a reason why measuring does not work.
    pub fn has_failed(&self) -> bool {
        self.state == CheckState::Failed
    }

    fn new(check: &'static str, state: CheckState, [detail, cure]: [String; 2]) -> Self {
        Self {
            check,
            state,
            detail,
            cure,
        }
    }
}

impl fmt::Display for CheckState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        })
    }
}
