//! The Intel MPI Benchmarks (and Pallas', their ancestor): `PingPong` and the blocking
//! collectives of IMB-MPI1.
//!
//! Each benchmark and process count has a block: `# Benchmarking Alltoall`, `# #processes = 8`, a
//! table. Sizes are bytes per message or destination, of `Reduce` and `Allreduce` those of the vector. Those of
//! `Reduce_scatter` are so up to version 2019.0, and later bytes for each process. A barrier has no size. Times are
//! microseconds. `PingPong` prints
//! half round trips. For a collective, `t_min`, `t_max` and `t_avg` are statistics over the ranks
//! of each rank's mean. Left out are benchmarks that run in several groups at once (`Multi-`),
//! since the groups contend with each other, and rows that IMB could not measure. A row with
//! defects is a rejected repetition.
//!
//! # Source
//! Intel MPI Benchmarks 2019 to 2021: `IMB_output.c`; outputs of these versions, of versions
//! 3 and 4, and of Pallas 2.2.

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
use crate::units::Procs;

const MEANING: &str = "collectives: min, max and mean over the ranks of each rank's mean over \
     its repetitions; ping-pong: mean of the repetitions";

/// Texts in place of the times of a row that was not measured.
const NOT_MEASURED: [&str; 3] = ["out-of-mem.", "int-overflow.", "time-out."];

/// Columns of a collective, with their statistics.
const STATISTICS: [(&str, ImportedStatistic); 3] = [
    ("t_avg[usec]", ImportedStatistic::MeanOverRanks),
    ("t_min[usec]", ImportedStatistic::MinOverRanks),
    ("t_max[usec]", ImportedStatistic::MaxOverRanks),
];

/// Columns of a ping-pong, with their statistics.
const PINGPONG: [(&str, ImportedStatistic); 1] = [("t[usec]", ImportedStatistic::Mean)];

/// True for a line that these programs alone print.
pub(super) fn announces(text: &str) -> bool {
    let is_title = text.starts_with('#') && text.contains("MPI Benchmark") && !text.contains("OSU");
    is_title || benchmark(text).is_some() || is_header(text)
}

/// Reads an output.
pub(super) fn read(file: &ImportFile<'_>) -> Result<ImportedLog, FileError> {
    let mut imported = ImportedLog::new(&version(file), MEANING);
    let mut has_begun = false;
    let meaning = |text, imported: &mut ImportedLog| meaning(text, &mut has_begun, imported);
    let tables = tables(
        file,
        BenchmarkProgram::Imb,
        LoggedBenchmark::untitled(file),
        &mut imported,
        meaning,
    )?;
    let procs = counts::of_tables(file, &tables)?;
    counts::add_placements(&procs, &mut imported);
    for (table, procs) in tables.iter().zip(procs) {
        if counts::begin_table(table, procs, &mut imported)
            && let Some(sizes) = row_sizes(file, table, procs.count, &mut imported)
        {
            for (line, text) in &table.rows {
                let row = table.columns.row(file, *line, text)?;
                add(table, sizes, &row, &mut imported)?;
            }
        }
    }
    Ok(imported)
}

/// How a table states sizes; `None`, with a note, if nothing says so.
fn row_sizes(file: &ImportFile<'_>, table: &LogTable, procs: Procs, imported: &mut ImportedLog) -> Option<RowSizes> {
    let convention = match table.collective() {
        Some(Collective::ReduceScatter) => {
            file.fact_above(table.line, |text| SizeConvention::of_imb(version_in(text)?))
        }
        _ => Some(SizeConvention::ImbBlocks),
    };
    let Some(convention) = convention else {
        let reason = "no title states the version of IMB, which decides whether the sizes of Reduce_scatter are \
                      those of the vector or of each process; give the whole output";
        imported.leave_out(table.line, reason);
        return None;
    };
    let sizes = RowSizes::of_table(table, procs, convention);
    Some(sizes.with_operands(imported, || operands(file, table.line)))
}

/// Operation and type of the reductions below a line. The type in the command counts before that in the header, which
/// in some versions is `MPI_FLOAT` whatever the command says.
fn operands<'f>(file: &'f ImportFile<'_>, line: u64) -> StatedOperands<'f> {
    let chosen_type = file.fact_above(line, |text| {
        let (_, options) = text.split_once("IMB-MPI1")?;
        let behind_option = options.split_once("-red_data_type ").map(|(_, rest)| rest);
        Some(behind_option.and_then(|rest| rest.split_whitespace().next()))
    });
    let named = |name: &'static str| move |text: &'f str| fact(text).filter(|(key, _)| key.trim() == name);
    let value = |name| file.fact_above(line, named(name)).map(|(_, value)| value.trim());
    StatedOperands {
        operation: value("MPI_Op"),
        element: chosen_type.flatten().or_else(|| value("MPI_Datatype for reductions")),
    }
}

fn meaning<'t>(text: &'t str, has_begun: &mut bool, imported: &mut ImportedLog) -> LogLine<'t> {
    if let Some(name) = benchmark(text) {
        *has_begun = true;
        return LogLine::Title(LoggedBenchmark {
            name: name.to_owned(),
            subject: subject(name).map(TableSubject::One),
        });
    }
    if text.starts_with('#') && text.contains(" groups of ") {
        return LogLine::Unusable("several groups ran at once");
    }
    if let Some(procs) = processes(text) {
        return LogLine::Procs(procs);
    }
    if is_header(text) {
        return LogLine::Heading(ImportColumns::of(text, RowStart::Size));
    }
    if let Some(why) = NOT_MEASURED.iter().find(|why| text.contains(**why)) {
        return LogLine::NotMeasured(why.trim_end_matches('.'));
    }
    if let (false, Some((key, value))) = (*has_begun, fact(text)) {
        imported.add_fact(key, value);
    }
    LogLine::without_meaning(text)
}

/// The name in `# Benchmarking NAME`.
fn benchmark(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('#').trim_start();
    let name = text.strip_prefix("Benchmarking ")?.trim();
    (!name.contains(' ')).then_some(name)
}

/// The number in `# #processes = 8`, which older versions put in brackets.
fn processes(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("#processes = ")?;
    rest.split(|sign: char| !sign.is_ascii_digit()).next()
}

/// True for the names of columns; a barrier has no `#bytes`.
fn is_header(text: &str) -> bool {
    let has = |name: &str| text.split_whitespace().any(|word| word == name);
    has("#repetitions") && (has("#bytes") || has("t_avg[usec]"))
}

/// A fact: a line `# Date : Fri Nov 20 …`, or the command.
fn fact(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('#')?;
    if text.contains("IMB-") {
        return Some(("command", text));
    }
    let (key, value) = text.split_once(':')?;
    let is_fact = !key.trim().is_empty() && !value.trim().is_empty();
    is_fact.then_some((key, value))
}

fn version(file: &ImportFile<'_>) -> String {
    let first = file.lines().iter().find_map(|line| title(&line.text));
    first.unwrap_or("Intel(R) MPI Benchmarks").to_owned()
}

/// The title in `# Intel(R) MPI Benchmarks 2021.11, MPI-1 part`.
fn title(text: &str) -> Option<&str> {
    let title = text.strip_prefix('#')?.split(", ").next()?.trim();
    title.contains("MPI Benchmark").then_some(title)
}

/// The version in a title.
fn version_in(text: &str) -> Option<&str> {
    title(text)?.split_once("MPI Benchmark").map(|(_, version)| version)
}

fn subject(name: &str) -> Option<Experiment> {
    if name == "PingPong" {
        return Some(Experiment::PingPong);
    }
    let collective = name.to_ascii_lowercase().replace('_', "-").parse::<Collective>();
    collective.ok().map(Experiment::Collective)
}

fn add(table: &LogTable, sizes: RowSizes, row: &ImportRow<'_>, imported: &mut ImportedLog) -> Result<(), FileError> {
    let TableSubject::One(experiment) = table.subject else {
        return Ok(());
    };
    let number = match sizes.collective {
        Some(Collective::Barrier) => 0,
        _ => row.count("#bytes")?,
    };
    let Some(size) = sizes.size(number, row, imported)? else {
        return Ok(());
    };
    let cell = row.cell(experiment, sizes.procs, size)?;
    if table.columns.has("defects") && row.seconds("defects")?.0 > 0.0 {
        imported.add_rejected(&cell, 0, RejectionReason::WrongData);
        return Ok(());
    }
    let averaged = Some(row.count("#repetitions")?);
    let statistics: &[_] = match experiment {
        Experiment::PingPong => &PINGPONG,
        _ => &STATISTICS,
    };
    let time = |(column, statistic): &(&str, ImportedStatistic)| Ok((*statistic, row.microseconds(column)?));
    let times: Vec<_> = statistics.iter().map(time).collect::<Result<_, _>>()?;
    imported.add_aggregates(&cell, averaged, &times);
    Ok(())
}
