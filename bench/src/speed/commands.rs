//! Durations of netsig's commands, each run as a whole program, and the difference between two
//! complete campaigns of the same plan.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Result, ensure};
use netsig_base::data::cells::{CellKey, CellSummary, summarise};
use netsig_base::data::{Dataset, Experiment};

use crate::harness::goals::BenchGoal;
use crate::harness::process::{NetsigProgram, spent_seconds};

/// The network of the campaigns.
const PLACE: &str = "lab:ethernet-8x50";

/// Coefficient of variation above which a cell counts as near a threshold, with some repetitions
/// stalled and others not.
const MIXED: f64 = 0.1;

pub(super) fn version(netsig: &NetsigProgram) -> Result<BenchGoal> {
    let values = milliseconds(netsig, 20, "--version")?;
    Ok(BenchGoal::measured("version", values, 10.0, "ms"))
}

pub(super) fn prediction(netsig: &NetsigProgram) -> Result<BenchGoal> {
    simulate(netsig, "small", 10)?;
    netsig.run("fit small.csv -o small-profile.toml")?;
    let words = "predict small-profile.toml --collective alltoall --procs 8..64 \
                 --size 1KiB..1MiB --extrapolate --format csv";
    let values = milliseconds(netsig, 20, words)?;
    Ok(BenchGoal::measured("prediction", values, 10.0, "ms"))
}

pub(super) fn fit(netsig: &NetsigProgram) -> Result<BenchGoal> {
    // 13 sizes of ping-pong and 3 x 13 of all-to-all: 52 cells.
    simulate(netsig, "large", 10_000usize.div_ceil(52))?;
    let samples = netsig.data("large.csv")?.samples.len();
    ensure!(samples >= 10_000, "only {samples} samples were simulated");
    let values = milliseconds(netsig, 10, "fit large.csv -o large-profile.toml")?;
    Ok(BenchGoal::measured("fit-10000-samples", values, 200.0, "ms"))
}

pub(super) fn set_up(netsig: &NetsigProgram) -> Result<BenchGoal> {
    let once = |_| netsig.run_seconds("lab exec ethernet-16x25 -- true");
    let values = (0..5).map(once).collect::<Result<_>>()?;
    Ok(BenchGoal::measured("lab-setup-16-hosts", values, 3.0, "s"))
}

/// The share of a campaign's wall time, including launch and set-up, outside of recorded operations
/// and the barriers before them.
pub(super) fn overhead(netsig: &NetsigProgram) -> Result<BenchGoal> {
    let words = format!("measure ROOT/plans/demo-train.toml -o lab.csv --on {PLACE}");
    let wall = netsig.run_seconds(&words)?;
    let facts = netsig.data("lab.csv")?.provenance;
    let used = spent_seconds(&facts, "timed")? + spent_seconds(&facts, "barriers")?;
    ensure!(used > 0.0, "lab.csv does not say how the time was spent");
    let share = 100.0 * (1.0 - used / wall);
    Ok(BenchGoal::measured("measuring-overhead", vec![share], 25.0, "%"))
}

/// Overhead of the harness for one repetition, outside the timed operation, between two ranks of this machine. It is
/// the slope from a run with few to a run with many repetitions, which excludes the start of the job.
pub(super) fn harness(netsig: &NetsigProgram) -> Result<BenchGoal> {
    const FEW: u32 = 1_000;
    const MANY: u32 = 201_000;
    // Wall time of a launch minus its timed operations, in seconds.
    let outside = |run: u32, repetitions: u32| -> Result<f64> {
        let name = format!("harness-{run}-{repetitions}");
        let plan = format!("[pingpong]\nsizes = 1\nrepetitions = {repetitions}\n");
        fs::write(netsig.folder().join(format!("{name}.toml")), plan)?;
        netsig.run(&format!("measure {name}.toml -o {name}.csv --ppn 2"))?;
        let facts = netsig.data(&format!("{name}.csv"))?.provenance;
        Ok(spent_seconds(&facts, "wall")? - spent_seconds(&facts, "timed")?)
    };
    let microseconds = |run| Ok((outside(run, MANY)? - outside(run, FEW)?) / f64::from(MANY - FEW) * 1e6);
    let values = (0..3).map(microseconds).collect::<Result<_>>()?;
    let name = "harness-per-repetition-2-ranks";
    Ok(BenchGoal::measured(name, values, 5.0, "us"))
}

/// Carries out the complete plan twice: the wall time of each run, and the differences between the
/// medians of the cells away from thresholds.
pub(super) fn complete(netsig: &NetsigProgram) -> Result<[BenchGoal; 2]> {
    let mut seconds = Vec::new();
    let mut campaigns = Vec::new();
    for file in ["first.csv", "second.csv"] {
        let words = format!("measure ROOT/plans/complete.toml -o {file} --on {PLACE}");
        seconds.push(netsig.run_seconds(&words)?);
        campaigns.push(steady_cells(&netsig.data(file)?));
    }
    let first_cells = campaigns[0].iter();
    let pairs = first_cells.filter_map(|(key, cell)| Some((cell, campaigns[1].get(key)?)));
    let difference = |(one, other): (&CellSummary, &CellSummary)| one.median / other.median - 1.0;
    let differences: Vec<f64> = pairs.map(|pair| difference(pair).abs() * 100.0).collect();
    ensure!(!differences.is_empty(), "every cell is near a threshold");
    let name = format!("two-campaigns-differ-{}-cells", differences.len());
    Ok([
        BenchGoal::measured("complete-profile-8-hosts", seconds, 150.0, "s"),
        BenchGoal::measured(name, differences, 3.0, "%"),
    ])
}

/// The cells of collectives away from thresholds.
fn steady_cells(data: &Dataset) -> BTreeMap<CellKey, CellSummary> {
    let mut cells = summarise(data);
    cells.retain(|key, cell| {
        let is_steady = cell.deviation / cell.median <= MIXED;
        is_steady && matches!(key.experiment, Experiment::Collective(_))
    });
    cells
}

/// Simulates a campaign into `NAME.csv` with `repetitions` of each of 52 cells.
fn simulate(netsig: &NetsigProgram, name: &str, repetitions: usize) -> Result<()> {
    let plan = format!(
        "[pingpong]\nsizes = \"1..4KiB\"\nrepetitions = {repetitions}\n[[collective]]\nname = \"alltoall\"\n\
         algorithms = [\"direct\"]\nprocs = [4, 8, 12]\nsizes = \"256..1MiB\"\nrepetitions = {repetitions}\n"
    );
    fs::write(netsig.folder().join(format!("{name}.toml")), plan)?;
    let words = format!("measure {name}.toml -o {name}.csv --on sim:ethernet-12x40");
    netsig.run(&words).map(drop)
}

fn milliseconds(netsig: &NetsigProgram, times: usize, words: &str) -> Result<Vec<f64>> {
    let once = |_| Ok(netsig.run_seconds(words)? * 1e3);
    (0..times).map(once).collect()
}
