//! The answer to a list of questions, which may be an answer in part: what was found is printed,
//! each cause of what is missing is a line on standard error, and the exit code is 3.

use anyhow::anyhow;
use itertools::Itertools;

use crate::input::failure::Failure;

/// Answers, and why others are missing.
#[derive(Debug)]
pub struct Partial<T> {
    /// The answers.
    pub found: Vec<T>,
    /// The causes of the missing ones; those of one wording are told once.
    pub missing: Vec<Failure>,
}

impl<T> Partial<T> {
    /// Tells answers and causes apart.
    pub fn of(answers: impl IntoIterator<Item = Result<T, impl Into<Failure>>>) -> Self {
        let (found, missing) = answers.into_iter().partition_result();
        let missing: Vec<_> = missing;
        Self {
            found,
            missing: missing.into_iter().map(Into::into).collect(),
        }
    }

    /// Prints the answers with `print`, if there are any.
    ///
    /// # Errors
    /// If an answer is missing: with 3, or with the exit code of the first cause where there is
    /// no answer at all.
    pub fn conclude(
        self,
        print: impl FnOnce(Vec<T>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let causes = self.missing.iter().map(ToString::to_string);
        let causes = causes.unique().join("\n");
        match self.missing.into_iter().next() {
            None => print(self.found),
            Some(first) if self.found.is_empty() => Err(first.told_by(anyhow!(causes))),
            Some(_) => print(self.found).and_then(|()| Err(Failure::data(causes))),
        }
    }
}
