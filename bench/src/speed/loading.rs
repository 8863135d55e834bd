//! Time and memory to load a million samples, measured by the program `loading` of netsig-base.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use netsig_base::algorithm::Collective::Alltoall;
use netsig_base::data::{Dataset, Experiment, LaunchCell, LossCounters, Sample};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::run_benchmark;
use crate::harness::goals::BenchGoal;

/// Number of samples, and number of runs.
const SAMPLES: u32 = 1_000_000;
const TIMES: usize = 5;

/// The figures of the time in seconds and of the resident memory.
pub(super) fn figures(work: &Path) -> Result<[BenchGoal; 2]> {
    let data = work.join("million.csv");
    write_samples(&data).with_context(|| format!("{} cannot be written", data.display()))?;
    let (mut seconds, mut megabytes) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let printed = run_benchmark("netsig-base", "loading", &[&data.to_string_lossy()])?;
        let mut words = printed.split_whitespace().skip_while(|word| *word != "loaded");
        let mut number = || words.next()?.parse::<f64>().ok();
        number();
        let (Some(rows), Some(time), Some(bytes)) = (number(), number(), number()) else {
            anyhow::bail!("the benchmark loading said {printed:?}");
        };
        let is_whole = rows >= f64::from(SAMPLES);
        ensure!(is_whole, "only {rows} samples were loaded");
        seconds.push(time);
        megabytes.push(bytes / 1e6);
    }
    Ok([
        BenchGoal::measured("load-1000000-samples", seconds, 1.0, "s"),
        BenchGoal::measured("load-1000000-samples-memory", megabytes, 200.0, "MB"),
    ])
}

/// Writes samples as a campaign does: full digits, counters, several experiments.
fn write_samples(path: &Path) -> Result<()> {
    let experiments = [
        (Experiment::PingPong, "", 2),
        (Experiment::Collective(Alltoall), "direct", 12),
        (Experiment::Collective(Alltoall), "throttled:4", 16),
    ];
    let mut data = Dataset::default();
    data.provenance.push("mpi", "Open MPI 4.1.4");
    for number in 0..SAMPLES {
        let cell = number / 100;
        let (experiment, algorithm, procs) = &experiments[cell as usize % 3];
        let variation = f64::from(number.wrapping_mul(2_654_435_761)) / f64::from(u32::MAX);
        data.samples.push(Sample {
            cell: LaunchCell {
                experiment: *experiment,
                algorithm: (*algorithm).into(),
                procs: Procs::new(*procs)?,
                size: Bytes(1 << (cell % 21)),
                launch: cell % 3,
            },
            repetition: number % 100,
            time: Seconds(1e-4 * (1.0 + variation)),
            losses: LossCounters {
                retransmits: Some(number % 50 / 49),
                rtos: Some(0),
                tail_probes: Some(0),
                softnet_drops: Some(0),
                longest_processor_wait_us: None,
            },
            part: 0,
            sync_error: Some(Seconds(1.25e-6 * variation)),
        });
    }
    let mut out = BufWriter::new(File::create(path)?);
    data.write(&mut out)?;
    Ok(out.flush()?)
}
