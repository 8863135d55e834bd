//! Partial results of a list of requests: prints the results, prints each cause of missing results
//! as a line on standard error, and sets the exit code 3.

use anyhow::anyhow;
use itertools::Itertools;

use netsig_base::text::refusal::Refusal;

use crate::input::failure::Failure;

/// Results, and the causes of missing ones.
#[derive(Debug)]
pub struct PartialResults<T> {
    /// The results.
    pub found: Vec<T>,
    /// The causes of the missing results; equal messages are printed once.
    pub missing: Vec<Failure>,
}

impl<T> PartialResults<T> {
    /// Separates results and causes.
    pub fn of(answers: impl IntoIterator<Item = Result<T, impl Into<Failure>>>) -> Self {
        let (found, missing) = answers.into_iter().partition_result();
        let missing: Vec<_> = missing;
        Self {
            found,
            missing: missing.into_iter().map(Into::into).collect(),
        }
    }

    /// Results, and refusals of missing ones.
    pub fn new(found: Vec<T>, missing: &[Refusal]) -> Self {
        let missing = missing.iter().cloned().map(Failure::from).collect();
        Self { found, missing }
    }

    /// Passes the results to `print`, unless there are only causes.
    ///
    /// # Errors
    /// If a result is missing: with exit code 3, or with the exit code of the first cause if there
    /// is no result.
    pub fn conclude(self, print: impl FnOnce(Vec<T>) -> Result<(), Failure>) -> Result<(), Failure> {
        let messages = self.missing.iter().map(ToString::to_string);
        let causes = messages.unique().join("\n");
        match self.missing.into_iter().next() {
            None => print(self.found),
            Some(first) if self.found.is_empty() => Err(first.with_message(anyhow!(causes))),
            Some(_) => print(self.found).and_then(|()| Err(Failure::data(causes))),
        }
    }
}
