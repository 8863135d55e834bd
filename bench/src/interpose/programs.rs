//! Real programs, started in turn without and with the preloaded library, and their output.
//!
//! A number before the word `s` in their output is a time. The rest must be the same in all runs: it has checksums of
//! the data that all ranks received.

use anyhow::Result;
use itertools::Itertools as _;
use serde::Serialize;

use super::MPIS;
use super::launch::{LAUNCH_MODES, ProgramLaunch};
use super::reported::ReportedCalls;
use crate::harness::campaign::BenchNetwork;
use crate::harness::draw::DrawnNetwork;
use crate::harness::learn::PROFILE;

/// Runs without and with the preloaded library.
const ROUNDS: u32 = 2;

/// A program.
struct RealProgram {
    name: &'static str,
    /// The MPIs that it is built for.
    mpis: &'static [&'static str],
    /// Command that gets the command of the ranks as its arguments.
    around: &'static str,
    /// Command of each rank; `ROOT` is the workspace, `END` the ending of programs for the MPI.
    rank_command: fn(u32) -> String,
    /// Most ranks.
    most: u32,
}

/// Elements of a piece of FFTW's matrices in a direction: 64 KiB a piece.
const EDGE: u32 = 64;

/// Columns of each rank of the Fortran programs: 72 KiB a piece.
const COLUMNS: u32 = 96;

static PROGRAMS: [RealProgram; 7] = [
    of_open_mpi("mpi4py", |_| {
        "/usr/bin/python3 ROOT/bench/programs/arrays.py --sizes 16384,65536 --repetitions 4".to_owned()
    }),
    of_open_mpi("FFTW, MPI_Alltoall", |hosts| transpose(EDGE * hosts, 0)),
    of_open_mpi("FFTW, MPI_Alltoallv", |hosts| transpose(EDGE * hosts, 4)),
    RealProgram {
        around: "ROOT/bench/programs/mpifft.sh",
        most: 8,
        ..of_open_mpi("HPC Challenge, MPIFFT", |_| {
            "ROOT/bench/programs/unyielding.sh hpcc".to_owned()
        })
    },
    of_both("Fortran, mpif.h", |hosts| fortran("fortran_h", hosts)),
    of_both("Fortran, use mpi", |hosts| fortran("fortran_mpi", hosts)),
    of_both("Fortran, use mpi_f08", |hosts| fortran("fortran", hosts)),
];

const fn of_both(name: &'static str, rank_command: fn(u32) -> String) -> RealProgram {
    RealProgram {
        name,
        mpis: &MPIS,
        around: "",
        rank_command,
        most: u32::MAX,
    }
}

const fn of_open_mpi(name: &'static str, rank_command: fn(u32) -> String) -> RealProgram {
    RealProgram {
        mpis: &["openmpi"],
        ..of_both(name, rank_command)
    }
}

/// FFTW's transposition of a matrix whose edges differ by twice `apart`.
fn transpose(edge: u32, apart: u32) -> String {
    let [rows, columns] = [edge - apart, edge + apart];
    format!("ROOT/target/programs/transpose -x {rows} -y {columns} -n 4")
}

fn fortran(program: &str, hosts: u32) -> String {
    let order = COLUMNS * hosts;
    format!("ROOT/target/programs/{program}END {order} 8")
}

/// A program on a network: a row of programs.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ProgramRow {
    pub(super) network: String,
    pub(super) mpi: &'static str,
    pub(super) program: &'static str,
    pub(super) ranks: u32,
    /// Sum of the seconds that the program prints, without and with the library: means over the runs.
    pub(super) without_s: f64,
    pub(super) with_s: f64,
    /// True if the outputs of all runs are the same except for times.
    pub(super) equal: bool,
    /// Intercepted calls of the six collectives in a run, and those that a schedule ran.
    pub(super) calls: u64,
    pub(super) replaced: u64,
}

/// Runs missing programs; a row for each program of the network's MPI.
pub(super) fn rows(bench_network: &BenchNetwork) -> Result<Vec<ProgramRow>> {
    if !bench_network.folder.has(&format!("{PROFILE}.toml")) {
        return Ok(Vec::new());
    }
    let drawn = &bench_network.drawn;
    let programs = PROGRAMS.iter().filter(|program| program.mpis.contains(&drawn.mpi));
    let rows = programs.map(|program| program_row(&program.launch(drawn), bench_network, ROUNDS, PrintedRun::of));
    rows.collect()
}

/// Output of one run.
pub(super) struct PrintedRun {
    pub(super) seconds: f64,
    /// The words that are not times.
    pub(super) rest: String,
}

impl PrintedRun {
    /// Separates times from the rest, up to the table of `netsig run`.
    pub(super) fn of(text: &str) -> Self {
        let program_output = text.split("collective,procs,").next().unwrap_or_default();
        let words: Vec<&str> = program_output.split_whitespace().collect();
        let is_time = |place: usize| words.get(place + 1) == Some(&"s");
        let (times, rest): (Vec<_>, Vec<_>) = words.iter().enumerate().partition(|(place, _)| is_time(*place));
        let seconds = times.iter().filter_map(|(_, word)| word.parse::<f64>().ok());
        Self {
            seconds: seconds.sum(),
            rest: rest.iter().map(|(_, word)| *word).join(" "),
        }
    }
}

/// Runs missing rounds of a program, and judges their outputs, parsed by `read`.
pub(super) fn program_row(
    launch: &ProgramLaunch,
    bench_network: &BenchNetwork,
    rounds: u32,
    read: fn(&str) -> PrintedRun,
) -> Result<ProgramRow> {
    let mut printed: [Vec<PrintedRun>; 2] = [Vec::new(), Vec::new()];
    for round in 1..=rounds {
        for (mode_runs, mode) in printed.iter_mut().zip(LAUNCH_MODES) {
            let text = launch.output(bench_network, mode, round)?;
            mode_runs.push(read(&text));
        }
    }
    let [without, with] = printed.each_ref().map(|all| {
        let sum: f64 = all.iter().map(|one| one.seconds).sum();
        sum / f64::from(rounds)
    });
    let mut rests = printed.iter().flatten().map(|one| &one.rest);
    let reported = launch.reported_calls(&bench_network.folder, rounds)?;
    Ok(ProgramRow {
        network: bench_network.drawn.name.clone(),
        mpi: bench_network.drawn.mpi,
        program: launch.name,
        ranks: launch.ranks,
        without_s: without,
        with_s: with,
        equal: rests.all_equal(),
        calls: reported.iter().map(|row| row.calls).sum(),
        replaced: reported.iter().map(ReportedCalls::replaced).sum(),
    })
}

impl RealProgram {
    fn launch(&self, drawn: &DrawnNetwork) -> ProgramLaunch {
        let hosts = drawn.whole.hosts().get();
        let ranks = hosts.min(self.most);
        ProgramLaunch {
            name: self.name,
            around: self.around,
            command: (self.rank_command)(ranks),
            ranks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_results() {
        let text = "forward  0.250000 s  00ff\nmpi: 8 ranks: .75 s  checksum 12\ncollective,procs,x\n1,2";
        let printed = PrintedRun::of(text);
        assert!((printed.seconds - 1.0).abs() < 1e-12);
        assert_eq!(printed.rest, "forward s 00ff mpi: 8 ranks: s checksum 12");
    }
}
