//! Integer sorts as large as class W of NPB's IS, whose `MPI_Alltoallv` brings the keys to the ranks that sort them.
//! `bench/programs/integer_sort.c` runs among 8 ranks and all hosts; its seconds inside `MPI_Alltoallv` count. NPB's
//! own program, if built, runs among 8 ranks; its own time counts.

use anyhow::Result;

use super::launch::{LAUNCH_MODES, ProgramLaunch};
use super::programs::{self, PrintedRun, ProgramRow};
use crate::harness::campaign::BenchNetwork;
use crate::harness::goals::{BenchGoal, at_least};

/// Ranks of the smaller sort and of NPB's sort, which takes powers of two.
const SORT_RANKS: u32 = 8;

/// Least ratio of the time without the preloaded library to the time with it.
const LEAST_GAIN: f64 = 1.6;

/// Words of NPB's program before its time, and before its verdict.
const TIME_LABEL: &str = "Time in seconds";
const VERDICT_LABEL: &str = "Verification";

/// Runs missing sorts; a row for each sort.
pub(super) fn rows(bench_network: &BenchNetwork, npb: Option<&str>) -> Result<Vec<ProgramRow>> {
    let integer_sort = |ranks| ProgramLaunch {
        name: "integer sort",
        around: "",
        command: "ROOT/target/programs/integer_sortEND".to_owned(),
        ranks,
        modes: LAUNCH_MODES,
    };
    let launches = [SORT_RANKS, bench_network.drawn.whole.hosts().get()]
        .map(integer_sort)
        .into_iter();
    let sorts = launches.map(|launch| (launch, PrintedRun::of as fn(&str) -> PrintedRun));
    let npb = npb.map(|program| {
        let launch = ProgramLaunch {
            name: "NPB IS, class W",
            around: "",
            command: program.to_owned(),
            ranks: SORT_RANKS,
            modes: LAUNCH_MODES,
        };
        (launch, parse_npb as fn(&str) -> PrintedRun)
    });
    let rounds = bench_network.effort.choose(4, 1);
    let mut rows = Vec::new();
    for (launch, read) in sorts.chain(npb) {
        rows.extend(programs::program_rows(&launch, bench_network, rounds, read)?);
    }
    Ok(rows)
}

/// Parses the output of NPB's program: `Time in seconds = T`, and its verdict on the sort.
fn parse_npb(text: &str) -> PrintedRun {
    let value = |name: &str| {
        let mut lines = text.lines().map(str::trim);
        let line = lines.find(|line| line.starts_with(name))?;
        let (_, value) = line.split_once('=')?;
        Some(value.trim())
    };
    PrintedRun {
        seconds: value(TIME_LABEL).and_then(|time| time.parse().ok()).unwrap_or(f64::NAN),
        rest: value(VERDICT_LABEL).unwrap_or_default().to_owned(),
    }
}

/// The goals of the gains of the sorts; one goal without a value if no sort ran.
pub(super) fn goals(rows: &[ProgramRow]) -> Vec<BenchGoal> {
    let goal = |name: &str, gain| BenchGoal::new(name, gain, at_least(LEAST_GAIN, "×"));
    if rows.is_empty() {
        return vec![goal("integer sorts, without/with the preloaded library", None)];
    }
    let goal_of_sort = |row: &ProgramRow| {
        let ProgramRow { program, ranks, .. } = row;
        let name = format!("{program}, {ranks} ranks, without/with the preloaded library");
        goal(&name, Some(row.without_s / row.with_s))
    };
    rows.iter().map(goal_of_sort).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_npb_is_read() {
        let text = " Class           =                        W\n \
                    Time in seconds =                     2.37\n \
                    Verification    =               SUCCESSFUL\n";
        let printed = parse_npb(text);
        assert!((printed.seconds - 2.37).abs() < 1e-12);
        assert_eq!(printed.rest, "SUCCESSFUL");
    }
}
