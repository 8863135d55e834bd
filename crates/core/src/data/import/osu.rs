//! The OSU micro-benchmarks: `osu_latency` and the blocking collectives, from 3 to 7.
//!
//! A title `# OSU MPI … Test v7.4`, perhaps a `# Datatype:`, then a table. Sizes are bytes per
//! message or destination, times microseconds. `osu_latency` prints half round trips. The averages
//! of a collective, and with `-f` the minima and maxima, are statistics over the ranks of each
//! rank's mean; percentiles are ignored. A row whose validation failed is a rejected repetition.
//! The file does not contain the process count.
//!
//! # Source
//! OSU micro-benchmarks 5.3 to 7.5: `osu_util_mpi.c`, and outputs.

use super::file::{File, is_row, pair};
use super::source::Source;
use super::table::{Columns, Row};
use crate::algorithm::Collective;
use crate::data::{Experiment, Rejection, StatisticKind};
use crate::text::file_error::FileError;
use crate::units::Procs;

/// Names of columns, with replacements that have no spaces.
const COLUMNS: [(&str, &str); 7] = [
    ("Transmit Size", "transmitted"),
    ("Avg Latency(us)", "mean"),
    ("Min Latency(us)", "min"),
    ("Max Latency(us)", "max"),
    ("Latency (us)", "mean"),
    (" Tail Lat(us)", "-percentile"),
    ("Latency(us)", "mean"),
];

/// Collectives by the text between `OSU MPI` and `Test` in a title.
const COLLECTIVES: [(&str, &str); 5] = [
    ("Broadcast Latency", "bcast"),
    ("Scatter Latency", "scatter"),
    ("Gather Latency", "gather"),
    ("Allgather Latency", "allgather"),
    ("All-to-All Personalized Exchange Latency", "alltoall"),
];

/// The title of `osu_latency`.
const PINGPONG: &str = "Latency";

/// Columns of a collective, with their statistics.
const STATISTICS: [(&str, StatisticKind); 3] = [
    ("mean", StatisticKind::MeanOverRanks),
    ("min", StatisticKind::MinOverRanks),
    ("max", StatisticKind::MaxOverRanks),
];

const MEANING: &str = "collectives: mean, min and max over the ranks of each rank's mean over \
     its repetitions; ping-pong: mean of the repetitions";

/// Subject that the last title announced.
#[derive(Clone, Copy)]
enum Subject {
    Untitled,
    Measured(Experiment),
    NotImported,
}

/// The table that is being read.
struct Table {
    columns: Columns,
    experiment: Experiment,
    procs: Procs,
}

/// Reads an output.
pub(super) fn read(file: &File<'_>) -> Result<Source, FileError> {
    let mut source = Source::new(&version(file), MEANING);
    let mut subject = Subject::Untitled;
    let mut table = None;
    for (line, text) in file.lines() {
        if let Some(title) = title(text) {
            table = None;
            subject = announced(title);
            source.fact("benchmark", title);
            if matches!(subject, Subject::NotImported) {
                source.leave_out(line, &format!("{title} is not imported"));
            }
        } else if let Some(columns) = header(text) {
            table = begin(file, line, (subject, columns))?;
            source.begin_run();
        } else if let Some((key, value)) = fact(text) {
            source.fact(key, value);
        } else if let Some(table) = &table
            && is_row(text)
        {
            add(table, &table.columns.row(file, line, text)?, &mut source)?;
        }
    }
    Ok(source)
}

/// Columns of a line of names, with the replacements of [`COLUMNS`].
fn header(text: &str) -> Option<Columns> {
    let names = text.strip_prefix('#')?.trim_start();
    let is_header = names.starts_with("Size") && names.contains("(us)");
    let replaced = |text: String, (long, short): &(&str, &str)| text.replace(long, short);
    is_header.then(|| Columns::of(&COLUMNS.iter().fold(names.to_owned(), replaced)))
}

/// The title, without the version, in `# OSU MPI Latency Test v7.4`.
fn title(text: &str) -> Option<&str> {
    let title = text.strip_prefix('#')?.trim_start();
    let title = title.split(" v").next().unwrap_or(title);
    title.starts_with("OSU ").then(|| title.trim())
}

fn version(file: &File<'_>) -> String {
    let version = file.lines().find_map(|(_, text)| {
        title(text)?;
        text.rsplit_once(" v").map(|(_, version)| version.trim())
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

/// Subject of a title, whose second word may contain an accelerator: `MPI-CUDA`.
fn announced(title: &str) -> Subject {
    let name = title.splitn(3, ' ').nth(2).unwrap_or_default();
    let name = name.strip_suffix("Test").unwrap_or(name).trim();
    if name == PINGPONG {
        return Subject::Measured(Experiment::PingPong);
    }
    let collective = COLLECTIVES.iter().find(|(title, _)| *title == name);
    match collective.and_then(|(_, name)| name.parse::<Collective>().ok()) {
        Some(collective) => Subject::Measured(Experiment::Collective(collective)),
        None => Subject::NotImported,
    }
}

/// The table below a line of names; `None` if its subject is not imported.
fn begin(
    file: &File<'_>,
    line: u64,
    (subject, columns): (Subject, Columns),
) -> Result<Option<Table>, FileError> {
    let experiment = match (subject, file.asked.collective) {
        (Subject::NotImported, _) => return Ok(None),
        (Subject::Measured(experiment), _) => experiment,
        (Subject::Untitled, Some(collective)) => Experiment::Collective(collective),
        (Subject::Untitled, None) => {
            return Err(file.fault(
                line,
                "no title names the collective; give the whole output, or --collective NAME",
            ));
        }
    };
    let procs = match experiment {
        Experiment::PingPong => pair(),
        _ => file.procs(line, None)?,
    };
    Ok(Some(Table {
        columns,
        experiment,
        procs,
    }))
}

fn add(table: &Table, row: &Row<'_>, source: &mut Source) -> Result<(), FileError> {
    let cell = row.cell(table.experiment, (table.procs, row.size("Size")?))?;
    if row.get("Validation") == Some("Fail") {
        source.reject(&cell, 0, Rejection::WrongData);
        return Ok(());
    }
    let averaged = row.optional_count("Iterations")?;
    for (column, statistic) in STATISTICS {
        if column != "mean" && !table.columns.has(column) {
            continue;
        }
        let statistic = match table.experiment {
            Experiment::PingPong => StatisticKind::Mean,
            _ => statistic,
        };
        source.aggregate(&cell, statistic, averaged, row.microseconds(column)?);
    }
    Ok(())
}
