//! The files of the MPI LogP Benchmark: the tables of pLogP, in seconds.
//!
//! A file has `# LogP network performance data: NAME`, `# Latency = S`, then a row for each size
//! below `# time bytes os os_min os_cnfint or or_min or_cnfint g`. Means and minima of the
//! overheads are kept, half-widths of confidence intervals are not. The program's own reader
//! confuses minima and half-widths; this reader goes by the names of the columns.
//!
//! # Source
//! T. Kielmann, H. E. Bal, K. Verstoep 2000, and the program's `logp_mpi.c`.

use super::BenchmarkProgram;
use super::counts;
use super::file::{ImportFile, two_procs};
use super::imported_log::ImportedLog;
use super::table::{ImportColumns, ImportRow, RowStart};
use super::tables::{LogLine, LoggedBenchmark, tables};
use crate::data::{Experiment, ImportedStatistic};
use crate::text::file_error::FileError;
use crate::units::Bytes;

/// Columns with their experiments and statistics.
const COLUMNS: [(&str, Experiment, ImportedStatistic); 5] = [
    ("os", Experiment::SendOverhead, ImportedStatistic::Mean),
    ("os_min", Experiment::SendOverhead, ImportedStatistic::Min),
    ("or", Experiment::ReceiveOverhead, ImportedStatistic::Mean),
    ("or_min", Experiment::ReceiveOverhead, ImportedStatistic::Min),
    ("g", Experiment::Gap, ImportedStatistic::Mean),
];

const MEANING: &str = "means and minima of the repetitions; gaps and latency follow from means";

/// True for a line that this program alone prints.
pub(super) fn announces(text: &str) -> bool {
    text.starts_with("# LogP network performance data:") || text.starts_with("# time bytes os")
}

/// Reads a file.
pub(super) fn read(file: &ImportFile<'_>) -> Result<ImportedLog, FileError> {
    let name = "MPI LogP Benchmark";
    let mut imported = ImportedLog::new(name, MEANING);
    let untitled = Some(LoggedBenchmark::of_pairs(name));
    let tables = tables(file, BenchmarkProgram::LogpMpi, untitled, &mut imported, meaning)?;
    for (table, procs) in tables.iter().zip(counts::of_tables(file, &tables)?) {
        if counts::begin_table(table, procs, &mut imported) {
            for (line, text) in &table.rows {
                add(&table.columns.row(file, *line, text)?, &mut imported)?;
            }
        }
    }
    Ok(imported)
}

fn meaning<'t>(text: &'t str, imported: &mut ImportedLog) -> LogLine<'t> {
    let Some(comment) = text.strip_prefix('#').map(str::trim) else {
        return LogLine::without_meaning(text);
    };
    if let Some(name) = comment.strip_prefix("LogP network performance data:") {
        imported.add_fact("description", name);
    } else if let Some(latency) = comment.strip_prefix("Latency =") {
        return LogLine::LoneRow(ImportColumns::of("Latency", RowStart::Any), latency);
    } else if comment.starts_with("time ") {
        return LogLine::Heading(ImportColumns::of(comment, RowStart::Counts));
    }
    LogLine::Comment
}

fn add(row: &ImportRow<'_>, imported: &mut ImportedLog) -> Result<(), FileError> {
    if row.get("Latency").is_some() {
        let cell = row.cell(Experiment::Latency, two_procs(), Bytes(0))?;
        imported.add_aggregate(&cell, ImportedStatistic::Mean, None, row.seconds("Latency")?);
        return Ok(());
    }
    let size = row.size("bytes")?;
    for (column, experiment, statistic) in COLUMNS {
        let cell = row.cell(experiment, two_procs(), size)?;
        imported.add_aggregate(&cell, statistic, None, row.seconds(column)?);
    }
    Ok(())
}
