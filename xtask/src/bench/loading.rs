//! What a million samples cost to load, by the program `loading` of netsig-core.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use netsig_core::data::{Dataset, Experiment, LossCounters, Sample, write_header};
use netsig_core::units::{Bytes, Procs, Seconds};

use super::figure::Figure;

/// How many samples are loaded, and how often.
const SAMPLES: u32 = 1_000_000;
const TIMES: usize = 5;

/// The seconds and the resident memory that it takes.
pub(super) fn figures(root: &Path, work: &Path) -> Result<Vec<Figure>> {
    let data = work.join("million.csv");
    write_samples(&data).with_context(|| format!("{} cannot be written", data.display()))?;
    let loaded: Result<Vec<[f64; 2]>> = (0..TIMES).map(|_| load(root, &data)).collect();
    let loaded = loaded?;
    let figure = |name: &str, index: usize, target, unit| Figure {
        name: name.to_owned(),
        values: loaded.iter().map(|values| values[index]).collect(),
        target,
        unit,
    };
    Ok(vec![
        figure("load-1000000-samples", 0, 1.0, "s"),
        figure("load-1000000-samples-memory", 1, 200.0, "MB"),
    ])
}

/// Samples as a campaign writes them: full digits, counters, several experiments.
fn write_samples(path: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let experiments = [
        (Experiment::PingPong, "", 2),
        (collective()?, "direct", 12),
        (collective()?, "throttled:4", 16),
    ];
    let mut data = Dataset::default();
    data.provenance.push("mpi", "Open MPI 4.1.4");
    data.provenance.write(&mut out)?;
    write_header(&mut out)?;
    for number in 0..SAMPLES {
        let cell = number / 100;
        let (experiment, algorithm, procs) = &experiments[cell as usize % 3];
        let wobble = f64::from(number.wrapping_mul(2_654_435_761)) / f64::from(u32::MAX);
        let sample = Sample {
            experiment: *experiment,
            algorithm: (*algorithm).into(),
            procs: Procs::new(*procs)?,
            size: Bytes(1 << (cell % 21)),
            repetition: number % 100,
            launch: cell % 3,
            time: Seconds(1e-4 * (1.0 + wobble)),
            losses: LossCounters {
                retransmits: Some(number % 50 / 49),
                rtos: Some(0),
                tail_probes: Some(0),
                softnet_drops: Some(0),
            },
            part: 0,
            sync_error: Some(Seconds(1.25e-6 * wobble)),
        };
        sample.write(&mut out)?;
    }
    Ok(out.flush()?)
}

fn collective() -> Result<Experiment> {
    let collective = "alltoall".parse().map_err(anyhow::Error::msg)?;
    Ok(Experiment::Collective(collective))
}

/// Loads the file in a program of its own: seconds, and megabytes that were resident.
fn load(root: &Path, data: &Path) -> Result<[f64; 2]> {
    let output = Command::new("cargo")
        .args("bench --package netsig-core --bench loading --".split(' '))
        .arg(data)
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be started")?;
    ensure!(output.status.success(), "the benchmark loading failed");
    let said = String::from_utf8(output.stdout).context("the benchmark prints UTF-8")?;
    let words: Vec<&str> = said.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "loaded");
    let number = |place: usize| -> Option<f64> { words.get(at? + place)?.parse().ok() };
    let (Some(rows), Some(seconds), Some(bytes)) = (number(1), number(2), number(3)) else {
        anyhow::bail!("the benchmark loading said {said:?}");
    };
    ensure!(
        rows >= f64::from(SAMPLES),
        "only {rows} samples were loaded"
    );
    Ok([seconds, bytes / 1e6])
}
