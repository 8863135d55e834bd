//! Netgauge's pattern `loggp`: the file that its `-o` writes.
//!
//! Rows of medians in microseconds below `# size n PRTT(1,0,s) PRTT(n,0,s)
//! PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)`. PRTT(n,d,s) is the time to send n
//! messages of s bytes, d apart, and to receive one of s bytes.
//!
//! | netsig | from |
//! |---|---|
//! | ping-pong of s bytes | PRTT(1,0,s)/2 |
//! | gap g(s) | (PRTT(n,0,s) − PRTT(1,0,s))/(n − 1), to which Netgauge fits its g + G·s |
//! | send and receive overhead | `o_s`, `o_r` |
//! | latency of pLogP | PRTT(1,0,s)/2 − g(s) of the first row |
//!
//! Netgauge's `L` is half the first round trip, gap and all, and would count the gap twice;
//! `g` and `G` are fits to the gaps so far. At a change of protocol Netgauge writes a row
//! twice, with two fits; the second is passed over.
//!
//! # Source
//! T. Hoefler, Netgauge: `ptrn_loggp.c`. The latency of pLogP: Kielmann, Bal, Verstoep 2000.

use super::file::{File, pair};
use super::source::{Cell, Source};
use super::table::{Columns, Row};
use crate::data::{Experiment, StatisticKind};
use crate::text::file_error::FileError;
use crate::units::{Bytes, Seconds};

/// The times from which the others follow: of one message, and of `n` in a row.
const ONE: &str = "PRTT(1,0,s)";
const MANY: &str = "PRTT(n,0,s)";

const MEANING: &str = "medians of the repetitions; gaps, overheads and latency are differences \
     of such medians";

/// Reads a file.
pub(super) fn read(file: &File<'_>) -> Result<Source, FileError> {
    let mut source = Source::new("Netgauge, pattern loggp", MEANING);
    let mut columns: Option<Columns<'_>> = None;
    let mut last = None;
    for (line, text) in file.lines() {
        if let Some(names) = header(text) {
            columns = Some(names);
            last = None;
            source.begin_run();
        } else if let (Some(columns), false) = (&columns, text.starts_with('#') || text.is_empty())
        {
            let fault = |problem| file.fault(line, problem);
            let row = columns.row(text).map_err(fault)?;
            let size = row.size("size").map_err(fault)?;
            if last != Some(size) {
                let times = Times::of(&row).map_err(fault)?;
                let is_first = last.is_none();
                add(file, line, (&times, size), &mut source)?;
                if is_first {
                    add_latency(file, line, &times, &mut source)?;
                }
            }
            last = Some(size);
        }
    }
    Ok(source)
}

fn header(text: &str) -> Option<Columns<'_>> {
    let columns = Columns::of(text.strip_prefix('#')?);
    (columns.has("size") && columns.has(ONE)).then_some(columns)
}

/// What a row says of a size.
struct Times {
    half: Seconds,
    gap: Seconds,
    overheads: Vec<(Experiment, Seconds)>,
}

impl Times {
    fn of(row: &Row<'_>) -> Result<Self, String> {
        let messages: u32 = row.count("n")?;
        let (one, many) = (row.microseconds(ONE)?, row.microseconds(MANY)?);
        if messages < 2 {
            return Err(format!(
                "n is {messages}, and one message has no gap; delete the line"
            ));
        }
        let gap = Seconds((many - one).0 / f64::from(messages - 1));
        let overheads = [
            ("o_s", Experiment::SendOverhead),
            ("o_r", Experiment::ReceiveOverhead),
        ];
        let overheads = overheads
            .into_iter()
            .filter(|(column, _)| row.get(column).is_some())
            .map(|(column, experiment)| Ok((experiment, row.microseconds(column)?)));
        Ok(Self {
            half: one * 0.5,
            gap,
            overheads: overheads.collect::<Result<_, String>>()?,
        })
    }
}

fn add(
    file: &File<'_>,
    line: u64,
    (times, size): (&Times, Bytes),
    source: &mut Source,
) -> Result<(), FileError> {
    let measured = [
        (Experiment::PingPong, times.half),
        (Experiment::Gap, times.gap),
    ];
    for (experiment, time) in measured.iter().chain(&times.overheads) {
        let place = file.place(line, *experiment, (pair(), size))?;
        source.aggregate(&Cell { line, place }, StatisticKind::Median, None, *time);
    }
    Ok(())
}

fn add_latency(
    file: &File<'_>,
    line: u64,
    times: &Times,
    source: &mut Source,
) -> Result<(), FileError> {
    let place = file.place(line, Experiment::Latency, (pair(), Bytes(0)))?;
    let latency = times.half - times.gap;
    source.aggregate(&Cell { line, place }, StatisticKind::Median, None, latency);
    Ok(())
}
