//! The OSU micro-benchmarks: `osu_latency` and the blocking collectives, from 3 to 7, and OMB-Py.
//!
//! A title `# OSU MPI … Test v7.4`, perhaps a `# Datatype:`, then a table. Sizes are bytes per message or
//! destination, times microseconds. `osu_latency` prints half round trips. The averages of a collective, and with
//! `-f` the minima and maxima, are statistics over the ranks of each rank's mean; percentiles are ignored. The size
//! of a derived datatype is the bytes that travel. A row whose validation failed is a rejected repetition. The file
//! does not contain the process count. Titles of other programs of the suite (one-sided, NCCL, `OpenSHMEM`, UPC …)
//! are not imported.
//!
//! # Source
//! OSU micro-benchmarks 5.3 to 7.5: `osu_util_mpi.c`, and outputs; OMB-Py's `util.py`.

use super::BenchmarkProgram;
use super::counts::{self, TableProcs};
use super::file::ImportFile;
use super::imported_log::ImportedLog;
use super::table::{ImportColumns, ImportRow, RowStart};
use super::tables::{LogLine, LogTable, LoggedBenchmark, TableSubject, tables};
use crate::algorithm::Collective;
use crate::data::{Experiment, ImportedStatistic, RejectionReason};
use crate::text::file_error::FileError;

/// Names of columns, with replacements that have no spaces.
const COLUMNS: [(&str, &str); 10] = [
    ("Size (B)", "Size"),
    ("Size(B)", "Size"),
    ("Size (bytes)", "Size"),
    ("Transmit Size", "transmitted"),
    ("Avg Latency(us)", "mean"),
    ("Min Latency(us)", "min"),
    ("Max Latency(us)", "max"),
    ("Latency (us)", "mean"),
    (" Tail Lat(us)", "-percentile"),
    ("Latency(us)", "mean"),
];

/// Words of a title that do not distinguish collectives.
const FILLING: [&str; 3] = ["Personalized", "Exchange", "Latency"];

/// Columns of a collective, with their statistics.
const STATISTICS: [(&str, ImportedStatistic); 3] = [
    ("mean", ImportedStatistic::MeanOverRanks),
    ("min", ImportedStatistic::MinOverRanks),
    ("max", ImportedStatistic::MaxOverRanks),
];

const MEANING: &str = "collectives: mean, min and max over the ranks of each rank's mean over \
     its repetitions; ping-pong: mean of the repetitions";

/// True for a line that these programs alone print.
pub(super) fn announces(text: &str) -> bool {
    title(text).is_some() || header(text).is_some()
}

/// Reads an output.
pub(super) fn read(file: &ImportFile<'_>) -> Result<ImportedLog, FileError> {
    let mut imported = ImportedLog::new(&version(file), MEANING);
    let tables = tables(
        file,
        BenchmarkProgram::Osu,
        LoggedBenchmark::untitled(file),
        &mut imported,
        meaning,
    )?;
    for name in counts::runs_by_name(file, &tables) {
        let same = tables.iter().rfind(|table| table.name == name);
        let line = same.map_or(1, |table| table.line);
        imported.add_remark(
            line,
            &format!("all tables of {name} are taken as launches of the same processes"),
        );
    }
    let procs = counts::of_tables(file, &tables)?;
    counts::add_placements(&procs, &mut imported);
    for (table, procs) in tables.iter().zip(procs) {
        if counts::begin_table(table, procs, &mut imported) {
            for (line, text) in &table.rows {
                let row = table.columns.row(file, *line, text)?;
                add(table, procs, &row, &mut imported)?;
            }
        }
    }
    Ok(imported)
}

fn meaning<'t>(text: &'t str, imported: &mut ImportedLog) -> LogLine<'t> {
    if let Some(title) = title(text) {
        imported.add_fact("benchmark", title);
        return LogLine::Title(LoggedBenchmark {
            name: title.to_owned(),
            subject: subject(title),
        });
    }
    if let Some(columns) = header(text) {
        return LogLine::Heading(columns);
    }
    if let Some(title) = other_title(text) {
        return LogLine::Title(LoggedBenchmark {
            name: title.to_owned(),
            subject: None,
        });
    }
    if let Some((key, value)) = fact(text) {
        imported.add_fact(key, value);
        if key.trim() == "Datatype" {
            return LogLine::MoreTables;
        }
    }
    LogLine::without_meaning(text)
}

/// The text of a comment. A line that begins like a title or like names is one, too, since Markdown drops the sign.
fn comment(text: &str) -> &str {
    text.trim_start_matches('#').trim_start()
}

/// Columns of a line of names, with the replacements of [`COLUMNS`].
fn header(text: &str) -> Option<ImportColumns> {
    let comment_text = comment(text);
    let is_header =
        comment_text.starts_with("Size") && comment_text.contains("Latency") && comment_text.contains("(us)");
    let replaced = |text: String, (long, short): &(&str, &str)| text.replace(long, short);
    let short_names = || COLUMNS.iter().fold(comment_text.to_owned(), replaced);
    is_header.then(|| ImportColumns::of(&short_names(), RowStart::RisingSize))
}

/// The title, without the version, in `# OSU MPI Latency Test v7.4`.
fn title(text: &str) -> Option<&str> {
    let comment_text = comment(text);
    let title = comment_text.split(" v").next().unwrap_or(comment_text).trim();
    let is_title = title.starts_with("OSU ") || title.starts_with("OMB ");
    (is_title && title.split(' ').any(|word| word == "Test")).then_some(title)
}

/// The title of another suite, such as `# NVSHMEM Put Latency Test`.
fn other_title(text: &str) -> Option<&str> {
    let comment_text = text.strip_prefix('#')?.trim();
    let title = comment_text.split(" v").next().unwrap_or(comment_text);
    let starts_with_letter = title.starts_with(|sign: char| sign.is_ascii_alphabetic());
    let mut words = title.split_whitespace();
    let names_benchmark = words.any(|word| ["Test", "Latency", "Bandwidth"].contains(&word));
    let is_title = names_benchmark || title.starts_with("OSU ");
    let is_sentence = title.contains(':') || title.starts_with("Size");
    (starts_with_letter && is_title && !is_sentence).then_some(title)
}

fn version(file: &ImportFile<'_>) -> String {
    let version = file.lines().iter().find_map(|line| {
        title(&line.text)?;
        line.text.rsplit_once(" v").map(|(_, version)| version.trim())
    });
    match version {
        Some(version) => format!("OSU micro-benchmarks {version}"),
        None => "OSU micro-benchmarks".to_owned(),
    }
}

/// A line `# Key: value`.
fn fact(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.strip_prefix('#')?.split_once(": ")?;
    Some((key, value.trim_end_matches('.')))
}

/// The subject of a title such as `OSU MPI-CUDA Broadcast Latency Test` or `OMB Python MPI Bcast Latency Test`;
/// `None` if it is not imported.
fn subject(title: &str) -> Option<TableSubject> {
    let mut all_words = title.split_whitespace().skip(1).peekable();
    all_words.next_if_eq(&"Python");
    let library = all_words.next()?;
    if library != "MPI" && !library.starts_with("MPI-") {
        return None;
    }
    let words: Vec<&str> = all_words.take_while(|word| *word != "Test").collect();
    if words == ["Latency"] {
        return Some(TableSubject::One(Experiment::PingPong));
    }
    let collective_words = words.iter().filter(|word| !FILLING.contains(word));
    let joined_name: String = collective_words
        .map(|word| word.to_lowercase().replace('-', ""))
        .collect();
    let name = if joined_name == "broadcast" {
        "bcast"
    } else {
        &joined_name
    };
    let collective = name.parse::<Collective>().ok()?;
    Some(TableSubject::One(Experiment::Collective(collective)))
}

fn add(table: &LogTable, procs: TableProcs, row: &ImportRow<'_>, imported: &mut ImportedLog) -> Result<(), FileError> {
    let TableSubject::One(experiment) = table.subject else {
        return Ok(());
    };
    let size = match row.get("transmitted") {
        Some(_) => row.size("transmitted")?,
        None => row.size("Size")?,
    };
    let cell = row.cell(experiment, procs.count, size)?;
    if row.get("Validation") == Some("Fail") {
        imported.add_rejected(&cell, 0, RejectionReason::WrongData);
        return Ok(());
    }
    let averaged = row.optional_count("Iterations")?;
    let mut times = Vec::new();
    for (column, statistic) in STATISTICS {
        if column == "mean" || table.columns.has(column) {
            let statistic = match experiment {
                Experiment::PingPong => ImportedStatistic::Mean,
                _ => statistic,
            };
            times.push((statistic, row.microseconds(column)?));
        }
    }
    imported.add_aggregates(&cell, averaged, &times);
    Ok(())
}
