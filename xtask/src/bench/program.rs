//! What commands of netsig cost, each run as a whole program.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use netsig_core::data::Dataset;

use super::figure::Figure;

pub(super) fn version(netsig: &Path) -> Result<Figure> {
    let values = repeat(20, || milliseconds(netsig, &["--version"]))?;
    Ok(Figure {
        name: "version".to_owned(),
        values,
        target: 10.0,
        unit: "ms",
    })
}

pub(super) fn prediction(netsig: &Path, work: &Path) -> Result<Figure> {
    let data = simulated(netsig, work, "small", 10)?;
    let profile = text(&work.join("profile.toml"))?;
    milliseconds(netsig, &["fit", &data, "-o", &profile])?;
    let arguments = [
        "predict",
        &profile,
        "--collective",
        "alltoall",
        "--procs",
        "8..64",
        "--size",
        "1KiB..1MiB",
        "--format",
        "csv",
    ];
    let values = repeat(20, || milliseconds(netsig, &arguments))?;
    Ok(Figure {
        name: "prediction".to_owned(),
        values,
        target: 10.0,
        unit: "ms",
    })
}

pub(super) fn fit(netsig: &Path, work: &Path) -> Result<Figure> {
    // 13 sizes of ping-pong and 3 x 13 of all-to-all: 52 cells.
    let data = simulated(netsig, work, "large", 10_000usize.div_ceil(52))?;
    let profile = text(&work.join("large.toml"))?;
    let samples = Dataset::read(&data, fs::File::open(&data)?)?.samples.len();
    ensure!(samples >= 10_000, "only {samples} samples were simulated");
    let values = repeat(10, || milliseconds(netsig, &["fit", &data, "-o", &profile]))?;
    Ok(Figure {
        name: "fit-10000-samples".to_owned(),
        values,
        target: 200.0,
        unit: "ms",
    })
}

pub(super) fn set_up(netsig: &Path) -> Result<Figure> {
    let values = repeat(5, || {
        milliseconds(netsig, &["lab", "exec", "ethernet-16x25", "--", "true"])
    })?;
    let seconds = values.into_iter().map(|ms| ms / 1e3).collect();
    Ok(Figure {
        name: "lab-setup-16-hosts".to_owned(),
        values: seconds,
        target: 3.0,
        unit: "s",
    })
}

/// The share of a campaign's wall time, launch and set-up included, that is spent neither
/// in a recorded operation nor in the barrier before it.
pub(super) fn overhead(netsig: &Path, work: &Path, root: &Path) -> Result<Figure> {
    let data = text(&work.join("lab.csv"))?;
    let plan = text(&root.join("plans/demo-train.toml"))?;
    let started = Instant::now();
    run_quietly(
        netsig,
        &["measure", &plan, "-o", &data, "--on", "lab:ethernet-8x50"],
    )?;
    let wall = started.elapsed().as_secs_f64();
    let facts = Dataset::read(&data, fs::File::open(&data)?)?.provenance;
    let launches = facts.iter().filter(|(_, value)| value.starts_with("wall "));
    let spent: f64 = launches.map(|(_, value)| timed_and_barriers(value)).sum();
    ensure!(spent > 0.0, "{data} does not say how the time was spent");
    Ok(Figure {
        name: "measuring-overhead".to_owned(),
        values: vec![100.0 * (1.0 - spent / wall)],
        target: 25.0,
        unit: "%",
    })
}

/// The seconds of `wall W timed T barriers B` that are not harness: T + B.
fn timed_and_barriers(value: &str) -> f64 {
    let words: Vec<&str> = value.split_whitespace().collect();
    let parts = words.chunks(2).filter(|part| part[0] != "wall");
    parts
        .filter_map(|part| part.get(1)?.parse::<f64>().ok())
        .sum()
}

/// A simulated data file with so many repetitions of each of 52 cells.
fn simulated(netsig: &Path, work: &Path, name: &str, repetitions: usize) -> Result<String> {
    let plan = work.join(format!("{name}.toml"));
    let content = format!(
        "[pingpong]\nsizes = \"1..4KiB\"\nrepetitions = {repetitions}\n[[collective]]\nname = \"alltoall\"\n\
         algorithms = [\"direct\"]\nprocs = [4, 8, 12]\nsizes = \"256..1MiB\"\nrepetitions = {repetitions}\n"
    );
    fs::write(&plan, content)?;
    let data = text(&work.join(format!("{name}.csv")))?;
    run_quietly(
        netsig,
        &[
            "measure",
            &text(&plan)?,
            "-o",
            &data,
            "--on",
            "sim:ethernet-12x40",
        ],
    )?;
    Ok(data)
}

fn repeat(times: usize, mut measure: impl FnMut() -> Result<f64>) -> Result<Vec<f64>> {
    (0..times).map(|_| measure()).collect()
}

fn milliseconds(program: &Path, arguments: &[&str]) -> Result<f64> {
    Ok(run_quietly(program, arguments)?.as_secs_f64() * 1e3)
}

/// Runs a program that must succeed and gives its wall time.
pub(crate) fn run_quietly(program: &Path, arguments: &[&str]) -> Result<Duration> {
    let started = Instant::now();
    let output = Command::new(program)
        .args(arguments)
        // Open MPI refuses root, who benchmarks in containers, without them.
        .envs([
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ])
        .stdin(Stdio::null())
        .output()?;
    let elapsed = started.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "netsig {} failed: {said}",
        arguments.join(" ")
    );
    Ok(elapsed)
}

pub(crate) fn text(path: &Path) -> Result<String> {
    path.to_str()
        .map(str::to_owned)
        .with_context(|| format!("{} is not UTF-8", path.display()))
}
