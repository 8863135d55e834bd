//! `netsig-bench simulator`: processor time and memory of `netsig simulate`, in CPU seconds of one
//! core, each run in a separate process; for comparison the SMPI of `SimGrid` where it is
//! installed. One line for each figure: `name  value  target  met|MISSED`. The fastest of three
//! runs counts: other work on the machine can only slow a run down. The first runs of all
//! simulations precede the second ones, so that a slow minute affects at most one run of each.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::iter;
use std::path::Path;

use anyhow::{Context, Result};
use netsig_base::stats::line::Line;
use netsig_base::units::Procs;
use netsig_model::profile::Profile;

use crate::figure::Figure;
use crate::process::{Netsig, Usage};
use crate::smpi::{self, Program};

/// A simulation with upper bounds of its time and memory.
struct Row {
    name: &'static str,
    arguments: &'static str,
    seconds: f64,
    megabytes: f64,
}

/// `LogGP` parameters of a network with 8 Gbit/s, for the endpoint model.
const CLOSED: &str = "--model loggp --set L=5us --set o=1us --set g=2us \
                      --set G=1ns/B";

/// Time of `LogGOPSim` for this broadcast in seconds, also event by event.
const LOGGOPSIM: f64 = 4.9;

/// No target.
const ANY: f64 = f64::INFINITY;

const ROWS: [Row; 9] = [
    Row {
        name: "direct-512-endpoint",
        arguments: "--collective alltoall --algorithm direct --procs 512 --size 1024 PORTS",
        seconds: 0.2,
        megabytes: ANY,
    },
    Row {
        name: "pairwise-4096-endpoint",
        arguments: "--collective alltoall --algorithm pairwise --procs 4096 --size 1024 PORTS",
        seconds: 4.0,
        megabytes: 100.0,
    },
    Row {
        name: "scatter-flat-65536-endpoint",
        arguments: "--collective scatter --algorithm flat --procs 65536 --size 1024 PORTS",
        seconds: 0.1,
        megabytes: ANY,
    },
    Row {
        name: "scatter-binomial-65536-endpoint",
        arguments: "--collective scatter --algorithm binomial --procs 65536 --size 1024 PORTS",
        seconds: 0.1,
        megabytes: ANY,
    },
    Row {
        name: "bcast-binomial-1048576-endpoint",
        arguments: "--collective bcast --algorithm binomial --procs 1048576 --size 1024 CLOSED",
        seconds: 0.5,
        megabytes: 100.0,
    },
    Row {
        name: "bcast-binomial-1048576-every-event",
        arguments: "--collective bcast --algorithm binomial --procs 1048576 --size 1024 PORTS",
        seconds: LOGGOPSIM,
        megabytes: 100.0,
    },
    Row {
        name: "direct-256-fluid-star",
        arguments: "--collective alltoall --algorithm direct --procs 256 --size 1024 --model fluid \
                    --network star-256.toml --set L=50us --method event",
        seconds: 1.0,
        megabytes: ANY,
    },
    Row {
        name: "direct-256-fluid-two-switches",
        arguments: "--collective alltoall --algorithm direct --procs 256 --size 1024 --model fluid \
                    --network tree-256.toml --set L=50us --method event",
        seconds: 1.0,
        megabytes: ANY,
    },
    Row {
        name: "plogpt-b-1048576-closed-form",
        arguments: "--collective alltoall --algorithm sends-in-turn --procs 1048576 --size 10000 \
                    --model plogpt --network binary-tree.toml --method closed-form",
        seconds: 0.01,
        megabytes: ANY,
    },
];

/// Series of all-to-alls to fit the growth of time with ranks: name, algorithm and network, numbers
/// of ranks.
const SERIES: [(&str, [&str; 2], [u32; 4]); 3] = [
    ("endpoint", ["direct", "PORTS"], [512, 1024, 2048, 4096]),
    ("endpoint", ["pairwise", "PORTS"], [512, 1024, 2048, 4096]),
    ("fluid", ["direct", STAR], [128, 256, 512, 1024]),
];

/// Options of the fluid network on a star, with every event simulated.
const STAR: &str = "--model fluid --network star.toml --set L=50us --method event";

/// Upper bound of the exponent; n·(n − 1) messages give 2.
const EXPONENT: f64 = 2.1;

/// Number of ranks and bytes per destination of the comparison with SMPI.
const RANKS: u32 = 128;
const SIZE: u32 = 1024;

/// Upper bound of netsig's time relative to SMPI's for the claim of a faster simulation.
const OF_SMPI: f64 = 0.1;

/// The profile of the star for SMPI: α = 50 µs, and β of 1 Gbit/s.
const GIGABIT: &str = "netsig_profile = 3
[hockney]
alpha_s = { value = 5e-5, lower = 5e-5, upper = 5e-5 }
beta_s_per_byte = { value = 8e-9, lower = 8e-9, upper = 8e-9 }
";

const PROGRAM: &str = "#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int procs, size = atoi(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  char *out = malloc((size_t)procs * size), *in = malloc((size_t)procs * size);
  MPI_Alltoall(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
";

/// Measures everything; false if a target is missed.
pub fn run() -> Result<bool> {
    let work = tempfile::tempdir().context("no temporary directory")?;
    let netsig = Netsig::built(work.path(), "bench-sim")?;
    write_networks(work.path())?;
    let taken = fastest(&netsig)?;
    let mut is_met = true;
    let mut tell = |figure: Figure| {
        println!("{figure}");
        is_met &= figure.is_met();
    };
    for row in &ROWS {
        let Usage { seconds, megabytes } = taken[row.arguments];
        tell(Figure::new(row.name, vec![seconds], row.seconds, "s"));
        if row.megabytes.is_finite() {
            let name = format!("{}-memory", row.name);
            tell(Figure::new(name, vec![megabytes], row.megabytes, "MB"));
        }
    }
    for (name, own @ [algorithm, _], ranks) in SERIES {
        let mut points = Vec::new();
        for procs in ranks {
            let seconds = taken[&alltoall(own, procs)].seconds;
            println!("{algorithm} among {procs}, {name}: {seconds:.3} s");
            points.push((f64::from(procs).ln(), seconds.max(1e-6).ln(), 1.0));
        }
        let exponent = vec![Line::through(&points).slope];
        let name = format!("{algorithm}-{name}-exponent");
        tell(Figure::new(name, exponent, EXPONENT, "in ranks"));
    }
    let ours = taken[&alltoall(["direct", STAR], RANKS)].seconds;
    match beside_smpi(&netsig, ours)? {
        Some(figure) => tell(figure),
        None => println!("{}, so nothing is compared with it", smpi::MISSING),
    }
    Ok(is_met)
}

/// Usage of the fastest of three runs of each simulation, by its arguments.
fn fastest(netsig: &Netsig) -> Result<HashMap<String, Usage>> {
    let rows = ROWS.iter().map(|row| row.arguments.to_owned());
    let series = SERIES.iter();
    let series = series.flat_map(|(_, own, ranks)| ranks.map(|procs| alltoall(*own, procs)));
    let all: Vec<String> = rows.chain(series).collect();
    let mut taken: HashMap<String, Usage> = HashMap::new();
    for arguments in iter::repeat_n(&all, 3).flatten() {
        let run = simulate(netsig, arguments)?;
        let best = taken.entry(arguments.clone()).or_insert(run);
        if run.seconds < best.seconds {
            *best = run;
        }
    }
    Ok(taken)
}

/// Usage of `netsig simulate` with these arguments. `CLOSED` stands for the parameters of the
/// endpoint network, and `PORTS` for the same with every event simulated.
fn simulate(netsig: &Netsig, arguments: &str) -> Result<Usage> {
    let arguments = arguments.replace("PORTS", "CLOSED --method event");
    let arguments = arguments.replace("CLOSED", CLOSED);
    Usage::of(&netsig.command(&format!("simulate {arguments}")))
}

/// The arguments of an all-to-all by an algorithm on a network.
fn alltoall([algorithm, network]: [&str; 2], procs: u32) -> String {
    format!("--collective alltoall --algorithm {algorithm} --procs {procs} --size {SIZE} {network}")
}

/// Ratio of `ours`, netsig's CPU seconds, to SMPI's for direct exchange on a star; `None` if SMPI
/// is not installed.
fn beside_smpi(netsig: &Netsig, ours: f64) -> Result<Option<Figure>> {
    if !smpi::is_installed() {
        return Ok(None);
    }
    let profile = Profile::parse("gigabit", GIGABIT)?;
    let program = Program::compile(netsig.folder(), PROGRAM)?;
    let mut command = program.on_star(Procs::new(RANKS)?, &profile, &[])?;
    let theirs = Usage::of(command.arg(SIZE.to_string()))?.seconds;
    println!(
        "direct exchange among {RANKS} on a star: SMPI {theirs:.1} s, netsig {ours:.3} s of CPU"
    );
    let name = format!("netsig-over-smpi-direct-{RANKS}");
    let ratio = vec![ours / theirs];
    Ok(Some(Figure::new(name, ratio, OF_SMPI, "of SMPI's time")))
}

/// The networks of the simulations.
fn write_networks(work: &Path) -> Result<()> {
    let hosts = |topology: &str, hosts: u32| {
        format!(
            "description = \"{hosts} hosts\"\ntopology = \"{topology}\"\nhosts = {hosts}\n\
             rate = \"1Gbit/s\"\nport_buffer = \"128KiB\"\ncongestion_control = \"cubic\"\n"
        )
    };
    fs::write(work.join("star-256.toml"), hosts("star", 256))?;
    fs::write(work.join("star.toml"), hosts("star", 1024))?;
    let uplink = "[uplink]\nrate = \"40Gbit/s\"\nport_buffer = \"1MiB\"\n";
    fs::write(work.join("tree-256.toml"), hosts("tree", 256) + uplink)?;
    let mut tree = String::from(
        "description = \"2^20 hosts\"\ntopology = \"binary-tree\"\nlatency = \"50us\"\n",
    );
    for height in 1..=20 {
        let (rate, delay) = match height {
            // From here on, half the rate of full bisection.
            11.. => (1u64 << (height - 2), "18.2us"),
            _ => (1 << (height - 1), "0us"),
        };
        writeln!(
            tree,
            "[[height]]\nrate = \"{rate}Gbit/s\"\ndelay = \"{delay}\""
        )?;
    }
    fs::write(work.join("binary-tree.toml"), tree)?;
    Ok(())
}
