//! The OSU micro-benchmarks: `osu_latency` and the blocking collectives, from 3 to 7, and OMB-Py.
//!
//! A title `# OSU MPI … Test v7.4`, perhaps a `# Datatype:`, then a table. Sizes are bytes per message or
//! destination, times microseconds. `osu_latency` prints half round trips. The averages of a collective, and with
//! `-f` the minima and maxima, are statistics over the ranks of each rank's mean; percentiles are ignored. The size
//! of a derived datatype is the bytes that travel; that of a reduction is the whole vector. A barrier has no size. A
//! row whose validation failed is a rejected repetition. The file does not contain the process count. Titles of other
//! programs of the suite (one-sided, NCCL, `OpenSHMEM`, UPC …) are not imported.
//!
//! # Source
//! OSU micro-benchmarks 5.3 to 7.5: `osu_util_mpi.c`, and outputs; OMB-Py's `util.py`.

use super::BenchmarkProgram;
use super::counts;
use super::file::ImportFile;
use super::imported_log::ImportedLog;
use super::operands::StatedOperands;
use super::reduced_size::{RowSizes, SizeConvention};
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

/// Key of the fact that precedes a table of another datatype.
const DATATYPE: &str = "Datatype";

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
            let sizes = RowSizes::of_table(table, procs.count, SizeConvention::Osu)
                .with_operands(&mut imported, || operands(file, table.line));
            for (line, text) in &table.rows {
                let row = table.columns.row(file, *line, text)?;
                add(table, sizes, &row, &mut imported)?;
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
        if key.trim() == DATATYPE {
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
    let has_sizes =
        comment_text.starts_with("Size") && comment_text.contains("Latency") && comment_text.contains("(us)");
    let is_of_barrier = text.starts_with('#') && comment_text.starts_with("Avg Latency(us)");
    let replaced = |text: String, (long, short): &(&str, &str)| text.replace(long, short);
    let short_names = COLUMNS.iter().fold(comment_text.to_owned(), replaced);
    let start = if is_of_barrier {
        RowStart::Time
    } else {
        RowStart::RisingSize
    };
    (has_sizes || is_of_barrier).then(|| ImportColumns::of(&short_names, start))
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
    match file.lines().iter().find_map(|line| version_in_title(&line.text)) {
        Some(version) => format!("OSU micro-benchmarks {version}"),
        None => "OSU micro-benchmarks".to_owned(),
    }
}

/// The version in `# OSU MPI Latency Test v7.4`.
fn version_in_title(text: &str) -> Option<&str> {
    title(text)?;
    text.rsplit_once(" v").map(|(_, version)| version.trim())
}

/// Operation and type of the reductions below a line: sums of the datatype between it and the title. Programs up to 7.0
/// and those in Python print none and sum `MPI_FLOAT`.
fn operands<'f>(file: &'f ImportFile<'_>, line: u64) -> StatedOperands<'f> {
    let element = file.fact_above(line, |text| {
        if let Some((key, name)) = fact(text)
            && key.trim() == DATATYPE
        {
            return Some(Some(name));
        }
        let is_of_floats = title(text)?.contains("Python") || version_in_title(text).is_some_and(sums_floats);
        Some(is_of_floats.then_some("MPI_FLOAT"))
    });
    StatedOperands {
        operation: Some("MPI_SUM"),
        element: element.flatten(),
    }
}

/// True for the versions whose reductions know no other type.
fn sums_floats(version: &str) -> bool {
    let release = version
        .split('.')
        .next()
        .and_then(|release| release.parse::<u32>().ok());
    release.is_some_and(|release| release < 7) || version == "7.0"
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
        .map(|word| word.to_lowercase().replace('-', "").replace('_', "-"))
        .collect();
    let name = if joined_name == "broadcast" {
        "bcast"
    } else {
        &joined_name
    };
    let collective = name.parse::<Collective>().ok()?;
    Some(TableSubject::One(Experiment::Collective(collective)))
}

/// The size that a row prints; 0 for a barrier.
fn printed_size(collective: Option<Collective>, row: &ImportRow<'_>) -> Result<u64, FileError> {
    let column = if row.get("transmitted").is_some() {
        "transmitted"
    } else {
        "Size"
    };
    if collective != Some(Collective::Barrier) {
        return row.count(column);
    }
    match row.get(column) {
        None | Some("0") => Ok(0),
        Some(_) => Err(row.fault("a barrier has no size; name the collective that the table measures")),
    }
}

fn add(table: &LogTable, sizes: RowSizes, row: &ImportRow<'_>, imported: &mut ImportedLog) -> Result<(), FileError> {
    let TableSubject::One(experiment) = table.subject else {
        return Ok(());
    };
    let number = printed_size(sizes.collective, row)?;
    let Some(size) = sizes.size(number, row, imported)? else {
        return Ok(());
    };
    let cell = row.cell(experiment, sizes.procs, size)?;
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
