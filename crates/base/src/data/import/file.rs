//! A file under import: its lines and its errors.

use itertools::Itertools as _;

use super::log;
use super::{Asked, Input, Program};
use crate::text::file_error::FileError;
use crate::units::Procs;

/// A file with the user's statements about it.
pub(super) struct File<'a> {
    pub name: &'a str,
    pub asked: &'a Asked,
    lines: Vec<FileLine>,
    ends_with_line_end: bool,
}

/// A line without prefixes and outer spaces.
pub(super) struct FileLine {
    pub number: u64,
    pub text: String,
    /// The program of which the line is a title or heading.
    pub announces: Option<Program>,
}

impl<'a> File<'a> {
    /// The lines of a file; `announces` gives the program of which a line is a title or heading.
    pub fn new(input: &Input<'a>, asked: &'a Asked, announces: fn(&str) -> Option<Program>) -> Self {
        let line = |(number, text): (u64, String)| FileLine {
            number,
            announces: announces(&text),
            text,
        };
        Self {
            name: input.name,
            asked,
            lines: log::lines(input.text).into_iter().map(line).collect(),
            ends_with_line_end: input.text.ends_with('\n'),
        }
    }

    /// The lines.
    pub fn lines(&self) -> &[FileLine] {
        &self.lines
    }

    /// The programs of whose output some line is.
    pub fn programs(&self) -> Vec<Program> {
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
pub(super) fn pair() -> Procs {
    Procs::new(2).expect("2 is not 0")
}
