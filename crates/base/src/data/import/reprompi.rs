//! `ReproMPI`'s `mpibenchmark`: the only imported program that prints repetitions.
//!
//! Facts `#@key=value`, such as `nprocs` and the size of the datatype, then one of three tables, in
//! seconds:
//!
//! * `test nrep count [errorcode] runtime_sec`: a repetition per row.
//! * `process test nrep count [errorcode] loc_tstart_sec loc_tend_sec [gl_tstart_sec
//!   gl_tend_sec]`: a repetition lasts from the first start to the last end on the common clock;
//!   without a common clock it takes the longest of the processes' own times.
//! * `test count total_nrep valid_nrep mean_sec median_sec min_sec max_sec`: statistics of the
//!   repetitions; the maximum has no counterpart in netsig.
//!
//! A size is `msize_bytes`, or `count` times the datatype's size: bytes per message or destination, of
//! `MPI_Reduce_scatter` and its block form bytes for each process. A barrier has no size; of its rows those with the
//! first count are taken.
//! An `errorcode` other than 0 marks a repetition that missed its window. `MPI_` calls are
//! collectives of the library; `Send_Recv` is a ping-pong, and netsig takes half of its time; other
//! calls are left out.
//!
//! # Source
//! S. Hunold, A. Carpen-Amarie, `ReproMPI`: `results_output.c`, `window_sync.c`, and outputs.

use std::collections::{BTreeMap, BTreeSet};

use super::BenchmarkProgram;
use super::counts::{self, TableProcs};
use super::file::{ImportFile, two_procs};
use super::imported_log::ImportedLog;
use super::operands::StatedOperands;
use super::reduced_size::{RowSizes, SizeConvention};
use super::table::{ImportCell, ImportColumns, ImportRow, RowStart};
use super::tables::{LogLine, LogTable, LoggedBenchmark, TableSubject, tables};
use crate::algorithm::Collective;
use crate::data::{Experiment, ImportedStatistic, LaunchCell, RejectionReason};
use crate::text::file_error::FileError;
use crate::units::{Bytes, Procs, Seconds};

const MEANING: &str = "repetitions, each the greatest of the ranks' times or, with a common \
     clock, from the first start to the last end";

/// Columns of statistics of the repetitions.
const SUMMARY: [(&str, ImportedStatistic); 3] = [
    ("mean_sec", ImportedStatistic::Mean),
    ("median_sec", ImportedStatistic::Median),
    ("min_sec", ImportedStatistic::Min),
];

/// What the rows of a table share, and what those read so far say.
struct TableReader<'t> {
    table: &'t LogTable,
    procs: Procs,
    operands: StatedOperands<'t>,
    spans: RepetitionSpans,
    /// Count in the first row of a barrier.
    barrier_count: Option<String>,
}

/// Repetitions by cell and number.
type RepetitionSpans = BTreeMap<(LaunchCell, u32), RepetitionSpan>;

/// One repetition, from the rows of its processes so far. Without a common clock every process
/// starts at 0.
struct RepetitionSpan {
    line: u64,
    processes: BTreeSet<u32>,
    first_start: f64,
    last_end: f64,
    is_late: bool,
}

/// True for a line that this program alone prints.
pub(super) fn announces(text: &str) -> bool {
    is_header(text)
}

/// Reads an output.
pub(super) fn read(file: &ImportFile<'_>) -> Result<ImportedLog, FileError> {
    let mut imported = ImportedLog::new("ReproMPI", MEANING);
    let benchmark = LoggedBenchmark {
        name: "ReproMPI".to_owned(),
        subject: Some(TableSubject::ByRow),
    };
    let tables = tables(
        file,
        BenchmarkProgram::ReproMpi,
        Some(benchmark),
        &mut imported,
        meaning,
    )?;
    let procs = counts::of_tables(file, &tables)?;
    for (table, procs) in tables.iter().zip(procs) {
        if counts::begin_table(table, procs, &mut imported) {
            let mut reader = TableReader {
                table,
                procs: procs.count,
                operands: operands(file, table.line),
                spans: RepetitionSpans::new(),
                barrier_count: None,
            };
            for (line, text) in &table.rows {
                let row = table.columns.row(file, *line, text)?;
                reader.add(&row, &mut imported)?;
            }
            add_repetitions(reader.spans, procs, &mut imported);
        }
    }
    Ok(imported)
}

fn meaning<'t>(text: &'t str, imported: &mut ImportedLog) -> LogLine<'t> {
    if let Some((key, value)) = fact(text) {
        imported.add_fact(key, value);
        return match key.trim() {
            "nprocs" => LogLine::Procs(value),
            "datatype_size_bytes" => LogLine::ItemBytes(value),
            _ => LogLine::Comment,
        };
    }
    if is_header(text) {
        let has_process = text.split_whitespace().any(|word| word == "process");
        let start = if has_process {
            RowStart::ProcessCall
        } else {
            RowStart::Call
        };
        return LogLine::Heading(ImportColumns::of(text, start));
    }
    LogLine::without_meaning(text)
}

fn fact(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("#@")?.split_once('=')
}

fn is_header(text: &str) -> bool {
    let has = |name| text.split_whitespace().any(|word| word == name);
    has("test") && (has("nrep") || has("valid_nrep"))
}

/// Operation and type of the reductions below a line.
fn operands<'f>(file: &'f ImportFile<'_>, line: u64) -> StatedOperands<'f> {
    let named = |name: &'static str| move |text: &'f str| fact(text).filter(|(key, _)| key.trim() == name);
    let value = |name| file.fact_above(line, named(name)).map(|(_, value)| value.trim());
    StatedOperands {
        operation: value("operation"),
        element: value("datatype"),
    }
}

/// Size of a row in bytes, from `msize_bytes` or from `count` items of `datatype` bytes.
fn size(row: &ImportRow<'_>, datatype: Option<u64>) -> Result<Bytes, FileError> {
    if row.get("msize_bytes").is_some() {
        return row.size("msize_bytes");
    }
    let count: u64 = row.count("count")?;
    let datatype = datatype.ok_or_else(|| {
        row.fault(
            "nothing says how large the datatype is; add the line #@datatype_size_bytes=1 for \
             MPI_BYTE",
        )
    })?;
    let size = count.checked_mul(datatype).map(Bytes);
    size.ok_or_else(|| {
        row.fault(format!(
            "{count} items of {datatype} bytes are too many; delete the line"
        ))
    })
}

/// Experiment of a call; `None` if it is not imported.
fn experiment_of_call(call: &str) -> Option<Experiment> {
    if call == "Send_Recv" {
        return Some(Experiment::PingPong);
    }
    let name = call.strip_prefix("MPI_")?.to_ascii_lowercase();
    let collective = name.replace('_', "-").parse::<Collective>();
    collective.ok().map(Experiment::Collective)
}

/// Time of a cell in netsig: half of a round trip for a ping-pong.
fn netsig_time(cell: &ImportCell, time: Seconds) -> Seconds {
    match cell.launch_cell.experiment {
        Experiment::PingPong => time * 0.5,
        _ => time,
    }
}

impl TableReader<'_> {
    fn add(&mut self, row: &ImportRow<'_>, imported: &mut ImportedLog) -> Result<(), FileError> {
        let call = row.text("test")?;
        let Some(experiment) = experiment_of_call(call) else {
            imported.leave_out(row.line(), &format!("{call} is not imported"));
            return Ok(());
        };
        let Some(cell) = self.cell(experiment, row, imported)? else {
            return Ok(());
        };
        if self.table.columns.has("valid_nrep") {
            let averaged = Some(row.count("valid_nrep")?);
            for (column, statistic) in SUMMARY {
                if row.get(column).is_some() {
                    let time = netsig_time(&cell, row.seconds(column)?);
                    imported.add_aggregate(&cell, statistic, averaged, time);
                }
            }
        } else if self.table.columns.has("process") {
            merge_row(cell, row, &mut self.spans)?;
        } else {
            let repetition = row.count("nrep")?;
            let time = netsig_time(&cell, row.seconds("runtime_sec")?);
            if is_late(row)? {
                imported.add_rejected(&cell, repetition, RejectionReason::Late);
            } else {
                imported.add_sample(&cell, repetition, time);
            }
        }
        Ok(())
    }

    /// The cell of a row; `None` if the row is left out.
    fn cell(
        &mut self,
        experiment: Experiment,
        row: &ImportRow<'_>,
        imported: &mut ImportedLog,
    ) -> Result<Option<ImportCell>, FileError> {
        let size = match experiment {
            Experiment::PingPong => {
                return row
                    .cell(experiment, two_procs(), size(row, self.table.item_bytes)?)
                    .map(Some);
            }
            Experiment::Collective(Collective::Barrier) => self.barrier_size(row, imported),
            Experiment::Collective(collective) => {
                if collective.is_reduction() {
                    imported.add_operands(row.line(), self.operands);
                }
                // The number is in bytes already.
                let sizes = RowSizes {
                    collective: Some(collective),
                    ..RowSizes::of_table(self.table, self.procs, SizeConvention::ReproMpi)
                };
                sizes.size(size(row, self.table.item_bytes)?.0, row, imported)?
            }
            _ => None,
        };
        size.map(|size| row.cell(experiment, self.procs, size)).transpose()
    }

    /// 0, or `None` for a row with another count than the first: its repetitions have the numbers of the first ones.
    fn barrier_size(&mut self, row: &ImportRow<'_>, imported: &mut ImportedLog) -> Option<Bytes> {
        let count = row.get("msize_bytes").or_else(|| row.get("count")).unwrap_or_default();
        let first = self.barrier_count.get_or_insert_with(|| count.to_owned());
        if first == count {
            return Some(Bytes(0));
        }
        imported.leave_out(row.line(), "MPI_Barrier once more, for another count");
        None
    }
}

fn is_late(row: &ImportRow<'_>) -> Result<bool, FileError> {
    let code = row.optional_count("errorcode")?;
    Ok(code.is_some_and(|code| code != 0))
}

/// Merges a process's row into its repetition.
fn merge_row(cell: ImportCell, row: &ImportRow<'_>, spans: &mut RepetitionSpans) -> Result<(), FileError> {
    let process = row.count("process")?;
    let repetition = row.count("nrep")?;
    let (start, end) = if row.get("gl_tstart_sec").is_some() {
        (row.seconds("gl_tstart_sec")?, row.seconds("gl_tend_sec")?)
    } else {
        let duration = row.seconds("loc_tend_sec")? - row.seconds("loc_tstart_sec")?;
        (Seconds(0.0), duration)
    };
    let ImportCell { line, launch_cell } = cell;
    let span = spans.entry((launch_cell, repetition)).or_insert(RepetitionSpan {
        line,
        processes: BTreeSet::new(),
        first_start: f64::INFINITY,
        last_end: f64::NEG_INFINITY,
        is_late: false,
    });
    if !span.processes.insert(process) {
        return Err(row.fault(format!(
            "process {process} has a second row for repetition {repetition}; delete one"
        )));
    }
    span.first_start = span.first_start.min(start.0);
    span.last_end = span.last_end.max(end.0);
    span.is_late |= is_late(row)?;
    Ok(())
}

/// Adds the repetitions with one row per process as samples.
fn add_repetitions(spans: RepetitionSpans, procs: TableProcs, imported: &mut ImportedLog) {
    for ((launch_cell, repetition), span) in spans {
        let line = span.line;
        let cell = ImportCell { line, launch_cell };
        let time = span.last_end - span.first_start;
        if span.processes.len() as u64 != u64::from(procs.count.get()) {
            imported.leave_out(line, "a repetition without the rows of all processes");
        } else if span.is_late {
            imported.add_rejected(&cell, repetition, RejectionReason::Late);
        } else {
            imported.add_sample(&cell, repetition, netsig_time(&cell, Seconds(time)));
        }
    }
}
