//! The cost of calls that are passed on, and the growth of memory: a small program of two ranks on this machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{MPIS, library_path};
use crate::harness::goals::{BenchGoal, at_most};
use crate::harness::process::output;
use crate::harness::root;

/// Calls of each kind that are timed.
const TIMED_CALLS: u32 = 200_000;

/// Calls during which memory is watched.
const MEMORY_CALLS: u32 = 1_000_000;

/// Most nanoseconds of a call that is passed on.
const MOST_NANOSECONDS: f64 = 300.0;

/// Schedules with all kinds of messages.
const ALGORITHMS: &str = "alltoall windowed:segment=100,window=2; alltoallv windowed:segment=100,window=3; \
    bcast pipeline:100; scatter binomial; gather binomial; allgather bruck; allreduce ring; reduce binomial; \
    reduce-scatter pairwise; reduce-scatter-block recursive-halving; barrier dissemination";

/// A run of the program.
struct PassingRun {
    /// Name of its file.
    name: &'static str,
    /// What the program measures.
    kind: &'static str,
    calls: u32,
    /// Mode of the library, and how much reductions may be changed.
    mode: &'static str,
    reductions: &'static str,
}

const TIMED_RUN: PassingRun = PassingRun {
    name: "pass",
    kind: "pass",
    calls: TIMED_CALLS,
    mode: "report",
    reductions: "same-order",
};

/// The runs that watch memory, with the calls in words.
const MEMORY_RUNS: [(PassingRun, &str); 3] = [
    (memory_run("memory", "memory", "same-order"), "calls"),
    (
        memory_run("reductions", "reductions", "same-order"),
        "reductions, same bits",
    ),
    (
        memory_run("reductions-any", "reductions", "on"),
        "reductions, any order",
    ),
];

const fn memory_run(name: &'static str, kind: &'static str, reductions: &'static str) -> PassingRun {
    PassingRun {
        name,
        kind,
        calls: MEMORY_CALLS,
        mode: "on",
        reductions,
    }
}

/// The goals for both MPIs; files keep the output of the program.
pub(super) fn figures(results: &Path) -> Result<Vec<BenchGoal>> {
    let mut goals = Vec::new();
    for mpi in MPIS {
        let timing_text = TIMED_RUN.printed(results, mpi)?;
        for (kind, cost) in costs(&timing_text) {
            let name = format!("{mpi}, a call passed on ({kind})");
            goals.push(BenchGoal::new(name, Some(cost), at_most(MOST_NANOSECONDS, "ns")));
        }
        for (memory_run, calls) in &MEMORY_RUNS {
            let memory_text = memory_run.printed(results, mpi)?;
            let growth = match sizes(&memory_text)[..] {
                [.., before, after] => Some(after - before),
                _ => None,
            };
            let name = format!("{mpi}, growth of memory from 10⁵ to 10⁶ {calls}");
            goals.push(BenchGoal::new(name, growth, at_most(64.0, "kB")));
        }
    }
    Ok(goals)
}

impl PassingRun {
    /// The output of the program with the library preloaded.
    fn printed(&self, results: &Path, mpi: &str) -> Result<String> {
        let path = results.join(format!("{}-{mpi}.txt", self.name));
        if !path.is_file() {
            let program = root().join(format!("target/programs/passes.{mpi}"));
            let preload = format!("LD_PRELOAD={}", library_path(mpi).display());
            let mut command = Command::new(format!("mpirun.{mpi}"));
            command
                .args(["-np", "2", "env", &preload])
                .arg(program)
                .args([&self.calls.to_string(), self.kind])
                .envs([
                    ("NETSIG_INTERPOSE", self.mode),
                    ("NETSIG_REDUCTIONS", self.reductions),
                    ("NETSIG_ALGORITHMS", ALGORITHMS),
                    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
                ]);
            fs::write(&path, output(&mut command)?)?;
        }
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    }
}

/// The kinds of calls with the nanoseconds that interception adds: `pass KIND: … difference of medians
/// X ns`.
fn costs(text: &str) -> Vec<(String, f64)> {
    let cost = |line: &str| {
        let (kind, times) = line.strip_prefix("pass ")?.split_once(':')?;
        let (_, last) = times.rsplit_once("medians ")?;
        Some((kind.to_owned(), last.strip_suffix(" ns")?.parse().ok()?))
    };
    text.lines().filter_map(cost).collect()
}

/// The most kilobytes of a rank: `memory after N calls: … at most X kB`.
fn sizes(text: &str) -> Vec<f64> {
    let size = |line: &str| {
        let (_, most) = line.rsplit_once("at most ")?;
        most.strip_suffix(" kB")?.parse().ok()
    };
    text.lines().filter_map(size).collect()
}
