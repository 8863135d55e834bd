//! SMPI on a star with the α and β of the ping-pong.
//!
//! Every host has a link of bandwidth 1/β and latency α/2 each way, so that a message crosses
//! two of them. SMPI's correction factors of bandwidth and latency are 1: they were fitted to
//! another cluster, and with them the ping-pong would not come out. Everything else is as
//! SMPI has it, cross traffic on. What it then says of the ping-pong is reported beside
//! α + β·m. Its `basic_linear` posts all messages at once.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::Collective;
use netsig_core::data::Experiment;
use netsig_core::data::cells::{CellKey, Summary};
use netsig_core::model::hockney::Hockney;
use netsig_core::units::{Bytes, Seconds};

use super::Times;
use crate::process::output;
use crate::smpi::{AT_ONCE, Link, MISSING, Program, is_installed};

/// For each size of the arguments: half a round trip between two ranks, then the all-to-all.
const PROGRAM: &str = "#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int procs, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; i++) {
    int size = atoi(argv[i]);
    char *out = calloc(procs, size), *in = calloc(procs, size);
    double start, half, took, last;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(out, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(in, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(in, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    half = (MPI_Wtime() - start) / 2;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_Alltoall(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD);
    took = MPI_Wtime() - start;
    MPI_Reduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
      printf(\"%d %.9g %.9g\\n\", size, half, last);
    free(out);
    free(in);
  }
  MPI_Finalize();
  return 0;
}
";

const SETTINGS: [&str; 3] = [
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/simulate-computation:no",
];

/// The times of direct exchange for all cells of it, and a note on how they came about.
/// No times where SMPI is not installed and cannot be.
pub(super) fn predict(
    hockney: &Hockney,
    cells: &BTreeMap<CellKey, Summary>,
) -> Result<(Times, String)> {
    if !is_installed() && !install() {
        return Ok((Times::new(), format!("{MISSING}, so SMPI is no contender")));
    }
    let is_alltoall =
        |key: &&CellKey| key.experiment == Experiment::Collective(Collective::Alltoall);
    let alltoalls = || cells.keys().filter(is_alltoall);
    let sizes: BTreeSet<Bytes> = alltoalls().map(|key| key.size).collect();
    let work = tempfile::tempdir().context("no temporary directory")?;
    let program = Program::compile(work.path(), PROGRAM)?;
    let link = Link {
        latency: hockney.alpha() * 0.5,
        gap: hockney.beta(),
    };
    let mut times = Times::new();
    let mut furthest: f64 = 0.0;
    for procs in alltoalls().map(|key| key.procs).collect::<BTreeSet<_>>() {
        let mut command = program.on_star(procs, link, &SETTINGS)?;
        let printed = output(command.args(sizes.iter().map(|size| size.0.to_string())))?;
        let simulated: Vec<_> = printed.lines().filter_map(parsed).collect();
        ensure!(
            simulated.len() == sizes.len(),
            "smpirun printed {} of {} sizes: {printed}",
            simulated.len(),
            sizes.len()
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

/// Installs it where that is possible.
fn install() -> bool {
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        output(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive")).is_ok()
    };
    nix::unistd::geteuid().is_root()
        && apt(&["update", "-qq"])
        && apt(&["install", "-y", "-qq", "libsimgrid-dev"])
        && is_installed()
}

/// `SIZE HALF-ROUND-TRIP ALLTOALL`; other lines are smpirun's own.
fn parsed(line: &str) -> Option<(Bytes, Seconds, Seconds)> {
    let [size, half, alltoall] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    let half = half.parse().ok()?;
    let alltoall = alltoall.parse().ok()?;
    Some((Bytes(size.parse().ok()?), Seconds(half), Seconds(alltoall)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_numbers_are_read_and_others_passed_over() {
        let expected = (Bytes(1024), Seconds(0.00035), Seconds(0.0025));
        assert_eq!(parsed("1024 0.00035 2.5e-03"), Some(expected));
        assert_eq!(parsed("[0.002] [smpi/INFO] done"), None);
    }
}
