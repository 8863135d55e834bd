//! `netsig-bench simulator`: processor time and memory of `netsig simulate`, in CPU seconds of one core, each run in a
//! separate process; for comparison the SMPI of `SimGrid` where it is installed. One line for each figure: `name  value
//! target  met|MISSED`. The fastest of three runs counts: other work on the machine can only slow a run down. The first
//! runs of all simulations precede the second runs, so that a slow minute affects at most one run of each.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::iter;
use std::path::Path;

use anyhow::{Context, Result};
use netsig_base::stats::line::FittedLine;
use netsig_base::units::Procs;
use netsig_model::profile::Profile;

use crate::harness::goals::BenchGoal;
use crate::harness::process::{NetsigProgram, ProcessUsage};
use crate::harness::smpi::{self, SmpiProgram};

/// A simulation with upper bounds of its time and memory: name, collective and algorithm with
/// processes and bytes, network, seconds and megabytes.
type SimulationTarget = (&'static str, &'static str, &'static str, [f64; 2]);

/// `LogGP` parameters of a network with 8 Gbit/s, for the endpoint model.
const LOGGP: &str = "--model loggp --set L=5us --set o=1us --set g=2us --set G=1ns/B";

/// The same parameters, with every event simulated.
const LOGGP_EVENTS: &str = "--model loggp --set L=5us --set o=1us --set g=2us --set G=1ns/B --method event";

/// Fluid networks, with every event simulated.
const STAR: &str = "--model fluid --network star.toml --set L=50us --method event";
const STAR_256: &str = "--model fluid --network star-256.toml --set L=50us --method event";
const TREE_256: &str = "--model fluid --network tree-256.toml --set L=50us --method event";

/// A binary tree of switches.
const BINARY_TREE: &str = "--model plogpt --network binary-tree.toml --method closed-form";

/// Time of `LogGOPSim` for this broadcast in seconds, also event by event.
const LOGGOPSIM: f64 = 4.9;

/// No target.
const NO_TARGET: f64 = f64::INFINITY;

#[rustfmt::skip]
const TARGETS: [SimulationTarget; 9] = [
    ("direct-512-endpoint", "alltoall direct 512 1024", LOGGP_EVENTS, [0.2, NO_TARGET]),
    ("pairwise-4096-endpoint", "alltoall pairwise 4096 1024", LOGGP_EVENTS, [4.0, 100.0]),
    ("scatter-flat-65536-endpoint", "scatter flat 65536 1024", LOGGP_EVENTS, [0.1, NO_TARGET]),
    ("scatter-binomial-65536-endpoint", "scatter binomial 65536 1024", LOGGP_EVENTS, [0.1, NO_TARGET]),
    ("bcast-binomial-1048576-endpoint", "bcast binomial 1048576 1024", LOGGP, [0.5, 100.0]),
    ("bcast-binomial-1048576-every-event", "bcast binomial 1048576 1024", LOGGP_EVENTS, [LOGGOPSIM, 100.0]),
    ("direct-256-fluid-star", "alltoall direct 256 1024", STAR_256, [1.0, NO_TARGET]),
    ("direct-256-fluid-two-switches", "alltoall direct 256 1024", TREE_256, [1.0, NO_TARGET]),
    ("plogpt-b-1048576-closed-form", "alltoall sends-in-turn 1048576 10000", BINARY_TREE, [0.01, NO_TARGET]),
];

/// Series of all-to-alls to fit the growth of time with ranks: name, algorithm and network, numbers
/// of ranks.
const SERIES: [(&str, [&str; 2], [u32; 4]); 3] = [
    ("endpoint", ["direct", LOGGP_EVENTS], [512, 1024, 2048, 4096]),
    ("endpoint", ["pairwise", LOGGP_EVENTS], [512, 1024, 2048, 4096]),
    ("fluid", ["direct", STAR], [128, 256, 512, 1024]),
];

/// Upper bound of the exponent; n·(n − 1) messages give 2.
const EXPONENT: f64 = 2.1;

/// Number of ranks and bytes per destination of the comparison with SMPI.
const RANKS: u32 = 128;
const SIZE: u32 = 1024;

/// Upper bound of netsig's time relative to SMPI's for the claim of a faster simulation.
const MOST_OF_SMPI: f64 = 0.1;

/// The profile of the star for SMPI: α = 50 µs, and β of 1 Gbit/s.
const GIGABIT: &str = "netsig_profile = 4
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
    let netsig = NetsigProgram::built(work.path(), "bench-sim")?;
    write_networks(work.path())?;
    let usages = fastest_usages(&netsig)?;
    let mut is_met = true;
    let mut report = |figure: BenchGoal| {
        println!("{}", figure.line());
        is_met &= figure.is_met();
    };
    for (name, case, network, [most_seconds, most_megabytes]) in TARGETS {
        let ProcessUsage { seconds, megabytes } = usages[&arguments(case, network)];
        report(BenchGoal::measured(name, vec![seconds], most_seconds, "s"));
        if most_megabytes.is_finite() {
            let name = format!("{name}-memory");
            report(BenchGoal::measured(name, vec![megabytes], most_megabytes, "MB"));
        }
    }
    for (name, algorithm_network @ [algorithm, _], ranks) in SERIES {
        let mut points = Vec::new();
        for procs in ranks {
            let seconds = usages[&alltoall(algorithm_network, procs)].seconds;
            println!("{algorithm} among {procs}, {name}: {seconds:.3} s");
            points.push((f64::from(procs).ln(), seconds.max(1e-6).ln(), 1.0));
        }
        let exponent = vec![FittedLine::through(&points).slope];
        let name = format!("{algorithm}-{name}-exponent");
        report(BenchGoal::measured(name, exponent, EXPONENT, "in ranks"));
    }
    let ours = usages[&alltoall(["direct", STAR], RANKS)].seconds;
    match smpi_goal(&netsig, ours)? {
        Some(figure) => report(figure),
        None => println!("{}, so nothing is compared with it", smpi::MISSING),
    }
    Ok(is_met)
}

/// Usage of the fastest of three runs of each simulation, by its arguments.
fn fastest_usages(netsig: &NetsigProgram) -> Result<HashMap<String, ProcessUsage>> {
    let rows = TARGETS.map(|(_, case, network, _)| arguments(case, network));
    let listed_series = SERIES.iter();
    let series =
        listed_series.flat_map(|(_, algorithm_network, ranks)| ranks.map(|procs| alltoall(*algorithm_network, procs)));
    let all: Vec<String> = rows.into_iter().chain(series).collect();
    let mut usages: HashMap<String, ProcessUsage> = HashMap::new();
    for arguments in iter::repeat_n(&all, 3).flatten() {
        let run = ProcessUsage::of(&netsig.command(&format!("simulate {arguments}")))?;
        let best = usages.entry(arguments.clone()).or_insert(run);
        if run.seconds < best.seconds {
            *best = run;
        }
    }
    Ok(usages)
}

/// The arguments of a simulation.
fn arguments(case: &str, network: &str) -> String {
    let options = ["--collective", "--algorithm", "--procs", "--size"];
    let option_words = options.into_iter().zip(case.split(' '));
    let case_options = option_words.map(|(option, word)| format!("{option} {word} "));
    case_options.collect::<String>() + network
}

/// The arguments of an all-to-all by an algorithm on a network.
fn alltoall([algorithm, network]: [&str; 2], procs: u32) -> String {
    arguments(&format!("alltoall {algorithm} {procs} {SIZE}"), network)
}

/// Ratio of `ours`, netsig's CPU seconds, to SMPI's for direct exchange on a star; `None` if SMPI
/// is not installed.
fn smpi_goal(netsig: &NetsigProgram, ours: f64) -> Result<Option<BenchGoal>> {
    if !smpi::is_installed() {
        return Ok(None);
    }
    let profile = Profile::parse("gigabit", GIGABIT)?;
    let program = SmpiProgram::compile(netsig.folder(), PROGRAM)?;
    let mut command = program.on_star(Procs::new(RANKS)?, &profile, &[])?;
    let theirs = ProcessUsage::of(command.arg(SIZE.to_string()))?.seconds;
    println!("direct exchange among {RANKS} on a star: SMPI {theirs:.1} s, netsig {ours:.3} s of CPU");
    let name = format!("netsig-over-smpi-direct-{RANKS}");
    let ratio = vec![ours / theirs];
    Ok(Some(BenchGoal::measured(name, ratio, MOST_OF_SMPI, "of SMPI's time")))
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
    let mut tree = String::from("description = \"2^20 hosts\"\ntopology = \"binary-tree\"\nlatency = \"50us\"\n");
    for height in 1..=20 {
        let (rate, delay) = match height {
            // From here on, half the rate of full bisection.
            11.. => (1u64 << (height - 2), "18.2us"),
            _ => (1 << (height - 1), "0us"),
        };
        writeln!(tree, "[[height]]\nrate = \"{rate}Gbit/s\"\ndelay = \"{delay}\"")?;
    }
    fs::write(work.join("binary-tree.toml"), tree)?;
    Ok(())
}
