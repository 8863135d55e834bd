//! The tables of a log, whichever program printed them: title, names of columns, rows, and between them
//! the lines of other programs.

use super::Program;
use super::file::{File, FileLine};
use super::launch::{LaunchLog, LaunchNumbers};
use super::resemblance::{begins_other_row, is_cut, last_word, resembles};
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
    /// The tables of the benchmark cannot be imported, for a reason.
    Unusable(&'static str),
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
    /// Another table of the same benchmark follows.
    MoreTables,
    /// A row without times, and the reason.
    NotMeasured(&'static str),
    /// A comment, or an empty line.
    Comment,
    /// A row, or a line of another program.
    Other,
}

impl LogLine<'_> {
    /// A line that is neither title nor heading of the program.
    pub fn without_meaning(text: &str) -> Self {
        let words: Vec<&str> = text.trim_start_matches('#').split_whitespace().collect();
        let names = words.first().is_some_and(|first| SIZES.contains(first));
        if text.starts_with('#') && names && words.len() > 1 {
            Self::OtherHeading(words.join(" "))
        } else if text.is_empty() || text.starts_with('#') {
            Self::Comment
        } else {
            Self::Other
        }
    }
}

/// Names of the first columns of tables that programs without a reader print.
const SIZES: [&str; 6] = ["Size", "size", "bytes", "nbytes", "Bytes", "Message"];

/// A benchmark with tables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LoggedBenchmark {
    /// Its name in messages.
    pub name: String,
    /// What it measures; `None` where it is not imported.
    pub subject: Option<TableSubject>,
}

impl LoggedBenchmark {
    /// The benchmark of tables without a title: the collective that the user names.
    pub fn untitled(file: &File<'_>) -> Option<Self> {
        let collective = file.asked.collective?;
        Some(Self {
            name: collective.to_string(),
            subject: Some(TableSubject::One(Experiment::Collective(collective))),
        })
    }

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
    /// Beginning of the name of the OSU program that measures it; empty if it is unknown.
    fn program(self) -> String {
        match self {
            Self::One(Experiment::PingPong) => "osu_latency".to_owned(),
            Self::One(Experiment::Collective(collective)) => format!("osu_{collective}"),
            _ => String::new(),
        }
    }

    /// Refuses a title that contradicts the collective that the user names.
    fn agrees(self, asked: Option<Collective>) -> Result<(), String> {
        match (asked, self) {
            (Some(asked), Self::One(Experiment::Collective(titled))) if asked != titled => {
                Err(format!("the title says {titled}, not {asked}; leave --collective out"))
            }
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
struct LogReader<'f> {
    file: &'f File<'f>,
    launches: LaunchLog,
    benchmark: Option<LoggedBenchmark>,
    untitled: Option<LoggedBenchmark>,
    /// True if a table stands below the last title or datatype.
    has_table: bool,
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
    let mut reader = LogReader::new(file, untitled);
    for line in file.lines() {
        if line.announces.is_some_and(|other| other != program) {
            reader.position = LogPosition::InOther;
        } else {
            let meaning = meaning(&line.text, source);
            reader.read(line, meaning, source)?;
        }
    }
    let tables = reader.tables;
    tables.last().map_or(Ok(()), |last| last.refuse_cut(file))?;
    Ok(tables)
}

impl<'f> LogReader<'f> {
    fn new(file: &'f File<'f>, untitled: Option<LoggedBenchmark>) -> Self {
        Self {
            file,
            launches: LaunchLog::default(),
            benchmark: untitled.clone(),
            untitled,
            has_table: false,
            run: 0,
            procs: None,
            item_bytes: None,
            position: LogPosition::Outside,
            tables: Vec::new(),
        }
    }

    fn read(&mut self, line: &FileLine, meaning: LogLine<'_>, source: &mut Source) -> Result<(), FileError> {
        let FileLine { number, text, .. } = line;
        match meaning {
            LogLine::Title(benchmark) => self.begin_run(benchmark, *number, source),
            LogLine::Unusable(why) => self.end_benchmark(*number, why, source),
            LogLine::Heading(columns) => self.begin_table(*number, columns, source)?,
            LogLine::OtherHeading(names) => self.begin_other(*number, &names, source),
            LogLine::LoneRow(columns, row) => {
                self.begin_table(*number, columns, source)?;
                self.add(*number, row, source);
                self.position = LogPosition::Outside;
            }
            LogLine::Procs(count) => self.procs = count.trim().parse().ok(),
            LogLine::ItemBytes(count) => self.item_bytes = count.trim().parse().ok(),
            LogLine::NotMeasured(why) => self.leave_out_row(*number, why, source),
            LogLine::MoreTables => self.has_table = false,
            LogLine::Comment => {
                self.launches.note(text);
            }
            LogLine::Other if self.launches.note(text) => {}
            LogLine::Other => self.add(*number, text, source),
        }
        Ok(())
    }

    fn begin_run(&mut self, benchmark: LoggedBenchmark, line: u64, source: &mut Source) {
        self.run += 1;
        self.has_table = false;
        self.procs = None;
        self.position = LogPosition::Outside;
        if benchmark.subject.is_none() {
            self.position = LogPosition::InOther;
            source.leave_out(line, &format!("{} is not imported", benchmark.name));
        }
        self.benchmark = Some(benchmark);
    }

    fn begin_table(&mut self, line: u64, columns: Columns, source: &mut Source) -> Result<(), FileError> {
        let is_imported = self.benchmark.as_ref().is_some_and(|known| known.subject.is_some());
        if self.has_table && is_imported && columns.begin_with_sizes() {
            // A second heading below a title is that of a table whose title is lost.
            self.run += 1;
            self.benchmark.clone_from(&self.untitled);
        }
        self.has_table = true;
        let Some(benchmark) = &self.benchmark else {
            return self.leave_out_untitled(line, source);
        };
        let Some(subject) = benchmark.subject else {
            return Ok(());
        };
        subject
            .agrees(self.file.asked.collective)
            .map_err(|problem| self.file.fault(line, problem))?;
        self.tables.push(LogTable {
            line,
            run: self.run,
            name: benchmark.name.clone(),
            subject,
            columns,
            procs: self.procs,
            launch: self.launches.of_table(&benchmark.name, &subject.program(), self.run),
            item_bytes: self.item_bytes,
            rows: Vec::new(),
        });
        self.position = LogPosition::InTable;
        Ok(())
    }

    /// Leaves out a table without a title.
    ///
    /// # Errors
    /// If it is the first table.
    fn leave_out_untitled(&mut self, line: u64, source: &mut Source) -> Result<(), FileError> {
        let problem = "no title names the collective of this table; give the whole output, or --collective NAME";
        if self.tables.is_empty() {
            return Err(self.file.fault(line, problem));
        }
        self.position = LogPosition::InOther;
        source.leave_out(line, problem);
        Ok(())
    }

    fn end_benchmark(&mut self, line: u64, why: &str, source: &mut Source) {
        if let Some(benchmark) = &mut self.benchmark
            && benchmark.subject.take().is_some()
        {
            source.leave_out(line, &format!("{}: {why}", benchmark.name));
            self.position = LogPosition::InOther;
        }
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
        let is_unended = self.file.unended_line() == Some(line);
        match (&self.position, table) {
            (LogPosition::InTable, Some(table)) if table.is_row(text) || (is_unended && table.columns.begins(text)) => {
                table.rows.push((line, text.to_owned()));
            }
            (LogPosition::InOther, _) if begins_other_row(text) => {}
            _ => source.leave_out_foreign(line, text),
        }
    }
}

impl LogTable {
    /// True if a line begins like a row, and resembles the row before it.
    fn is_row(&self, text: &str) -> bool {
        let before = self.rows.last().map(|(_, row)| &**row);
        self.columns.begins(text) && before.is_none_or(|before| resembles(text, before, &self.columns))
    }

    /// Refuses a table whose last row ends the file, without a line end, in a number with fewer digits than those
    /// above it.
    fn refuse_cut(&self, file: &File<'_>) -> Result<(), FileError> {
        let [above @ .., (line, row)] = &*self.rows else {
            return Ok(());
        };
        let above: Vec<&str> = above.iter().map(|(_, row)| last_word(row)).collect();
        let word = last_word(row);
        if file.unended_line() != Some(*line) || !is_cut(word, &above, &self.columns) {
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
