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
//! A size is `msize_bytes`, or `count` times the datatype's size: bytes per message or destination.
//! An `errorcode` other than 0 marks a repetition that missed its window. `MPI_` calls are
//! collectives of the library; `Send_Recv` is a ping-pong, and netsig takes half of its time; other
//! calls are left out.
//!
//! # Source
//! S. Hunold, A. Carpen-Amarie, `ReproMPI`: `results_output.c`, `window_sync.c`, and outputs.

use std::collections::{BTreeMap, BTreeSet};

use super::Program;
use super::counts::{self, TableProcs};
use super::file::{File, pair};
use super::source::Source;
use super::table::{Cell, Columns, Row, RowStart};
use super::tables::{LogLine, LogTable, LoggedBenchmark, TableSubject, tables};
use crate::algorithm::Collective;
use crate::data::{Experiment, Place, Rejection, StatisticKind};
use crate::text::file_error::FileError;
use crate::units::{Bytes, Seconds};

const MEANING: &str = "repetitions, each the greatest of the ranks' times or, with a common \
     clock, from the first start to the last end";

/// Columns of statistics of the repetitions.
const SUMMARY: [(&str, StatisticKind); 3] = [
    ("mean_sec", StatisticKind::Mean),
    ("median_sec", StatisticKind::Median),
    ("min_sec", StatisticKind::Min),
];

/// Repetitions by cell and number.
type Spreads = BTreeMap<(Place, u32), Spread>;

/// One repetition, from the rows of its processes so far. Without a common clock every process
/// starts at 0.
struct Spread {
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
pub(super) fn read(file: &File<'_>) -> Result<Source, FileError> {
    let mut source = Source::new("ReproMPI", MEANING);
    let benchmark = LoggedBenchmark {
        name: "ReproMPI".to_owned(),
        subject: Some(TableSubject::ByRow),
    };
    let tables = tables(file, (Program::ReproMpi, Some(benchmark)), &mut source, meaning)?;
    let procs = counts::of_tables(file, &tables)?;
    for (table, procs) in tables.iter().zip(procs) {
        if counts::begin(table, procs, &mut source) {
            let mut spreads = Spreads::new();
            for (line, text) in &table.rows {
                let row = table.columns.row(file, *line, text)?;
                add((table, procs, &row), &mut spreads, &mut source)?;
            }
            finish(spreads, procs, &mut source);
        }
    }
    Ok(source)
}

fn meaning<'t>(text: &'t str, source: &mut Source) -> LogLine<'t> {
    if let Some((key, value)) = fact(text) {
        source.fact(key, value);
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
        return LogLine::Heading(Columns::of(text, start));
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

/// Size of a row in bytes, from `msize_bytes` or from `count` items of `datatype` bytes.
fn size(row: &Row<'_>, datatype: Option<u64>) -> Result<Bytes, FileError> {
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
fn measured(call: &str) -> Option<Experiment> {
    if call == "Send_Recv" {
        return Some(Experiment::PingPong);
    }
    let name = call.strip_prefix("MPI_")?.to_ascii_lowercase();
    name.parse::<Collective>().ok().map(Experiment::Collective)
}

/// Time of a cell in netsig: half of a round trip for a ping-pong.
fn kept(cell: &Cell, time: Seconds) -> Seconds {
    match cell.place.experiment {
        Experiment::PingPong => time * 0.5,
        _ => time,
    }
}

fn add(
    (table, procs, row): (&LogTable, TableProcs, &Row<'_>),
    spreads: &mut Spreads,
    source: &mut Source,
) -> Result<(), FileError> {
    let call = row.text("test")?;
    let Some(experiment) = measured(call) else {
        source.leave_out(row.line(), &format!("{call} is not imported"));
        return Ok(());
    };
    let procs = match experiment {
        Experiment::PingPong => pair(),
        _ => procs.count,
    };
    let cell = row.cell(experiment, (procs, size(row, table.item_bytes)?))?;
    if table.columns.has("valid_nrep") {
        let averaged = Some(row.count("valid_nrep")?);
        for (column, statistic) in SUMMARY {
            if row.get(column).is_some() {
                let time = kept(&cell, row.seconds(column)?);
                source.aggregate(&cell, statistic, averaged, time);
            }
        }
    } else if table.columns.has("process") {
        gather(cell, row, spreads)?;
    } else {
        let repetition = row.count("nrep")?;
        let time = kept(&cell, row.seconds("runtime_sec")?);
        if is_late(row)? {
            source.reject(&cell, repetition, Rejection::Late);
        } else {
            source.sample(&cell, repetition, time);
        }
    }
    Ok(())
}

fn is_late(row: &Row<'_>) -> Result<bool, FileError> {
    let code = row.optional_count("errorcode")?;
    Ok(code.is_some_and(|code| code != 0))
}

/// Merges a process's row into its repetition.
fn gather(cell: Cell, row: &Row<'_>, spreads: &mut Spreads) -> Result<(), FileError> {
    let process = row.count("process")?;
    let repetition = row.count("nrep")?;
    let (start, end) = if row.get("gl_tstart_sec").is_some() {
        (row.seconds("gl_tstart_sec")?, row.seconds("gl_tend_sec")?)
    } else {
        let duration = row.seconds("loc_tend_sec")? - row.seconds("loc_tstart_sec")?;
        (Seconds(0.0), duration)
    };
    let Cell { line, place } = cell;
    let spread = spreads.entry((place, repetition)).or_insert(Spread {
        line,
        processes: BTreeSet::new(),
        first_start: f64::INFINITY,
        last_end: f64::NEG_INFINITY,
        is_late: false,
    });
    if !spread.processes.insert(process) {
        return Err(row.fault(format!(
            "process {process} has a second row for repetition {repetition}; delete one"
        )));
    }
    spread.first_start = spread.first_start.min(start.0);
    spread.last_end = spread.last_end.max(end.0);
    spread.is_late |= is_late(row)?;
    Ok(())
}

/// Adds the repetitions with one row per process as samples.
fn finish(spreads: Spreads, procs: TableProcs, source: &mut Source) {
    for ((place, repetition), spread) in spreads {
        let line = spread.line;
        let cell = Cell { line, place };
        let time = spread.last_end - spread.first_start;
        if spread.processes.len() as u64 != u64::from(procs.count.get()) {
            source.leave_out(line, "a repetition without the rows of all processes");
        } else if spread.is_late {
            source.reject(&cell, repetition, Rejection::Late);
        } else {
            source.sample(&cell, repetition, kept(&cell, Seconds(time)));
        }
    }
}
