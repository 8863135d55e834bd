//! The plan of a benchmark's truth, in which all cells get the same share of the time of a launch.

use std::fmt::Write as _;

use netsig_base::algorithm::Collective;

use super::cell::BenchCell;
use super::draw::DrawnNetwork;

/// Most repetitions of a cell in a launch.
const MOST_REPETITIONS: f64 = 12.0;

/// Seconds of a repetition from which one a launch suffices.
const LONG_REPETITION: f64 = 0.7;

/// Launches of a plan whose cells are judged alone.
pub const LAUNCHES: u32 = 4;

/// Launches between sites, where the trials before a cell take longer than its repetitions.
const BETWEEN_SITES: u32 = 3;

/// A cell to measure.
pub struct PlannedCell {
    pub cell: BenchCell,
    pub algorithm: String,
    /// Expected seconds of a repetition.
    pub seconds: f64,
}

impl PlannedCell {
    /// An algorithm in a cell. The expected time of a repetition is 1.5 times that of the bytes of an exchange, or 4
    /// times that of the message, plus some delays.
    pub fn new(cell: BenchCell, drawn: &DrawnNetwork, algorithm: &str) -> Self {
        const START_UP: f64 = 1e-3;
        const DELAYS: f64 = 6.0;
        let bytes = match cell.collective {
            Collective::Alltoall => 1.5 * cell.bound(&drawn.whole).0,
            _ => 4.0 * drawn.whole.host_gap().0 * cell.size.as_f64(),
        };
        Self {
            cell,
            algorithm: algorithm.to_owned(),
            seconds: START_UP + DELAYS * drawn.delay.0 + bytes,
        }
    }
}

/// A plan whose operations take about `seconds` in each launch. Repetitions of a cell fill a share of the time that is
/// equal for all cells. Each launch has at least two repetitions, or one if they are long.
pub fn text(cells: &[PlannedCell], launches: u32, seconds: f64) -> String {
    write_plan(cells, launches, seconds, 1)
}

/// The plan with the launches and the start that a network needs. Between sites it uses windows, since a barrier would
/// begin an operation at different times. The trials before windows make a warm-up superfluous.
pub fn text_for_network(drawn: &DrawnNetwork, cells: &[PlannedCell], seconds: f64) -> String {
    if drawn.whole.has_delays() {
        let plan = write_plan(cells, BETWEEN_SITES, seconds, 0);
        format!("synchronisation = \"window\"\n{plan}")
    } else {
        text(cells, LAUNCHES, seconds)
    }
}

fn write_plan(cells: &[PlannedCell], launches: u32, seconds: f64, warmup: u32) -> String {
    let repetitions_of = |share: f64, cell: &PlannedCell| {
        let least = if cell.seconds > LONG_REPETITION { 1.0 } else { 2.0 };
        (share / cell.seconds).clamp(least, MOST_REPETITIONS).floor()
    };
    let total_seconds = |share: f64| -> f64 {
        let cell_seconds = |cell: &PlannedCell| (repetitions_of(share, cell) + f64::from(warmup)) * cell.seconds;
        cells.iter().map(cell_seconds).sum()
    };
    let mut share = 4.0;
    while share > 0.1 && total_seconds(share) > seconds {
        share *= 0.9;
    }
    let mut text = format!("seed = 5\nlaunches = {launches}\n");
    for planned in cells {
        let PlannedCell { cell, algorithm, .. } = planned;
        let repetitions = repetitions_of(share, planned);
        writeln!(
            text,
            "[[collective]]\nname = \"{}\"\nalgorithms = [\"{algorithm}\"]\n\
             procs = {}\nsizes = {}\nrepetitions = {repetitions}\nwarmup = {warmup}",
            cell.collective, cell.procs, cell.size.0
        )
        .expect("writing to text");
    }
    text
}
