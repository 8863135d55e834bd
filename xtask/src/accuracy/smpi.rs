//! The SMPI of `SimGrid` (Debian: libsimgrid-dev) on a star with the α and β of the ping-pong.
//!
//! Every host has a link of bandwidth 1/β and latency α/2 each way, so that a message crosses
//! two of them. SMPI's correction factors of bandwidth and latency are 1: they were fitted to
//! another cluster, and with them the ping-pong would not come out. Everything else is as
//! SMPI has it, cross traffic on. What it then says of the ping-pong is reported beside
//! α + β·m. Its `basic_linear` posts all messages at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::Collective;
use netsig_core::data::Experiment;
use netsig_core::data::cells::{CellKey, Summary};
use netsig_core::model::hockney::Hockney;
use netsig_core::units::{Bytes, Procs, Seconds};

use super::Times;
use crate::bench::text;
use crate::smpicc;

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

const SETTINGS: [&str; 6] = [
    "--cfg=smpi/alltoall:basic_linear",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/host-speed:1Gf",
    "--cfg=smpi/simulate-computation:no",
    "--log=root.thres:error",
];

/// What SMPI printed of one size.
#[derive(Debug, PartialEq)]
struct Simulated {
    size: Bytes,
    half_round_trip: Seconds,
    alltoall: Seconds,
}

/// The times of direct exchange for all cells of it, and a note on how they came about.
/// No times where SMPI is not installed and cannot be.
pub(super) fn predict(
    hockney: &Hockney,
    cells: &BTreeMap<CellKey, Summary>,
) -> Result<(Times, String)> {
    if !is_installed() && !install() {
        let note = "SKIPPED: SimGrid is not installed (Debian: libsimgrid-dev), so SMPI is no \
                    contender";
        return Ok((Times::new(), note.to_owned()));
    }
    let alltoalls = cells
        .keys()
        .filter(|key| key.experiment == Experiment::Collective(Collective::Alltoall));
    let places: BTreeSet<(Procs, Bytes)> = alltoalls.map(|key| (key.procs, key.size)).collect();
    let procs: BTreeSet<Procs> = places.iter().map(|(procs, _)| *procs).collect();
    let sizes: BTreeSet<Bytes> = places.iter().map(|(_, size)| *size).collect();
    let sizes: Vec<String> = sizes.iter().map(|size| size.0.to_string()).collect();
    let work = tempfile::tempdir().context("no temporary directory")?;
    let program = smpicc::compile(work.path(), PROGRAM, &[])?;
    let mut times = Times::new();
    let mut furthest: f64 = 0.0;
    for procs in procs {
        let platform = work.path().join("star.xml");
        fs::write(&platform, star(hockney, procs))?;
        let hosts: Vec<String> = (0..procs.get()).map(|host| format!("h-{host}")).collect();
        fs::write(work.path().join("hosts"), hosts.join("\n"))?;
        for one in simulate(work.path(), procs, (&program, &sizes))? {
            times.insert((procs, one.size), one.alltoall);
            let error = one.half_round_trip / hockney.time(one.size) - 1.0;
            furthest = furthest.max(error.abs());
        }
    }
    let note = format!(
        "SMPI: star with links of 1/β and α/2, {}; its ping-pong is at most {:.1} % off α + β·m",
        SETTINGS[..3].join(" "),
        furthest * 100.0
    );
    Ok((times, note))
}

fn is_installed() -> bool {
    let answers = |program| {
        let said = Command::new(program).arg("--version").output();
        said.is_ok_and(|output| output.status.success())
    };
    answers("smpicc") && answers("smpirun")
}

/// Installs it where that is possible.
fn install() -> bool {
    let apt = |arguments: &[&str]| {
        let status = Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    nix::unistd::geteuid().is_root()
        && apt(&["update", "-qq"])
        && apt(&["install", "-y", "-qq", "libsimgrid-dev"])
        && is_installed()
}

fn star(hockney: &Hockney, procs: Procs) -> String {
    format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"h-\" suffix=\"\" radical=\"0-{}\" \
         speed=\"1Gf\" bw=\"{}Bps\" lat=\"{}s\" sharing_policy=\"SPLITDUPLEX\"/>\n</platform>\n",
        procs.get() - 1,
        1.0 / hockney.beta().0,
        hockney.alpha().0 / 2.0
    )
}

fn simulate(
    work: &Path,
    procs: Procs,
    (program, sizes): (&str, &[String]),
) -> Result<Vec<Simulated>> {
    let [platform, hosts] = ["star.xml", "hosts"].map(|name| text(&work.join(name)));
    let output = Command::new("smpirun")
        .args(["-np", &procs.to_string()])
        .args(["-platform", &platform?, "-hostfile", &hosts?])
        .args(SETTINGS)
        .arg(program)
        .args(sizes)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "smpirun failed: {said}");
    let printed = String::from_utf8_lossy(&output.stdout);
    let simulated: Vec<Simulated> = printed.lines().filter_map(parsed).collect();
    ensure!(
        simulated.len() == sizes.len(),
        "smpirun printed {} of {} sizes: {printed}{said}",
        simulated.len(),
        sizes.len()
    );
    Ok(simulated)
}

/// `SIZE HALF-ROUND-TRIP ALLTOALL`; other lines are smpirun's own.
fn parsed(line: &str) -> Option<Simulated> {
    let [size, half, alltoall] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(Simulated {
        size: Bytes(size.parse().ok()?),
        half_round_trip: Seconds(half.parse().ok()?),
        alltoall: Seconds(alltoall.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use netsig_core::units::SecondsPerByte;

    use super::*;

    #[test]
    fn lines_of_numbers_are_read_and_others_passed_over() {
        let expected = Simulated {
            size: Bytes(1024),
            half_round_trip: Seconds(0.00035),
            alltoall: Seconds(0.0025),
        };
        assert_eq!(parsed("1024 0.00035 2.5e-03"), Some(expected));
        assert_eq!(parsed("[0.002] [smpi/INFO] done"), None);
    }

    #[test]
    fn two_links_make_a_message() {
        let hockney = Hockney::new(Seconds(1e-4), SecondsPerByte(2e-7)).unwrap();
        let platform = star(&hockney, Procs::new(12).unwrap());
        assert!(platform.contains("radical=\"0-11\""));
        assert!(
            platform.contains("bw=\"5000000Bps\" lat=\"0.00005s\""),
            "{platform}"
        );
    }
}
