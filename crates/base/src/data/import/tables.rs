//! The tables of a log, whichever program printed them: title, names of columns, rows, and between them
//! the lines of other programs.

use super::BenchmarkProgram;
use super::file::{FileLine, ImportFile};
use super::imported_log::ImportedLog;
use super::launch::{LaunchLog, LaunchNumbers};
use super::launchers::osu_program;
use super::resemblance::{begins_other_row, is_cut, last_word, resembles};
use super::table::ImportColumns;
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
    Heading(ImportColumns),
    /// The names of a table that is not imported.
    OtherHeading(String),
    /// A row that stands under names of its own.
    LoneRow(ImportColumns, &'a str),
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
    /// Subject of its tables; `None` if they are not imported.
    pub subject: Option<TableSubject>,
}

impl LoggedBenchmark {
    /// The benchmark of tables without a title: the collective that the user names.
    pub fn untitled(file: &ImportFile<'_>) -> Option<Self> {
        let collective = file.options.collective?;
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

/// Experiments that the rows of a table measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableSubject {
    /// One experiment.
    One(Experiment),
    /// Experiments between two processes.
    Pair,
    /// The experiment that each row names.
    ByRow,
}

impl TableSubject {
    /// Beginning of the name of the OSU program that measures it; empty if it is unknown.
    fn program(self) -> String {
        match self {
            Self::One(Experiment::PingPong) => "osu_latency".to_owned(),
            Self::One(Experiment::Collective(collective)) => osu_program(collective),
            _ => String::new(),
        }
    }

    /// Refuses a title that contradicts the collective that the user names.
    fn refuse_other_collective(self, user_collective: Option<Collective>) -> Result<(), String> {
        match (user_collective, self) {
            (Some(user_collective), Self::One(Experiment::Collective(title_collective)))
                if user_collective != title_collective =>
            {
                Err(format!(
                    "the title says {title_collective}, not {user_collective}; leave --collective out"
                ))
            }
            _ => Ok(()),
        }
    }
}

/// A table with the facts above it.
#[derive(Debug)]
pub(super) struct LogTable {
    /// Line of the names.
    pub line: u64,
    /// Number of the title above it, from 0: the run of a benchmark.
    pub run: usize,
    /// Name of the benchmark.
    pub name: String,
    /// Experiments that the rows measure.
    pub subject: TableSubject,
    /// Names of the columns.
    pub columns: ImportColumns,
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

/// Reader of a log, with its state after the lines read so far.
struct LogReader<'f> {
    file: &'f ImportFile<'f>,
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
/// `meaning` gives the meaning of a line to `program`; `untitled` is the benchmark of tables without a title.
///
/// # Errors
/// If a table has no title, its title contradicts the user, or the file ends within a row.
pub(super) fn tables<'f>(
    file: &'f ImportFile<'_>,
    program: BenchmarkProgram,
    untitled: Option<LoggedBenchmark>,
    imported: &mut ImportedLog,
    mut meaning: impl FnMut(&'f str, &mut ImportedLog) -> LogLine<'f>,
) -> Result<Vec<LogTable>, FileError> {
    let mut reader = LogReader::new(file, untitled);
    for line in file.lines() {
        if line.announces.is_some_and(|other| other != program) {
            reader.position = LogPosition::InOther;
        } else {
            let meaning = meaning(&line.text, imported);
            reader.read(line, meaning, imported)?;
        }
    }
    let tables = reader.tables;
    tables.last().map_or(Ok(()), |last| last.refuse_cut(file))?;
    Ok(tables)
}

impl<'f> LogReader<'f> {
    fn new(file: &'f ImportFile<'f>, untitled: Option<LoggedBenchmark>) -> Self {
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

    fn read(&mut self, line: &FileLine, meaning: LogLine<'_>, imported: &mut ImportedLog) -> Result<(), FileError> {
        let FileLine { number, text, .. } = line;
        match meaning {
            LogLine::Title(benchmark) => self.begin_run(benchmark, *number, imported),
            LogLine::Unusable(why) => self.end_benchmark(*number, why, imported),
            LogLine::Heading(columns) => self.begin_table(*number, columns, imported)?,
            LogLine::OtherHeading(names) => self.begin_other_table(*number, &names, imported),
            LogLine::LoneRow(columns, row) => {
                self.begin_table(*number, columns, imported)?;
                self.add_row(*number, row, imported);
                self.position = LogPosition::Outside;
            }
            LogLine::Procs(count) => self.procs = count.trim().parse().ok(),
            LogLine::ItemBytes(count) => self.item_bytes = count.trim().parse().ok(),
            LogLine::NotMeasured(why) => self.leave_out_row(*number, why, imported),
            LogLine::MoreTables => self.has_table = false,
            LogLine::Comment => {
                self.launches.note_line(text);
            }
            LogLine::Other if self.launches.note_line(text) => {}
            LogLine::Other => self.add_row(*number, text, imported),
        }
        Ok(())
    }

    fn begin_run(&mut self, benchmark: LoggedBenchmark, line: u64, imported: &mut ImportedLog) {
        self.run += 1;
        self.has_table = false;
        self.procs = None;
        self.position = LogPosition::Outside;
        if benchmark.subject.is_none() {
            self.position = LogPosition::InOther;
            imported.leave_out(line, &format!("{} is not imported", benchmark.name));
        }
        self.benchmark = Some(benchmark);
    }

    fn begin_table(&mut self, line: u64, columns: ImportColumns, imported: &mut ImportedLog) -> Result<(), FileError> {
        let is_imported = self.benchmark.as_ref().is_some_and(|known| known.subject.is_some());
        if self.has_table && is_imported && (columns.begin_with_sizes() || columns.begin_with_time()) {
            // A second heading below a title is that of a table whose title is lost.
            self.run += 1;
            self.benchmark.clone_from(&self.untitled);
        }
        self.has_table = true;
        let Some(benchmark) = &self.benchmark else {
            return self.leave_out_untitled(line, imported);
        };
        let Some(subject) = benchmark.subject else {
            return Ok(());
        };
        subject
            .refuse_other_collective(self.file.options.collective)
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
    fn leave_out_untitled(&mut self, line: u64, imported: &mut ImportedLog) -> Result<(), FileError> {
        let problem = "no title names the collective of this table; give the whole output, or --collective NAME";
        if self.tables.is_empty() {
            return Err(self.file.fault(line, problem));
        }
        self.position = LogPosition::InOther;
        imported.leave_out(line, problem);
        Ok(())
    }

    fn end_benchmark(&mut self, line: u64, why: &str, imported: &mut ImportedLog) {
        if let Some(benchmark) = &mut self.benchmark
            && benchmark.subject.take().is_some()
        {
            imported.leave_out(line, &format!("{}: {why}", benchmark.name));
            self.position = LogPosition::InOther;
        }
    }

    fn begin_other_table(&mut self, line: u64, names: &str, imported: &mut ImportedLog) {
        if !matches!(self.position, LogPosition::InOther) {
            imported.leave_out(line, &format!("the table of {names} is not imported"));
        }
        self.position = LogPosition::InOther;
    }

    fn leave_out_row(&self, line: u64, why: &str, imported: &mut ImportedLog) {
        if matches!(self.position, LogPosition::InTable) {
            imported.leave_out(line, &format!("not measured ({why})"));
        }
    }

    /// Adds a row to the table at this place, or leaves the line out.
    fn add_row(&mut self, line: u64, text: &str, imported: &mut ImportedLog) {
        let table = self.tables.last_mut();
        let is_unended = self.file.unended_line() == Some(line);
        match (&self.position, table) {
            (LogPosition::InTable, Some(table)) if table.is_row(text) || (is_unended && table.columns.begins(text)) => {
                table.rows.push((line, text.to_owned()));
            }
            (LogPosition::InOther, _) if begins_other_row(text) => {}
            _ => imported.leave_out_foreign(line, text),
        }
    }
}

impl LogTable {
    /// The collective that all rows measure.
    pub fn collective(&self) -> Option<Collective> {
        match self.subject {
            TableSubject::One(Experiment::Collective(collective)) => Some(collective),
            _ => None,
        }
    }

    /// True if a line begins like a row, and resembles the row before it. A barrier, which has no sizes, has one row.
    fn is_row(&self, text: &str) -> bool {
        if self.collective() == Some(Collective::Barrier) && !self.rows.is_empty() {
            return false;
        }
        let before = self.rows.last().map(|(_, row)| &**row);
        self.columns.begins(text) && before.is_none_or(|before| resembles(text, before, &self.columns))
    }

    /// Refuses a table whose last row ends the file, without a line end, in a number with fewer digits than those
    /// above it.
    fn refuse_cut(&self, file: &ImportFile<'_>) -> Result<(), FileError> {
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
