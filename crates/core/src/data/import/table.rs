//! Tables of numbers separated by white space, below a line of names.

use std::str::FromStr;

use super::file::File;
use crate::algorithm::Method;
use crate::data::{Experiment, Place};
use crate::text::file_error::FileError;
use crate::units::{Bytes, Procs, Seconds};

/// Cell of a line, with the line's number.
pub(super) struct Cell {
    pub line: u64,
    pub place: Place,
}

/// The names of a table's columns.
pub(super) struct Columns(Vec<String>);

/// A line of a table.
pub(super) struct Row<'a> {
    file: &'a File<'a>,
    line: u64,
    columns: &'a Columns,
    cells: Vec<&'a str>,
}

impl Columns {
    /// The names in a line.
    pub fn of(line: &str) -> Self {
        Self(line.split_whitespace().map(str::to_owned).collect())
    }

    /// True if there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|own| own == name)
    }

    /// The row of a line of cells.
    pub fn row<'a>(
        &'a self,
        file: &'a File<'a>,
        line: u64,
        text: &'a str,
    ) -> Result<Row<'a>, FileError> {
        let row = Row {
            file,
            line,
            columns: self,
            cells: text.split_whitespace().collect(),
        };
        let (found, needed) = (row.cells.len(), self.0.len());
        if found == needed {
            return Ok(row);
        }
        Err(row.fault(format!(
            "{found} values where the table has {needed} columns; complete or delete the line"
        )))
    }
}

impl Row<'_> {
    /// An error in the line.
    pub fn fault(&self, problem: impl Into<String>) -> FileError {
        self.file.fault(self.line, problem)
    }

    /// Cell of the line, with `size` bytes among `procs`; the user states a collective's algorithm.
    pub fn cell(
        &self,
        experiment: Experiment,
        (procs, size): (Procs, Bytes),
    ) -> Result<Cell, FileError> {
        let algorithm = match experiment {
            Experiment::Collective(collective) => {
                let name = &self.file.asked.algorithm;
                let method = Method::parse(collective, name);
                let method = method.map_err(|e| self.fault(e.to_string()))?;
                method.to_string().into()
            }
            _ => "".into(),
        };
        let place = Place {
            launch: 0,
            experiment,
            algorithm,
            procs,
            size,
        };
        let line = self.line;
        Ok(Cell { line, place })
    }

    /// Text in a column; `None` without the column.
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = self.columns.0.iter().position(|column| column == name)?;
        Some(self.cells[index])
    }

    /// Text in a required column.
    pub fn text(&self, name: &str) -> Result<&str, FileError> {
        let missing = || format!("the table has no column {name}; give the whole output");
        self.get(name).ok_or_else(|| self.fault(missing()))
    }

    /// A count.
    pub fn count<T: FromStr>(&self, name: &str) -> Result<T, FileError> {
        let text = self.text(name)?;
        let wrong = "is not a whole number in range; correct or delete the line";
        text.parse()
            .map_err(|_| self.fault(format!("{name} {text:?} {wrong}")))
    }

    /// A count in an optional column.
    pub fn optional_count(&self, name: &str) -> Result<Option<u32>, FileError> {
        self.get(name).map(|_| self.count(name)).transpose()
    }

    /// A size in bytes.
    pub fn size(&self, name: &str) -> Result<Bytes, FileError> {
        self.count(name).map(Bytes)
    }

    /// A time in seconds.
    pub fn seconds(&self, name: &str) -> Result<Seconds, FileError> {
        self.scaled(name, "")
    }

    /// A time in microseconds. The exponent is parsed together with the digits, so that `278651.54`
    /// is exactly 0.27865154 s.
    pub fn microseconds(&self, name: &str) -> Result<Seconds, FileError> {
        self.scaled(name, "e-6")
    }

    fn scaled(&self, name: &str, exponent: &str) -> Result<Seconds, FileError> {
        let text = self.text(name)?;
        let number = format!("{text}{exponent}").parse().ok();
        let time = number.filter(|time: &f64| time.is_finite());
        let wrong = "is not a time; correct or delete the line";
        time.map(Seconds)
            .ok_or_else(|| self.fault(format!("{name} {text:?} {wrong}")))
    }
}
