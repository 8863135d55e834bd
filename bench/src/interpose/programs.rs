//! Real programs, started in turn without and with the preloaded library, and their output.
//!
//! A number before the word `s` in their output is a time. The rest must be the same in all runs: it has checksums of
//! the data that all ranks received. Where operands are combined in any order, numbers may differ by [`TOLERANCE`], and
//! checksums are not compared.

use std::collections::BTreeMap;

use anyhow::Result;
use itertools::Itertools as _;
use serde::Serialize;

use super::MPIS;
use super::launch::{LAUNCH_MODES, LaunchMode, ProgramLaunch, REDUCTION_MODES};
use super::reported::ReportedCalls;
use crate::harness::campaign::BenchNetwork;
use crate::harness::draw::DrawnNetwork;
use crate::harness::learn::PROFILE;
use crate::harness::summary::average;

/// Runs without and with the preloaded library.
const ROUNDS: u32 = 2;

/// Largest relative difference of numbers whose operands were combined in another order.
const TOLERANCE: f64 = 1e-9;

/// Letters of a checksum.
const CHECKSUM_LETTERS: usize = 64;

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
    /// True if the profile of reductions alone suffices.
    reduces: bool,
    modes: &'static [LaunchMode],
}

/// Elements of a piece of FFTW's matrices in a direction: 64 KiB a piece.
const EDGE: u32 = 64;

/// Columns of each rank of the Fortran programs: 72 KiB a piece.
const COLUMNS: u32 = 96;

static PROGRAMS: [RealProgram; 8] = [
    of_open_mpi("mpi4py", |_| {
        "/usr/bin/python3 ROOT/bench/programs/arrays.py --sizes 16384,65536 --repetitions 4".to_owned()
    }),
    of_open_mpi("FFTW, MPI_Alltoall", |hosts| transpose(EDGE * hosts, 0)),
    of_open_mpi("FFTW, MPI_Alltoallv", |hosts| transpose(EDGE * hosts, 4)),
    RealProgram {
        reduces: true,
        modes: REDUCTION_MODES,
        ..of_open_mpi("mpi4py, training", |_| {
            "/usr/bin/python3 ROOT/bench/programs/training.py".to_owned()
        })
    },
    RealProgram {
        around: "ROOT/bench/programs/mpifft.sh",
        most: 8,
        reduces: true,
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
        reduces: false,
        modes: LAUNCH_MODES,
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
    /// True if operands were combined in any order.
    pub(super) any_order: bool,
    /// Sum of the seconds that the program prints, without and with the library: means over the runs.
    pub(super) without_s: f64,
    pub(super) with_s: f64,
    /// True if the outputs of all runs are the same except for times, or near where operands were combined in any order.
    pub(super) equal: bool,
    /// Intercepted calls of the collectives that a schedule may run, in a run, and those that a schedule ran.
    pub(super) calls: u64,
    pub(super) replaced: u64,
}

/// Runs missing programs of the network's MPI, or only those that reduce; a row for each program and mode with the
/// library.
pub(super) fn rows(bench_network: &BenchNetwork, reductions_alone: bool) -> Result<Vec<ProgramRow>> {
    if !bench_network.folder.has(&format!("{PROFILE}.toml")) {
        return Ok(Vec::new());
    }
    let drawn = &bench_network.drawn;
    let is_wanted =
        |program: &&RealProgram| program.mpis.contains(&drawn.mpi) && (program.reduces || !reductions_alone);
    let mut rows = Vec::new();
    for program in PROGRAMS.iter().filter(is_wanted) {
        rows.extend(program_rows(
            &program.launch(drawn),
            bench_network,
            ROUNDS,
            PrintedRun::of,
        )?);
    }
    Ok(rows)
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

/// Runs missing rounds of a program, and judges their outputs, parsed by `read`; a row for each mode with the library.
pub(super) fn program_rows(
    launch: &ProgramLaunch,
    bench_network: &BenchNetwork,
    rounds: u32,
    read: fn(&str) -> PrintedRun,
) -> Result<Vec<ProgramRow>> {
    let mut printed: BTreeMap<LaunchMode, Vec<PrintedRun>> = BTreeMap::new();
    for (round, &mode) in (1..=rounds).cartesian_product(launch.modes) {
        let text = launch.output(bench_network, mode, round)?;
        printed.entry(mode).or_default().push(read(&text));
    }
    let without = printed.remove(&LaunchMode::Nothing).unwrap_or_default();
    let rows = printed.into_iter().map(|(mode, with)| {
        let report = |round| launch.reported_calls(&bench_network.folder, mode, round);
        let any_order = mode == LaunchMode::AnyOrder;
        let reported = report(rounds)?;
        Ok(ProgramRow {
            network: bench_network.drawn.name.clone(),
            mpi: bench_network.drawn.mpi,
            program: launch.name,
            ranks: launch.ranks,
            any_order,
            without_s: mean_seconds(&without),
            with_s: mean_seconds(&with),
            equal: are_equal(&without, &with, any_order),
            calls: reported.iter().map(|row| row.calls).sum(),
            replaced: reported.iter().map(ReportedCalls::replaced).sum(),
        })
    });
    rows.collect()
}

fn mean_seconds(runs: &[PrintedRun]) -> f64 {
    average(&runs.iter().map(|run| run.seconds).collect_vec())
}

/// True if the outputs of all runs are equal. In any order, those with the library are equal to each other, and near the
/// others.
fn are_equal(without: &[PrintedRun], with: &[PrintedRun], any_order: bool) -> bool {
    let rests = |runs: &[PrintedRun]| runs.iter().map(|run| run.rest.clone()).collect_vec();
    let [others, own_rests] = [rests(without), rests(with)];
    let is_same = others.iter().all_equal() && own_rests.iter().all_equal();
    let pair = others.first().zip(own_rests.first());
    is_same && pair.is_some_and(|(a, b)| a == b || any_order && is_near(a, b))
}

/// True if all words are equal, numbers that differ by at most [`TOLERANCE`], or checksums.
fn is_near(a: &str, b: &str) -> bool {
    let is_checksum =
        |word: &str| word.len() == CHECKSUM_LETTERS && word.bytes().all(|letter| letter.is_ascii_hexdigit());
    let number = |word: &str| word.trim_end_matches(',').parse::<f64>().ok();
    let is_word_near = |[a, b]: [&str; 2]| {
        let near = |(x, y): (f64, f64)| (x - y).abs() <= TOLERANCE * x.abs().max(y.abs());
        a == b || is_checksum(a) && is_checksum(b) || number(a).zip(number(b)).is_some_and(near)
    };
    let [of_a, of_b] = [a, b].map(|text| text.split_whitespace().collect_vec());
    of_a.len() == of_b.len() && of_a.into_iter().zip(of_b).all(|(x, y)| is_word_near([x, y]))
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
            modes: self.modes,
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

    /// A last bit may differ, a digit or a word may not.
    #[test]
    fn results_in_another_order_are_near() {
        let line = |number: &str, letter: &str, word: &str| format!("loss {number}, {} {word}", letter.repeat(64));
        let first = line("0.728017659479", "a", "equal");
        assert!(is_near(&first, &line("0.728017659478", "b", "equal")));
        assert!(!is_near(&first, &line("0.728017", "b", "equal")));
        assert!(!is_near(&first, &line("0.728017659479", "b", "DIFFERENT")));
    }
}
