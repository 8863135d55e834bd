//! Tables of numbers separated by white space, below a line of names.

use std::str::FromStr;

use super::file::ImportFile;
use crate::algorithm::CollectiveMethod;
use crate::data::{Experiment, LaunchCell};
use crate::text::file_error::FileError;
use crate::text::{counted, is_whole_number};
use crate::units::{Bytes, Procs, Seconds};

/// Cell of a line, with the line's number.
pub(super) struct ImportCell {
    pub line: u64,
    pub launch_cell: LaunchCell,
}

/// Kind of the first words of a row, which distinguishes rows from other lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowStart {
    /// A size in bytes above that of the row before, and a number.
    RisingSize,
    /// A size in bytes, and a number.
    Size,
    /// A time with a point, and in each other column a number.
    Time,
    /// Anything.
    Any,
    /// Two counts and a number.
    Counts,
    /// The name of a call, and a count.
    Call,
    /// The number of a process, the name of a call, and a count.
    ProcessCall,
}

/// The names of a table's columns.
#[derive(Debug, Clone)]
pub(super) struct ImportColumns {
    names: Vec<String>,
    start: RowStart,
}

/// A line of a table.
pub(super) struct ImportRow<'a> {
    file: &'a ImportFile<'a>,
    line: u64,
    columns: &'a ImportColumns,
    cells: Vec<&'a str>,
}

impl RowStart {
    /// True if a line begins as rows do.
    fn begins(self, words: &[&str]) -> bool {
        let is = |index: usize, test: fn(&str) -> bool| words.get(index).is_some_and(|word| test(word));
        match self {
            Self::Size | Self::RisingSize => is(0, is_whole_number) && (words.len() == 1 || is(1, resembles_number)),
            Self::Time => is(0, is_time) && words.iter().all(|word| resembles_number(word)),
            Self::Any => true,
            Self::Counts => is(0, is_whole_number) && is(1, is_whole_number) && is(2, resembles_number),
            Self::Call => is(0, is_call) && is(1, is_whole_number),
            Self::ProcessCall => is(0, is_whole_number) && is(1, is_call) && is(2, is_whole_number),
        }
    }
}

/// True for the names of calls as `ReproMPI` prints them.
fn is_call(word: &str) -> bool {
    word.starts_with("MPI_") || word.starts_with("GL_") || word.contains("Send_Recv")
}

/// True for a number that is not whole.
fn is_time(word: &str) -> bool {
    resembles_number(word) && !is_whole_number(word)
}

/// True for a number, whole or damaged by two signs at its end.
fn resembles_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    if digits.starts_with("0x") {
        return false;
    }
    let end = digits.find(|sign: char| !sign.is_ascii_digit() && sign != '.');
    let (number, damage) = digits.split_at(end.unwrap_or(digits.len()));
    let is_number = number.parse::<f64>().is_ok() && damage.len() <= 2 && !damage.starts_with(':');
    is_number || number_in(word).is_some()
}

/// A number, or a mark of Windows for one that is not finite: `-1.#IND`, `nan(ind)`.
fn number_in(word: &str) -> Option<f64> {
    let lower = word.to_ascii_lowercase();
    let is_none = lower.contains("#ind") || lower.contains("#qnan") || lower.contains("nan(");
    let is_infinite = lower.contains("#inf");
    match word.parse() {
        _ if is_none => Some(f64::NAN),
        _ if is_infinite => Some(f64::INFINITY),
        number => number.ok(),
    }
}

impl ImportColumns {
    /// The names in a line.
    pub fn of(line: &str, start: RowStart) -> Self {
        let names = line.split_whitespace().map(str::to_owned).collect();
        Self { names, start }
    }

    /// True if there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// True if a line begins as the rows of this table do, or has a number in each other column.
    pub fn begins(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.start.begins(&words) || (self.begin_with_sizes() && self.has_numbers(&words))
    }

    /// True if rows begin with a size.
    pub fn begin_with_sizes(&self) -> bool {
        matches!(self.start, RowStart::Size | RowStart::RisingSize)
    }

    /// True if rows begin with a time, as that of a barrier does.
    pub fn begin_with_time(&self) -> bool {
        self.start == RowStart::Time
    }

    /// True if sizes rise from row to row.
    pub fn have_rising_sizes(&self) -> bool {
        self.start == RowStart::RisingSize
    }

    /// Number of columns.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Name of the last column.
    pub fn last(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    fn has_numbers(&self, words: &[&str]) -> bool {
        let [first, others @ ..] = words else {
            return false;
        };
        let is_digit = |sign: char| sign.is_ascii_digit();
        let are_numbers = others.iter().all(|word| word.parse::<f64>().is_ok());
        words.len() == self.names.len() && first.starts_with(is_digit) && are_numbers
    }

    /// The row of a line of cells.
    pub fn row<'a>(&'a self, file: &'a ImportFile<'a>, line: u64, text: &'a str) -> Result<ImportRow<'a>, FileError> {
        let row = ImportRow {
            file,
            line,
            columns: self,
            cells: text.split_whitespace().collect(),
        };
        let (found, needed) = (row.cells.len(), self.names.len());
        if found == needed {
            return Ok(row);
        }
        let found = counted(found as u64, "value", "values");
        Err(row.fault(format!(
            "{found} where the table has {needed} columns; complete or delete the line"
        )))
    }
}

impl ImportRow<'_> {
    /// Number of the line.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// An error in the line.
    pub fn fault(&self, problem: impl Into<String>) -> FileError {
        self.file.fault(self.line, problem)
    }

    /// Cell of the line, with `size` bytes among `procs`; the user states a collective's algorithm.
    pub fn cell(&self, experiment: Experiment, procs: Procs, size: Bytes) -> Result<ImportCell, FileError> {
        let algorithm = match experiment {
            Experiment::Collective(collective) => {
                let name = &self.file.options.algorithm;
                let parsed_method = CollectiveMethod::parse(collective, name);
                let method = parsed_method.map_err(|e| self.fault(e.to_string()))?;
                method.to_string().into()
            }
            _ => "".into(),
        };
        let launch_cell = LaunchCell {
            launch: 0,
            experiment,
            algorithm,
            procs,
            size,
        };
        let line = self.line;
        Ok(ImportCell { line, launch_cell })
    }

    /// Text in a column; `None` without the column.
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = self.columns.names.iter().position(|column| column == name)?;
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
        text.parse().map_err(|_| self.fault(format!("{name} {text:?} {wrong}")))
    }

    /// A count in an optional column.
    pub fn optional_count(&self, name: &str) -> Result<Option<u32>, FileError> {
        self.get(name).map(|_| self.count(name)).transpose()
    }

    /// A size in bytes.
    pub fn size(&self, name: &str) -> Result<Bytes, FileError> {
        self.count(name).map(Bytes)
    }

    /// A time in seconds; not finite where the program printed `nan` or `inf`.
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
        let unmeasured = || number_in(text).filter(|time| !time.is_finite());
        let wrong = "is not a time; correct or delete the line";
        let time: Option<f64> = number.or_else(unmeasured);
        time.map(Seconds)
            .ok_or_else(|| self.fault(format!("{name} {text:?} {wrong}")))
    }
}
