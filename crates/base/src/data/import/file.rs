//! A file under import: its lines and its errors.

use itertools::Itertools as _;

use super::log;
use super::{BenchmarkProgram, ImportInput, ImportOptions};
use crate::text::file_error::FileError;
use crate::units::Procs;

/// A file with the user's statements about it.
pub(super) struct ImportFile<'a> {
    pub name: &'a str,
    pub options: &'a ImportOptions,
    lines: Vec<FileLine>,
    ends_with_line_end: bool,
}

/// A line without prefixes and outer spaces.
pub(super) struct FileLine {
    pub number: u64,
    pub text: String,
    /// The program whose title or heading the line is.
    pub announces: Option<BenchmarkProgram>,
}

impl<'a> ImportFile<'a> {
    /// The lines of a file; `announces` gives the program whose title or heading a line is.
    pub fn new(
        input: &ImportInput<'a>,
        options: &'a ImportOptions,
        announces: fn(&str) -> Option<BenchmarkProgram>,
    ) -> Self {
        let line = |(number, text): (u64, String)| FileLine {
            number,
            announces: announces(&text),
            text,
        };
        Self {
            name: input.name,
            options,
            lines: log::lines(input.text).into_iter().map(line).collect(),
            ends_with_line_end: input.text.ends_with('\n'),
        }
    }

    /// The lines.
    pub fn lines(&self) -> &[FileLine] {
        &self.lines
    }

    /// What `fact` finds in the nearest line above a line.
    pub fn fact_above<'s, T>(&'s self, line: u64, fact: impl Fn(&'s str) -> Option<T>) -> Option<T> {
        let above = self.lines.iter().rev().skip_while(|other| other.number >= line);
        above.map(|other| &*other.text).find_map(fact)
    }

    /// The programs that printed a line of the file.
    pub fn programs(&self) -> Vec<BenchmarkProgram> {
        let found = self.lines.iter().filter_map(|line| line.announces);
        found.unique().collect()
    }

    /// An error in a line.
    pub fn fault(&self, line: u64, problem: impl Into<String>) -> FileError {
        FileError::at_line(self.name, line, problem.into())
    }

    /// Number of the last line, if the file ends within it.
    pub fn unended_line(&self) -> Option<u64> {
        let last = self.lines.last().filter(|_| !self.ends_with_line_end);
        last.map(|line| line.number)
    }
}

/// Process count of an experiment between two processes.
pub(super) fn two_procs() -> Procs {
    Procs::new(2).expect("2 is not 0")
}
