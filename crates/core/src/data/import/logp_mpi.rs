//! The files of the MPI LogP Benchmark: the tables of pLogP, in seconds.
//!
//! A file has `# LogP network performance data: NAME`, `# Latency = S`, then a row for each size
//! below `# time bytes os os_min os_cnfint or or_min or_cnfint g`. Means and minima of the
//! overheads are kept, half-widths of confidence intervals are not. The program's own reader
//! confuses minima and half-widths; this reader goes by the names of the columns.
//!
//! # Source
//! T. Kielmann, H. E. Bal, K. Verstoep 2000, and the program's `logp_mpi.c`.

use super::file::{File, is_row, pair};
use super::source::Source;
use super::table::{Columns, Row};
use crate::data::{Experiment, StatisticKind};
use crate::text::file_error::FileError;
use crate::units::Bytes;

/// Columns with their experiments and statistics.
const COLUMNS: [(&str, Experiment, StatisticKind); 5] = [
    ("os", Experiment::SendOverhead, StatisticKind::Mean),
    ("os_min", Experiment::SendOverhead, StatisticKind::Min),
    ("or", Experiment::ReceiveOverhead, StatisticKind::Mean),
    ("or_min", Experiment::ReceiveOverhead, StatisticKind::Min),
    ("g", Experiment::Gap, StatisticKind::Mean),
];

const MEANING: &str = "means and minima of the repetitions; gaps and latency follow from means";

/// Reads a file.
pub(super) fn read(file: &File<'_>) -> Result<Source, FileError> {
    let mut source = Source::new("MPI LogP Benchmark", MEANING);
    let mut columns: Option<Columns> = None;
    for (line, text) in file.lines() {
        let Some(comment) = text.strip_prefix('#').map(str::trim) else {
            if let Some(columns) = &columns
                && is_row(text)
            {
                add(&columns.row(file, line, text)?, &mut source)?;
            }
            continue;
        };
        if let Some(name) = comment.strip_prefix("LogP network performance data:") {
            source.fact("description", name);
            source.begin_run();
        } else if let Some(latency) = comment.strip_prefix("Latency =") {
            let columns = Columns::of("Latency");
            let row = columns.row(file, line, latency)?;
            let cell = row.cell(Experiment::Latency, (pair(), Bytes(0)))?;
            begin(&mut source);
            source.aggregate(&cell, StatisticKind::Mean, None, row.seconds("Latency")?);
        } else if comment.starts_with("time ") {
            columns = Some(Columns::of(comment));
            begin(&mut source);
        }
    }
    Ok(source)
}

/// Begins a run unless the title has done so; a file may have lost its title.
fn begin(source: &mut Source) {
    if source.runs.is_empty() {
        source.begin_run();
    }
}

fn add(row: &Row<'_>, source: &mut Source) -> Result<(), FileError> {
    let size = row.size("bytes")?;
    for (column, experiment, statistic) in COLUMNS {
        let cell = row.cell(experiment, (pair(), size))?;
        source.aggregate(&cell, statistic, None, row.seconds(column)?);
    }
    Ok(())
}
