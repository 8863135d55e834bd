//! Converts the results of simulations to rows.

use netsig_base::units::{Bytes, Procs};
use netsig_sim::setup::{SimCase, SimReport, sentence_on_losses};
use netsig_sim::simulate::SimModel;

use crate::print::notes::print_remark;
use netsig_render::rows::{PrintedCell, PrintedRows};

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
pub const KEY_COLUMNS: [usize; 6] = [0, 1, 2, 3, 5, 10];

/// A cell with a sum of bytes, which may exceed the largest size.
fn bytes_cell(bytes: u128) -> PrintedCell {
    match u64::try_from(bytes) {
        Ok(bytes) => PrintedCell::size(Bytes(bytes)),
        Err(_) => PrintedCell::number(bytes as f64),
    }
}

/// The row of one simulation.
#[derive(Debug)]
pub struct SimulationRow {
    /// The cells in the order of [`COLUMNS`].
    pub cells: Vec<PrintedCell>,
    /// The summary behind the cells.
    report: SimReport,
    /// Doubt about the time.
    doubt: Option<String>,
}

impl SimulationRow {
    /// The row of a cell.
    pub fn of_case(case: SimCase, sim_model: &SimModel, report: &SimReport) -> Self {
        let case_cells = [
            PrintedCell::text(case.algorithm.collective()),
            PrintedCell::text(case.algorithm),
            PrintedCell::number(case.procs.get()),
            PrintedCell::size(case.size),
        ];
        let time = report.totals.time.seconds();
        let doubt = sim_model.doubt(case, time).map(|doubt| doubt.what);
        Self {
            doubt,
            ..Self::new(case_cells, sim_model, report)
        }
    }

    /// The values of the columns [`KEY_COLUMNS`] for a case.
    pub fn keys(case: SimCase, sim_model: &SimModel) -> [String; 6] {
        [
            case.algorithm.collective().to_string(),
            case.algorithm.to_string(),
            case.procs.to_string(),
            case.size.0.to_string(),
            sim_model.choice.to_string(),
            sim_model.network_name().unwrap_or_default().to_owned(),
        ]
    }

    /// The row of a program in GOAL.
    pub fn of_goal(file: &str, procs: Procs, sim_model: &SimModel, report: &SimReport) -> Self {
        let program_cells = [
            PrintedCell::default(),
            PrintedCell::text(file),
            PrintedCell::number(procs.get()),
            PrintedCell::default(),
        ];
        Self::new(program_cells, sim_model, report)
    }

    fn new(first_cells: [PrintedCell; 4], sim_model: &SimModel, report: &SimReport) -> Self {
        let network = sim_model.network_name();
        let totals = report.totals;
        let result_cells = [
            PrintedCell::time(totals.time.seconds()),
            PrintedCell::text(sim_model.choice),
            PrintedCell::text(report.used_method),
            PrintedCell::number(totals.messages),
            bytes_cell(totals.bytes),
            PrintedCell::number(totals.losses),
            PrintedCell::if_some(network, PrintedCell::text),
        ];
        Self {
            cells: first_cells.into_iter().chain(result_cells).collect(),
            report: report.clone(),
            doubt: None,
        }
    }
}

/// Converts all results to rows.
pub fn rows(simulated: Vec<SimulationRow>) -> PrintedRows {
    let cells = simulated.into_iter().map(|row| row.cells);
    PrintedRows::new(&COLUMNS, cells.collect())
        .with_details(1, &["method"])
        .with_details(2, &["messages", "sent_bytes"])
        .with_details(3, &["network"])
}

/// Warns of the first time that is doubtful.
pub fn print_doubt(simulated: &[SimulationRow]) {
    if let Some(doubt) = simulated.iter().find_map(|row| row.doubt.as_deref()) {
        eprintln!("netsig: warning: {doubt}");
    }
}

/// Notes the number of messages that lost packets, and the cause of the first loss.
pub fn print_loss_note(simulated: &[SimulationRow]) {
    if let Some(sentence) = sentence_on_losses(simulated.iter().map(|row| &row.report)) {
        print_remark(format!("{sentence}; --losses FILE lists those of one row"));
    }
}
