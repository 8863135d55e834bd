//! Rival `SMPI`: a simulation on a star with the α and β of the ping-pong.
//!
//! Every host has a link of bandwidth 1/β and latency α/2 each way, so a message crosses two links.
//! SMPI's correction factors of bandwidth and latency are 1: their defaults were fitted to another
//! cluster and would change the time of the ping-pong. All other settings are SMPI's defaults, with
//! cross traffic on. A note compares SMPI's ping-pong with α + β·m. SMPI's `basic_linear` posts all
//! messages at once.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use netsig_core::model::hockney::Hockney;
use netsig_core::units::{Bytes, Procs, Seconds};

use crate::process::output;
use crate::smpi::{AT_ONCE, Link, MISSING, Program, is_installed};

const PROGRAM: &str = include_str!("alltoall.c");

const SETTINGS: [&str; 3] = [
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/simulate-computation:no",
];

/// Simulated times of direct exchange by process count and size.
pub(in super::super) type Times = BTreeMap<(Procs, Bytes), Seconds>;

/// The times of direct exchange for all counts and sizes, and a note on the platform. No times if
/// SMPI is not installed.
pub(in super::super) fn predict(
    hockney: &Hockney,
    counts: &BTreeSet<Procs>,
    sizes: &BTreeSet<Bytes>,
) -> Result<(Times, String)> {
    if !is_installed() {
        let note = format!("{MISSING}, so SMPI is no rival");
        return Ok((Times::new(), note));
    }
    let work = tempfile::tempdir().context("no temporary directory")?;
    let program = Program::compile(work.path(), PROGRAM)?;
    let link = Link {
        latency: hockney.alpha() * 0.5,
        gap: hockney.beta(),
    };
    let mut times = Times::new();
    let mut furthest: f64 = 0.0;
    for &procs in counts {
        let mut command = program.on_star(procs, link, &SETTINGS)?;
        let printed = output(command.args(sizes.iter().map(|size| size.0.to_string())))?;
        let simulated: Vec<_> = printed.lines().filter_map(parsed).collect();
        let (found, wanted) = (simulated.len(), sizes.len());
        ensure!(
            found == wanted,
            "smpirun printed {found} of {wanted} sizes: {printed}"
        );
        for (size, half_round_trip, alltoall) in simulated {
            times.insert((procs, size), alltoall);
            let error = half_round_trip / hockney.time(size) - 1.0;
            furthest = furthest.max(error.abs());
        }
    }
    let note = format!(
        "SMPI: star with links of 1/β and α/2, {AT_ONCE} {}; its ping-pong is at most {:.1} % off \
         α + β·m",
        SETTINGS[..2].join(" "),
        furthest * 100.0
    );
    Ok((times, note))
}

/// Parses a line `SIZE HALF-ROUND-TRIP ALLTOALL`; `None` for smpirun's own lines.
fn parsed(line: &str) -> Option<(Bytes, Seconds, Seconds)> {
    let numbers: Option<Vec<f64>> = line.split(' ').map(|word| word.parse().ok()).collect();
    let [size, half, alltoall] = numbers?[..] else {
        return None;
    };
    Some((Bytes::rounded(size), Seconds(half), Seconds(alltoall)))
}
