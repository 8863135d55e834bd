//! Reader of data files. It streams its input, so that a million rows take little more memory than
//! their contents.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;
use std::sync::Arc;

use strum::VariantArray;

use super::{
    Aggregate, COLLECTIVE, COLUMNS, DONE, Dataset, EXPERIMENTS, Experiment, LaunchCell, LossCounters, OK_STATUS,
    OPERANDS_KEY, RejectedRepetition, Sample,
};
use crate::algorithm::{Collective, ReductionOperands};
use crate::text::decoded::{self, EncodingError};
use crate::text::file_error::FileError;
use crate::text::names::{variant_named, variant_of};
use crate::units::{Bytes, Seconds};

/// Number of the first [`COLUMNS`] that a file must have: all up to `time_s`.
const REQUIRED_COLUMNS: usize = 8;

/// Error text for a file without a line of columns.
const EMPTY_FILE: &str = "is empty; measure first, or name a file with data";

/// True if a line names all columns that a data file must have.
pub fn has_required_columns(line: &str) -> bool {
    let has = |name: &&str| line.split(',').any(|field| field.trim() == *name);
    COLUMNS[..REQUIRED_COLUMNS].iter().all(has)
}

impl Dataset {
    /// Reads a data file, in any encoding that [`decoded`] reads; `name` is the file's name in errors.
    ///
    /// # Errors
    /// If the file cannot be read, a column is missing, or a cell holds no value of its kind.
    pub fn read(name: &str, input: impl Read) -> Result<Self, FileError> {
        let at = |line, problem| FileError::at_line(name, line, problem);
        let mut data = Self::default();
        let mut names = AlgorithmNames::default();
        let mut comments = Vec::new();
        let input = decoded::stream(input).map_err(|error| unreadable(name, error))?;
        let mut reader = csv::Reader::from_reader(UncommentedLines::new(input, &mut comments));
        let header = reader
            .headers()
            .map_err(|error| at(error_line(&error).unwrap_or(1), describe_error(&error)))?
            .clone();
        if header.is_empty() {
            return Err(FileError::of_file(name, EMPTY_FILE.to_owned()));
        }
        let columns = DataFileColumns::find(&header)
            .map_err(|problem| at(header.position().map_or(1, csv::Position::line), problem))?;
        let mut record = csv::StringRecord::new();
        loop {
            let more = reader.read_record(&mut record);
            let reader_line = reader.position().line();
            if !more.map_err(|error| at(error_line(&error).unwrap_or(reader_line), describe_error(&error)))? {
                break;
            }
            let line = record.position().map_or(reader_line, csv::Position::line);
            let row = DataFileRow {
                columns: &columns,
                record: &record,
            };
            row.add_to(&mut data, &mut names).map_err(|problem| at(line, problem))?;
        }
        drop(reader);
        for FactLine { line, key, value } in comments {
            if key == DONE {
                let cell = completed_cell(&value, &mut names).map_err(|problem| at(line, problem))?;
                data.completed.push(cell);
            } else {
                if key == OPERANDS_KEY {
                    let operands: Result<ReductionOperands, _> = value.parse();
                    operands.map_err(|problem| at(line, format!("{key}: {problem}")))?;
                }
                data.provenance.push(&key, value);
            }
        }
        Ok(data)
    }
}

/// A line `#@key=value`.
struct FactLine {
    line: u64,
    key: String,
    value: String,
}

/// Lines of a file in which lines that begin with `#` are empty, which preserves line numbers.
/// Lines that begin with `#@` are collected.
struct UncommentedLines<'a, R> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Number of bytes of the line that were handed on.
    used: usize,
    number: u64,
    comments: &'a mut Vec<FactLine>,
}

impl<'a, R: Read> UncommentedLines<'a, R> {
    fn new(input: R, comments: &'a mut Vec<FactLine>) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            used: 0,
            number: 0,
            comments,
        }
    }

    fn next_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.used = 0;
        self.input.read_until(b'\n', &mut self.line)?;
        self.number += 1;
        if str::from_utf8(&self.line).is_err() {
            let line = decoded::latin1(&self.line).map_err(decoded::invalid)?;
            self.line = line.into_bytes();
        }
        if self.line.first() != Some(&b'#') {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&self.line);
        if let Some((key, value)) = text.strip_prefix("#@").and_then(|text| text.split_once('=')) {
            self.comments.push(FactLine {
                line: self.number,
                key: key.to_owned(),
                value: value.trim_end_matches(['\n', '\r']).to_owned(),
            });
        }
        self.line.clear();
        self.line.push(b'\n');
        Ok(())
    }
}

impl<R: Read> Read for UncommentedLines<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.used == self.line.len() {
            self.next_line()?;
        }
        let rest = &self.line[self.used..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.used += count;
        Ok(count)
    }
}

/// Algorithm names, each stored once.
#[derive(Default)]
struct AlgorithmNames {
    known: HashSet<Arc<str>>,
    /// The last name that was looked up; the rows of a cell are adjacent.
    last: Arc<str>,
}

impl AlgorithmNames {
    fn intern(&mut self, name: &str) -> Arc<str> {
        if *self.last != *name {
            self.last = self.known.get(name).map_or_else(|| name.into(), Arc::clone);
            self.known.insert(Arc::clone(&self.last));
        }
        Arc::clone(&self.last)
    }
}

/// Index of each of [`COLUMNS`] in a file.
struct DataFileColumns([Option<usize>; COLUMNS.len()]);

impl DataFileColumns {
    fn find(header: &csv::StringRecord) -> Result<Self, String> {
        let found = COLUMNS.map(|name| header.iter().position(|field| field.trim() == name));
        match found[..REQUIRED_COLUMNS].iter().position(Option::is_none) {
            None => Ok(Self(found)),
            Some(missing) => Err(format!(
                "column {:?} is missing; the header must name {}",
                COLUMNS[missing],
                COLUMNS[..REQUIRED_COLUMNS].join(", ")
            )),
        }
    }
}

/// A line of the file.
struct DataFileRow<'a> {
    columns: &'a DataFileColumns,
    record: &'a csv::StringRecord,
}

impl DataFileRow<'_> {
    /// Adds the row to the samples, the rejected repetitions or the statistics.
    fn add_to(&self, data: &mut Dataset, names: &mut AlgorithmNames) -> Result<(), String> {
        let cell = launch_cell([6, 0, 1, 2, 3, 4].map(|column| self.text(column)), names)?;
        let repetition = integer("repetition", self.text(5), "0")?;
        if let Some(reason) = self.named_variant(14, "a status other than ok", &["", OK_STATUS])? {
            data.rejected.push(RejectedRepetition {
                cell,
                repetition,
                reason,
            });
            return Ok(());
        }
        let time = duration("time_s", self.text(7))?;
        match self.named_variant(15, "a statistic", &[""])? {
            Some(statistic) => data.aggregates.push(Aggregate {
                cell,
                statistic,
                averaged: optional("averaged", self.text(16))?,
                time,
            }),
            None => data.samples.push(Sample {
                losses: self.losses()?,
                part: optional("part", self.text(12))?.unwrap_or(0),
                sync_error: self.sync_error()?,
                ..cell.sample(repetition, time)
            }),
        }
        Ok(())
    }

    /// Trimmed text of a column, empty if the file has no such column.
    fn text(&self, column: usize) -> &str {
        let index = self.columns.0[column];
        let text = index.and_then(|index| self.record.get(index));
        text.unwrap_or("").trim()
    }

    fn losses(&self) -> Result<LossCounters, String> {
        let count = |column: usize| optional(COLUMNS[column], self.text(column));
        Ok(LossCounters {
            retransmits: count(8)?,
            rtos: count(9)?,
            tail_probes: count(10)?,
            softnet_drops: count(11)?,
            longest_processor_wait_us: count(17)?,
        })
    }

    fn sync_error(&self) -> Result<Option<Seconds>, String> {
        let text = self.text(13);
        let error = |error: f64| (error.is_finite() && error >= 0.0).then_some(Seconds(error));
        match text.parse().ok().and_then(error) {
            Some(error) => Ok(Some(error)),
            None if text.is_empty() => Ok(None),
            None => Err(format!(
                "sync_error_s {text:?} is no duration; write seconds such as 0.000012 or nothing"
            )),
        }
    }

    /// The variant that a column names; `None` for the names in `names_of_none`.
    fn named_variant<T>(&self, column: usize, kind: &str, names_of_none: &[&str]) -> Result<Option<T>, String>
    where
        T: VariantArray + Copy + Into<&'static str>,
    {
        let text = self.text(column);
        if names_of_none.contains(&text) {
            return Ok(None);
        }
        let found = variant_named(text, kind);
        found
            .map(Some)
            .map_err(|problem| format!("{}: {problem}", COLUMNS[column]))
    }
}

/// Experiment from the columns `experiment` and `collective`.
fn experiment(name: &str, collective: &str) -> Result<Experiment, String> {
    if name == COLLECTIVE {
        let collective = collective.parse();
        return collective
            .map(Experiment::Collective)
            .map_err(|e| format!("collective: {e}"));
    }
    variant_of(name, "an experiment", &EXPERIMENTS)
        .map_err(|problem| format!("experiment {problem}, or {COLLECTIVE} with its name in the column collective"))
}

/// Parses `LAUNCH,EXPERIMENT,COLLECTIVE,ALGORITHM,PROCS,SIZE`.
fn completed_cell(text: &str, names: &mut AlgorithmNames) -> Result<LaunchCell, String> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.has_headers(false).from_reader(text.as_bytes());
    let record = reader.records().next().and_then(Result::ok);
    let texts: Vec<&str> = record.iter().flatten().collect();
    let fields = texts.try_into();
    let wrong = |_| format!("{DONE}={text:?} does not name a cell; delete the line");
    launch_cell(fields.map_err(wrong)?, names)
}

/// Parses a launch, an experiment, a collective, an algorithm, a process count and a size.
fn launch_cell(texts: [&str; 6], names: &mut AlgorithmNames) -> Result<LaunchCell, String> {
    let [launch, name, collective, algorithm, procs, size] = texts;
    let experiment = experiment(name, collective)?;
    let size = Bytes(integer("size_bytes", size, "4096")?);
    if experiment == Experiment::Collective(Collective::Barrier) && size > Bytes(0) {
        return Err(format!("size_bytes {}: a barrier has no data; write 0", size.0));
    }
    Ok(LaunchCell {
        launch: integer("launch", launch, "0")?,
        experiment,
        algorithm: names.intern(algorithm),
        procs: procs.parse().map_err(|e| format!("procs: {e}"))?,
        size,
    })
}

fn integer<T: FromStr>(column: &str, text: &str, example: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{column} {text:?} is not an integer; write a number such as {example}"))
}

fn optional<T: FromStr>(column: &str, text: &str) -> Result<Option<T>, String> {
    if text.is_empty() {
        Ok(None)
    } else {
        integer(column, text, "0").map(Some)
    }
}

fn duration(column: &str, text: &str) -> Result<Seconds, String> {
    text.parse()
        .ok()
        .filter(|time: &f64| time.is_finite() && *time > 0.0)
        .map(Seconds)
        .ok_or_else(|| format!("{column} {text:?} is not a positive time; write seconds such as 0.0123"))
}

/// The error of a file that cannot be read, or is in no known encoding.
fn unreadable(name: &str, error: io::Error) -> FileError {
    match error.downcast::<EncodingError>() {
        Ok(error) => FileError::of_file(name, error.to_string()),
        Err(error) => FileError::at_line(name, 1, format!("{error}; give a CSV file of netsig")),
    }
}

fn error_line(error: &csv::Error) -> Option<u64> {
    error.position().map(csv::Position::line)
}

fn describe_error(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells where the header has {expected_len}; complete or delete the line")
        }
        csv::ErrorKind::Io(cause) if is_encoding_error(cause) => cause.to_string(),
        _ => format!("{error}; give a CSV file of netsig"),
    }
}

fn is_encoding_error(error: &io::Error) -> bool {
    let cause = error.get_ref();
    cause.is_some_and(<dyn std::error::Error + Send + Sync>::is::<EncodingError>)
}
