//! Rival `SMPI`: a simulation on the star that `netsig tune --for simgrid` writes for the profile of
//! the training half. All other settings are SMPI's defaults, with cross traffic on. A note compares
//! SMPI's ping-pong with the profile's. SMPI's `basic_linear` posts all messages at once.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::profile::Profile;

use crate::harness::process::output;
use crate::harness::smpi::{AT_ONCE, MISSING, SmpiProgram, is_installed};

const PROGRAM: &str = include_str!("alltoall.c");

/// Leaves out the program's computation, whose time would be that of this machine.
const SETTINGS: [&str; 1] = ["--cfg=smpi/simulate-computation:no"];

/// Simulated times of direct exchange by process count and size.
pub(super) type SmpiTimes = BTreeMap<(Procs, Bytes), Seconds>;

/// The times of direct exchange for all counts and sizes, and a note on the platform. No times if
/// SMPI is not installed.
pub(super) fn predict(
    profile: &Profile,
    counts: &BTreeSet<Procs>,
    sizes: &BTreeSet<Bytes>,
) -> Result<(SmpiTimes, String)> {
    if !is_installed() {
        let note = format!("{MISSING}, so SMPI is no rival");
        return Ok((SmpiTimes::new(), note));
    }
    let work = tempfile::tempdir().context("no temporary directory")?;
    let program = SmpiProgram::compile(work.path(), PROGRAM)?;
    let plogp = profile.network().plogp;
    let mut times = SmpiTimes::new();
    let mut largest_error: f64 = 0.0;
    for &procs in counts {
        let mut command = program.on_star(procs, profile, &SETTINGS)?;
        let printed = output(command.args(sizes.iter().map(|size| size.0.to_string())))?;
        let simulated: Vec<_> = printed.lines().filter_map(parse_line).collect();
        let (found, wanted) = (simulated.len(), sizes.len());
        ensure!(found == wanted, "smpirun printed {found} of {wanted} sizes: {printed}");
        for (size, half_round_trip, alltoall) in simulated {
            times.insert((procs, size), alltoall);
            let error = half_round_trip / plogp.message(size) - 1.0;
            largest_error = largest_error.max(error.abs());
        }
    }
    let note = format!(
        "SMPI: star of netsig tune --for simgrid, {AT_ONCE}; its ping-pong is at most {:.1} % off the \
         profile's",
        largest_error * 100.0
    );
    Ok((times, note))
}

/// Parses a line `SIZE HALF-ROUND-TRIP ALLTOALL`; `None` for smpirun's own lines.
fn parse_line(line: &str) -> Option<(Bytes, Seconds, Seconds)> {
    let numbers: Option<Vec<f64>> = line.split(' ').map(|word| word.parse().ok()).collect();
    let [size, half_round_trip, alltoall] = numbers?[..] else {
        return None;
    };
    Some((Bytes::rounded(size), Seconds(half_round_trip), Seconds(alltoall)))
}
