//! Converts the results of simulations to rows.

use netsig_base::units::{Bytes, Procs};
use netsig_sim::network::Loss;
use netsig_sim::setup::{Case, Report};
use netsig_sim::simulate::Source;

use crate::print::rows::{Cell, Rows};

/// The columns of the rows. A program in GOAL has its file as the algorithm; its collective and
/// size are empty.
pub const COLUMNS: [&str; 11] = [
    "collective",
    "algorithm",
    "procs",
    "size_bytes",
    "time_s",
    "model",
    "method",
    "messages",
    "sent_bytes",
    "losses",
    "network",
];

/// The indices of the columns that are known before the simulation of a point.
pub const KEYS: [usize; 6] = [0, 1, 2, 3, 5, 10];

/// A cell with a sum of bytes, which may exceed the largest size.
fn sum(bytes: u128) -> Cell {
    match u64::try_from(bytes) {
        Ok(bytes) => Cell::size(Bytes(bytes)),
        Err(_) => Cell::number(bytes as f64),
    }
}

/// The row of one simulation.
#[derive(Debug)]
pub struct Answer {
    /// The cells in the order of [`COLUMNS`].
    pub cells: Vec<Cell>,
    /// Number of messages that waited for lost packets.
    losses: u64,
    /// Description of the first loss.
    first_loss: Option<String>,
}

impl Answer {
    /// The row of a cell.
    pub fn of_case(case: Case, source: &Source, report: &Report) -> Self {
        let what = [
            Cell::text(case.algorithm.collective()),
            Cell::text(case.algorithm),
            Cell::number(case.procs.get()),
            Cell::size(case.size),
        ];
        Self::new(what, source, report)
    }

    /// The values of the columns [`KEYS`] for a case.
    pub fn keys(case: Case, source: &Source) -> [String; 6] {
        [
            case.algorithm.collective().to_string(),
            case.algorithm.to_string(),
            case.procs.to_string(),
            case.size.0.to_string(),
            source.choice.to_string(),
            source.network_name().unwrap_or_default().to_owned(),
        ]
    }

    /// The row of a program in GOAL.
    pub fn of_goal(file: &str, procs: Procs, source: &Source, report: &Report) -> Self {
        let what = [
            Cell::default(),
            Cell::text(file),
            Cell::number(procs.get()),
            Cell::default(),
        ];
        Self::new(what, source, report)
    }

    fn new(what: [Cell; 4], source: &Source, report: &Report) -> Self {
        let network = source.network_name();
        let totals = report.totals;
        let found = [
            Cell::time(totals.time.seconds()),
            Cell::text(source.choice),
            Cell::text(report.found),
            Cell::number(totals.messages),
            sum(totals.bytes),
            Cell::number(totals.losses),
            Cell::if_some(network, Cell::text),
        ];
        Self {
            cells: what.into_iter().chain(found).collect(),
            losses: totals.losses,
            first_loss: report.first_loss.as_ref().map(in_words),
        }
    }
}

/// Converts all results to rows.
pub fn rows(answers: Vec<Answer>) -> Rows {
    let cells = answers.into_iter().map(|answer| answer.cells);
    Rows::new(&COLUMNS, cells.collect())
}

/// Notes the number of messages that lost packets, and the cause of the first loss.
pub fn tell_losses(answers: &[Answer]) {
    let total: u64 = answers.iter().map(|answer| answer.losses).sum();
    if total == 0 {
        return;
    }
    let first = answers.iter().find_map(|answer| answer.first_loss.as_deref());
    let first = first.map_or_else(String::new, |words| format!("; the first: {words}"));
    let times = if total == 1 { "once" } else { &format!("{total} times") };
    eprintln!("netsig: note: messages lost packets {times}{first}; --losses FILE lists those of one row");
}

fn in_words(loss: &Loss) -> String {
    let Loss {
        time,
        from,
        to,
        delay,
        cause,
        ..
    } = loss;
    format!("rank {from} to rank {to} at {time}, {delay} late, since {cause}")
}
