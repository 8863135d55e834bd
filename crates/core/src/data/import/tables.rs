//! The tables of a log, whichever program printed them: title, names of columns, rows, and between them
//! the lines of other programs.

use super::Program;
use super::file::{File, FileLine};
use super::launch::{LaunchLog, LaunchNumbers};
use super::source::Source;
use super::table::Columns;
use crate::algorithm::Collective;
use crate::data::Experiment;
use crate::text::file_error::FileError;
use crate::units::Procs;

/// Meaning of a line to the reader of a program.
pub(super) enum LogLine<'a> {
    /// A title announces the tables of a benchmark.
    Title(LoggedBenchmark),
    /// The names of a table's columns.
    Heading(Columns),
    /// The names of a table that is not imported.
    OtherHeading(String),
    /// A row that stands under names of its own.
    LoneRow(Columns, &'a str),
    /// The number of processes of the tables that follow.
    Procs(&'a str),
    /// Bytes of an item that the tables count.
    ItemBytes(&'a str),
    /// A row without times, and the reason.
    NotMeasured(&'static str),
    /// A comment, or an empty line.
    Comment,
    /// A row, or a line of another program.
    Other,
}

impl LogLine<'_> {
    /// A line that is neither title nor heading.
    pub fn without_meaning(text: &str) -> Self {
        if text.is_empty() || text.starts_with('#') {
            Self::Comment
        } else {
            Self::Other
        }
    }
}

/// A benchmark with tables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LoggedBenchmark {
    /// Its name in messages.
    pub name: String,
    /// What it measures; `None` where it is not imported.
    pub subject: Option<TableSubject>,
}

impl LoggedBenchmark {
    /// A benchmark of experiments between two processes.
    pub fn of_pairs(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            subject: Some(TableSubject::Pair),
        }
    }
}

/// What the rows of a table measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableSubject {
    /// One experiment.
    One(Experiment),
    /// Experiments between two processes.
    Pair,
    /// What each row names.
    ByRow,
}

impl TableSubject {
    /// Refuses a title that contradicts the collective that the user names.
    fn agrees(self, asked: Option<Collective>) -> Result<(), String> {
        match (asked, self) {
            (Some(asked), Self::One(Experiment::Collective(titled))) if asked != titled => Err(
                format!("the title says {titled}, not {asked}; leave --collective out"),
            ),
            _ => Ok(()),
        }
    }
}

/// A table with what stands above it.
#[derive(Debug)]
pub(super) struct LogTable {
    /// Line of the names.
    pub line: u64,
    /// Number of the title above it, from 0: the run of a benchmark.
    pub run: usize,
    /// Name of the benchmark.
    pub name: String,
    /// What it measures.
    pub subject: TableSubject,
    /// Names of the columns.
    pub columns: Columns,
    /// Number of processes that the program states.
    pub procs: Option<Procs>,
    /// Numbers of the launch line above it.
    pub launch: LaunchNumbers,
    /// Bytes of an item.
    pub item_bytes: Option<u64>,
    /// Lines that begin like rows, with their numbers.
    pub rows: Vec<(u64, String)>,
}

/// The place in a log to which a line belongs.
enum LogPosition {
    /// Above all tables, or below the end of one.
    Outside,
    /// In the last table.
    InTable,
    /// In a table that is not imported.
    InOther,
}

/// A log of which some lines are read.
struct LogReader {
    launches: LaunchLog,
    benchmark: Option<LoggedBenchmark>,
    run: usize,
    procs: Option<Procs>,
    item_bytes: Option<u64>,
    position: LogPosition,
    tables: Vec<LogTable>,
}

/// The tables of a file. Lines that belong to none are left out.
///
/// `meaning` is that of a line to `program`; `untitled` the benchmark of tables without a title.
///
/// # Errors
/// If a table has no title, its title contradicts the user, or the file ends within a row.
pub(super) fn tables<'f>(
    file: &'f File<'_>,
    (program, untitled): (Program, Option<LoggedBenchmark>),
    source: &mut Source,
    mut meaning: impl FnMut(&'f str, &mut Source) -> LogLine<'f>,
) -> Result<Vec<LogTable>, FileError> {
    let mut reader = LogReader {
        launches: LaunchLog::default(),
        benchmark: untitled,
        run: 0,
        procs: None,
        item_bytes: None,
        position: LogPosition::Outside,
        tables: Vec::new(),
    };
    for FileLine {
        number,
        text,
        announces,
    } in file.lines()
    {
        let line = *number;
        if announces.is_some_and(|other| other != program) {
            reader.position = LogPosition::InOther;
            continue;
        }
        match meaning(text, source) {
            LogLine::Title(benchmark) => reader.begin_run(benchmark, line, source),
            LogLine::Heading(columns) => reader.begin_table(file, line, columns)?,
            LogLine::OtherHeading(names) => {
                reader.begin_other(line, &names, source);
            }
            LogLine::LoneRow(columns, row) => {
                reader.begin_table(file, line, columns)?;
                reader.add(line, row, source);
                reader.position = LogPosition::Outside;
            }
            LogLine::Procs(number) => reader.procs = number.trim().parse().ok(),
            LogLine::ItemBytes(number) => reader.item_bytes = number.trim().parse().ok(),
            LogLine::NotMeasured(why) => reader.leave_out_row(line, why, source),
            LogLine::Comment => {}
            LogLine::Other if reader.launches.note(text) => {}
            LogLine::Other => reader.add(line, text, source),
        }
    }
    let tables = reader.tables;
    tables.last().map_or(Ok(()), |last| last.refuse_cut(file))?;
    Ok(tables)
}

impl LogReader {
    fn begin_run(&mut self, benchmark: LoggedBenchmark, line: u64, source: &mut Source) {
        self.run += 1;
        self.procs = None;
        self.position = LogPosition::Outside;
        if benchmark.subject.is_none() {
            self.position = LogPosition::InOther;
            source.leave_out(line, &format!("{} is not imported", benchmark.name));
        }
        self.benchmark = Some(benchmark);
    }

    fn begin_table(
        &mut self,
        file: &File<'_>,
        line: u64,
        columns: Columns,
    ) -> Result<(), FileError> {
        let untitled = "no title names the collective; give the whole output, or --collective NAME";
        let benchmark = self.benchmark.as_ref();
        let benchmark = benchmark.ok_or_else(|| file.fault(line, untitled))?;
        let Some(subject) = benchmark.subject else {
            return Ok(());
        };
        subject
            .agrees(file.asked.collective)
            .map_err(|problem| file.fault(line, problem))?;
        self.tables.push(LogTable {
            line,
            run: self.run,
            name: benchmark.name.clone(),
            subject,
            columns,
            procs: self.procs,
            launch: self.launches.of_table(),
            item_bytes: self.item_bytes,
            rows: Vec::new(),
        });
        self.position = LogPosition::InTable;
        Ok(())
    }

    fn begin_other(&mut self, line: u64, names: &str, source: &mut Source) {
        if !matches!(self.position, LogPosition::InOther) {
            source.leave_out(line, &format!("the table of {names} is not imported"));
        }
        self.position = LogPosition::InOther;
    }

    fn leave_out_row(&self, line: u64, why: &str, source: &mut Source) {
        if matches!(self.position, LogPosition::InTable) {
            source.leave_out(line, &format!("not measured ({why})"));
        }
    }

    /// Adds a row to the table at this place, or leaves the line out.
    fn add(&mut self, line: u64, text: &str, source: &mut Source) {
        let table = self.tables.last_mut();
        match (&self.position, table) {
            (LogPosition::InTable, Some(table)) if table.is_row(text) => {
                table.rows.push((line, text.to_owned()));
            }
            (LogPosition::InOther, _) if text.starts_with(|sign: char| sign.is_ascii_digit()) => {}
            _ => source.leave_out_foreign(line, text),
        }
    }
}

impl LogTable {
    /// True if a line begins like a row. A lone number does so only if it may be the next size: scripts
    /// print numbers of processes.
    fn is_row(&self, text: &str) -> bool {
        let last = self.rows.last().and_then(|(_, row)| first_number(row));
        let follows = || first_number(text) > last;
        let is_lone = !text.contains(' ') && last.is_some();
        self.columns.begins(text) && (!is_lone || follows())
    }

    /// Refuses a table whose last row ends the file, without a line end, in a number with fewer digits than those
    /// above it.
    fn refuse_cut(&self, file: &File<'_>) -> Result<(), FileError> {
        let [above @ .., (line, row)] = &*self.rows else {
            return Ok(());
        };
        let above: Vec<&str> = above.iter().map(|(_, row)| last_word(row)).collect();
        let word = last_word(row);
        if file.unended_line() != Some(*line) || !is_shorter(word, &above) {
            return Ok(());
        }
        Err(file.fault(
            *line,
            format!(
                "the file ends within the number {word:?}, which has fewer digits than those above it; delete the \
                 line, or end it with a line end if it is whole"
            ),
        ))
    }
}

fn last_word(row: &str) -> &str {
    row.split_whitespace().next_back().unwrap_or_default()
}

/// True if a number has fewer digits behind the point than all others, or, where the one before has none, fewer
/// digits than that one.
fn is_shorter(word: &str, above: &[&str]) -> bool {
    let decimals = |word: &str| word.split_once('.').map_or(0, |(_, digits)| digits.len());
    let fewest = above.iter().map(|word| decimals(word)).min();
    match (fewest, above.last()) {
        (Some(0), Some(before)) => word.len() < before.len(),
        (Some(fewest), _) => decimals(word) < fewest,
        (None, _) => false,
    }
}

fn first_number(row: &str) -> Option<u64> {
    row.split(' ').next()?.parse().ok()
}
