//! The plan of a benchmark's truth: every cell as often as its share of the time of a launch allows.

use std::fmt::Write as _;

use netsig_base::algorithm::Collective;

use super::cell::BenchCell;
use super::draw::DrawnNetwork;

/// Most repetitions of a cell in a launch.
const MOST: f64 = 12.0;

/// Seconds of a repetition from which one a launch suffices.
const LONG: f64 = 0.7;

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
    /// An algorithm in a cell. A repetition is expected to take half as long again as the bytes of an
    /// exchange, or four times those of the message, and some delays.
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

/// A plan of so many launches whose operations take about so many seconds in a launch: a cell has as many repetitions
/// as fit into a share of the time that is the same for all, at least two a launch, or one of long
/// ones.
pub fn text(cells: &[PlannedCell], launches: u32, seconds: f64) -> String {
    written(cells, (launches, seconds), 1)
}

/// The plan with the launches and the start that a network needs: a barrier between sites would begin an
/// operation on each of them at another time. Windows are sized by a trial, which makes a warm-up superfluous.
pub fn started(drawn: &DrawnNetwork, cells: &[PlannedCell], seconds: f64) -> String {
    if drawn.whole.has_delays() {
        let plan = written(cells, (BETWEEN_SITES, seconds), 0);
        format!("synchronisation = \"window\"\n{plan}")
    } else {
        text(cells, LAUNCHES, seconds)
    }
}

fn written(cells: &[PlannedCell], (launches, seconds): (u32, f64), warmup: u32) -> String {
    let repetitions = |share: f64, cell: &PlannedCell| {
        let least = if cell.seconds > LONG { 1.0 } else { 2.0 };
        (share / cell.seconds).clamp(least, MOST).floor()
    };
    let total = |share: f64| -> f64 {
        let cell = |cell: &PlannedCell| (repetitions(share, cell) + f64::from(warmup)) * cell.seconds;
        cells.iter().map(cell).sum()
    };
    let mut share = 4.0;
    while share > 0.1 && total(share) > seconds {
        share *= 0.9;
    }
    let mut text = format!("seed = 5\nlaunches = {launches}\n");
    for planned in cells {
        let PlannedCell { cell, algorithm, .. } = planned;
        let repetitions = repetitions(share, planned);
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
