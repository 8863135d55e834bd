//! What measuring costs, and how far two complete campaigns of the same plan agree.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use netsig_core::data::cells::{CellKey, Summary, summarise};
use netsig_core::data::{Dataset, Experiment};

use super::figure::Figure;
use super::program::{run_quietly, text};

/// The network of the campaigns.
const PLACE: &str = "lab:ethernet-8x50";

/// Repetitions that scatter by more than this share of their median are near a threshold:
/// some stalled and some did not.
const MIXED: f64 = 0.1;

/// Carries out the complete plan twice: the wall time of each, and by how much the medians of
/// the cells differ that are away from thresholds.
pub(super) fn complete(netsig: &Path, work: &Path, root: &Path) -> Result<[Figure; 2]> {
    let plan = text(&root.join("plans/complete.toml"))?;
    let mut seconds = Vec::new();
    let mut campaigns = Vec::new();
    for name in ["first.csv", "second.csv"] {
        let data = text(&work.join(name))?;
        let started = Instant::now();
        run_quietly(netsig, &["measure", &plan, "-o", &data, "--on", PLACE])?;
        seconds.push(started.elapsed().as_secs_f64());
        campaigns.push(collectives(&read(&data)?));
    }
    let differences = differences(&campaigns[0], &campaigns[1]);
    ensure!(!differences.is_empty(), "every cell is near a threshold");
    Ok([
        Figure {
            name: "complete-profile-8-hosts".to_owned(),
            values: seconds,
            target: 150.0,
            unit: "s",
        },
        Figure {
            name: format!("two-campaigns-differ-{}-cells", differences.len()),
            values: differences,
            target: 3.0,
            unit: "%",
        },
    ])
}

fn read(data: &str) -> Result<Dataset> {
    Ok(Dataset::read(data, fs::File::open(data)?)?)
}

fn collectives(data: &Dataset) -> BTreeMap<CellKey, Summary> {
    let mut cells = summarise(data);
    cells.retain(|key, _| matches!(key.experiment, Experiment::Collective(_)));
    cells
}

/// The relative differences of medians in per cent, of the cells away from thresholds.
fn differences(
    first: &BTreeMap<CellKey, Summary>,
    second: &BTreeMap<CellKey, Summary>,
) -> Vec<f64> {
    let is_steady = |cell: &&Summary| cell.deviation / cell.median <= MIXED;
    let pairs = first.iter().filter_map(|(key, cell)| {
        let other = second.get(key).filter(is_steady)?;
        is_steady(&cell).then(|| (cell.median / other.median - 1.0).abs() * 100.0)
    });
    pairs.collect()
}

/// What the harness costs a repetition outside the timed operation, between two ranks of this
/// machine: the slope between a run of few and one of many repetitions, so that starting the
/// job does not count.
pub(super) fn harness(netsig: &Path, work: &Path) -> Result<Figure> {
    const FEW: u32 = 1_000;
    const MANY: u32 = 201_000;
    let mut values = Vec::new();
    for run in 0..3 {
        let few = outside(netsig, work, run, FEW)?;
        let many = outside(netsig, work, run, MANY)?;
        values.push((many - few) / f64::from(MANY - FEW) * 1e6);
    }
    Ok(Figure {
        name: "harness-per-repetition-2-ranks".to_owned(),
        values,
        target: 5.0,
        unit: "us",
    })
}

/// The wall time of a launch less its timed operations, in seconds.
fn outside(netsig: &Path, work: &Path, run: u32, repetitions: u32) -> Result<f64> {
    let name = format!("harness-{run}-{repetitions}");
    let plan = work.join(format!("{name}.toml"));
    fs::write(
        &plan,
        format!("[pingpong]\nsizes = 1\nrepetitions = {repetitions}\n"),
    )?;
    let data = text(&work.join(format!("{name}.csv")))?;
    run_quietly(netsig, &["measure", &text(&plan)?, "-o", &data])?;
    let facts = read(&data)?.provenance;
    let spent = facts
        .get("launch_0_s")
        .with_context(|| format!("{data} does not say how the time was spent"))?;
    let part = |name: &str| -> Result<f64> {
        let mut words = spent.split_whitespace().skip_while(|word| *word != name);
        let value = words.nth(1).context("no such part")?;
        Ok(value.parse()?)
    };
    Ok(part("wall")? - part("timed")?)
}
