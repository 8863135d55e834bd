//! The SMPI of `SimGrid` on the same exchange, where it is installed (Debian: libsimgrid-dev).

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::process;
use crate::bench::{Figure, text};
use crate::smpicc;

/// How many ranks exchange how much.
const RANKS: u32 = 128;
const SIZE: u32 = 1024;

/// The least ratio that is worth a claim.
const LEAST: f64 = 10.0;

const PROGRAM: &str = "#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int procs;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  char *out = malloc((size_t)procs * SIZE), *in = malloc((size_t)procs * SIZE);
  MPI_Alltoall(out, SIZE, MPI_CHAR, in, SIZE, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
";

/// How many times as long SMPI takes for direct exchange on a star; nothing where it is not
/// installed.
pub(super) fn beside(netsig: &Path, work: &Path) -> Result<Option<Figure>> {
    let finds = |program| {
        let found = Command::new(program).arg("--version").output();
        found.is_ok_and(|output| output.status.success())
    };
    if !finds("smpicc") || !finds("smpirun") {
        println!(
            "SKIPPED: SimGrid is not installed (Debian: libsimgrid-dev), so nothing is compared with it"
        );
        return Ok(None);
    }
    let theirs = theirs(work)?;
    let ours = process::simulate(
        netsig,
        work,
        &format!(
            "--collective alltoall --algorithm direct --procs {RANKS} --size {SIZE} --model fluid \
             --network WORK/star-256.toml --set latency_s=50us --method event"
        ),
    )?;
    println!(
        "direct exchange among {RANKS} on a star: SMPI {:.1} s, netsig {:.3} s of CPU",
        theirs, ours.seconds
    );
    Ok(Some(Figure {
        name: format!("netsig-over-smpi-direct-{RANKS}"),
        values: vec![ours.seconds / theirs],
        target: 1.0 / LEAST,
        unit: "of SMPI's time",
    }))
}

/// The CPU seconds of SMPI.
fn theirs(work: &Path) -> Result<f64> {
    let program = smpicc::compile(work, PROGRAM, &[&format!("-DSIZE={SIZE}")])?;
    let platform = work.join("star.xml");
    let cluster = format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"h-\" suffix=\"\" radical=\"0-{}\" \
         speed=\"1Gf\" bw=\"125MBps\" lat=\"25us\" sharing_policy=\"SPLITDUPLEX\"/>\n</platform>\n",
        RANKS - 1
    );
    fs::write(&platform, cluster)?;
    let hosts: Vec<String> = (0..RANKS).map(|host| format!("h-{host}")).collect();
    let hostfile = work.join("hosts");
    fs::write(&hostfile, hosts.join("\n"))?;
    let (platform, hostfile) = (text(&platform)?, text(&hostfile)?);
    let procs = RANKS.to_string();
    let arguments = [
        "-np",
        &procs,
        "-platform",
        &platform,
        "-hostfile",
        &hostfile,
        "--cfg=smpi/alltoall:basic_linear",
        "--cfg=smpi/host-speed:1Gf",
        "--log=root.thres:error",
        &program,
    ];
    Ok(process::of(Path::new("smpirun"), &arguments)?.seconds)
}
