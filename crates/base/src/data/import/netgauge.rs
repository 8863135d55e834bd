//! Netgauge's pattern `loggp`: the file that its `-o` writes.
//!
//! Rows of medians in microseconds below `# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L
//! o_s o_r g G lsqu(g,G)`. PRTT(n,d,s) is the time to send n messages of s bytes at intervals of d
//! and to receive one message of s bytes.
//!
//! | netsig | from |
//! |---|---|
//! | ping-pong of s bytes | PRTT(1,0,s)/2 |
//! | gap g(s) | (PRTT(n,0,s) − PRTT(1,0,s))/(n − 1), to which Netgauge fits its g + G·s |
//! | send and receive overhead | `o_s`, `o_r` |
//! | latency of pLogP | PRTT(1,0,s)/2 − g(s) of the first row |
//!
//! Netgauge's `L` is half of the first round trip including the gap, and would count the gap twice;
//! `g` and `G` are fits to the gaps so far. At a change of protocol Netgauge writes a row twice,
//! with two fits; the second is ignored.
//!
//! # Source
//! T. Hoefler, Netgauge: `ptrn_loggp.c`. The latency of pLogP: Kielmann, Bal, Verstoep 2000.

use super::BenchmarkProgram;
use super::counts;
use super::file::{ImportFile, two_procs};
use super::imported_log::ImportedLog;
use super::table::{ImportColumns, ImportRow, RowStart};
use super::tables::{LogLine, LoggedBenchmark, tables};
use crate::data::{Experiment, ImportedStatistic};
use crate::text::file_error::FileError;
use crate::units::{Bytes, Seconds};

/// Columns from which the other times follow: one message, and `n` messages in a row.
const ONE: &str = "PRTT(1,0,s)";
const MANY: &str = "PRTT(n,0,s)";

/// Optional columns of overheads.
const OVERHEADS: [(&str, Experiment); 2] = [("o_s", Experiment::SendOverhead), ("o_r", Experiment::ReceiveOverhead)];

const MEANING: &str = "medians of the repetitions; gaps, overheads and latency are differences \
     of such medians";

/// True for a line that this program alone prints.
pub(super) fn announces(text: &str) -> bool {
    (text.starts_with('#') && text.contains("Netgauge")) || header(text).is_some()
}

/// Reads a file.
pub(super) fn read(file: &ImportFile<'_>) -> Result<ImportedLog, FileError> {
    let mut imported = ImportedLog::new("Netgauge, pattern loggp", MEANING);
    let untitled = Some(LoggedBenchmark::of_pairs("Netgauge"));
    let tables = tables(file, BenchmarkProgram::Netgauge, untitled, &mut imported, meaning)?;
    for (table, procs) in tables.iter().zip(counts::of_tables(file, &tables)?) {
        if !counts::begin_table(table, procs, &mut imported) {
            continue;
        }
        let mut last = None;
        for (line, text) in &table.rows {
            let row = table.columns.row(file, *line, text)?;
            let size = row.size("size")?;
            if last != Some(size) {
                add(&row, size, last.is_none(), &mut imported)?;
            }
            last = Some(size);
        }
    }
    Ok(imported)
}

fn meaning<'t>(text: &'t str, _: &mut ImportedLog) -> LogLine<'t> {
    match header(text) {
        Some(columns) => LogLine::Heading(columns),
        None => LogLine::without_meaning(text),
    }
}

fn header(text: &str) -> Option<ImportColumns> {
    let columns = ImportColumns::of(text.strip_prefix('#')?, RowStart::Counts);
    (columns.has("size") && columns.has(ONE)).then_some(columns)
}

/// Adds the times of a row; the first row also gives the latency.
fn add(row: &ImportRow<'_>, size: Bytes, is_first: bool, imported: &mut ImportedLog) -> Result<(), FileError> {
    let messages: u32 = row.count("n")?;
    let (one, many) = (row.microseconds(ONE)?, row.microseconds(MANY)?);
    if messages < 2 {
        let problem = format!("n is {messages}, and one message has no gap; delete the line");
        return Err(row.fault(problem));
    }
    let half = one * 0.5;
    let gap = Seconds((many - one).0 / f64::from(messages - 1));
    let mut found = vec![(Experiment::PingPong, size, half), (Experiment::Gap, size, gap)];
    for (column, experiment) in OVERHEADS {
        if row.get(column).is_some() {
            found.push((experiment, size, row.microseconds(column)?));
        }
    }
    if is_first {
        found.push((Experiment::Latency, Bytes(0), half - gap));
    }
    for (experiment, size, time) in found {
        let cell = row.cell(experiment, two_procs(), size)?;
        imported.add_aggregate(&cell, ImportedStatistic::Median, None, time);
    }
    Ok(())
}
