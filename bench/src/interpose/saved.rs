//! The saved time in the preloaded library's report, compared with the truth from runs without the library.
//!
//! # Method
//! `bench/programs/alltoall.c` calls all-to-alls of two sizes among all hosts, in runs without and with the preloaded
//! library in turn, and prints the seconds inside the calls of each size. The truth is the difference of the two sums
//! over all runs; the report has the sum of `saved_s` of these calls. If the truth is a small part of the time, its
//! ratio to the report tells nothing; the report must then name as little.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::units::Bytes;
use serde::Serialize;

use super::launch::{LAUNCH_MODES, LaunchMode, ProgramLaunch};
use super::reported::ReportedCalls;
use crate::harness::campaign::BenchNetwork;
use crate::harness::draw::DrawnNetwork;
use crate::harness::goals::{BenchGoal, within};

/// The sizes of the pieces.
const SIZES: [Bytes; 2] = [Bytes(32 << 10), Bytes(64 << 10)];

/// Share of the time without the preloaded library below which a difference is small.
const SMALL_SHARE: f64 = 0.05;

/// Largest deviation from 1 of the ratio of report to truth.
const TOLERANCE: f64 = 0.1;

/// The calls of one size in all runs: a row of saved.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct SavedRow {
    pub(super) network: String,
    pub(super) procs: u32,
    pub(super) size_bytes: Bytes,
    /// The calls with the preloaded library, and the number that a schedule ran.
    pub(super) calls: u64,
    pub(super) replaced: u64,
    /// Seconds of the calls without and with the preloaded library.
    pub(super) without_s: f64,
    pub(super) with_s: f64,
    /// Sum of the saved seconds in the reports.
    pub(super) saved_s: f64,
}

impl SavedRow {
    fn new(drawn: &DrawnNetwork, size_bytes: Bytes) -> Self {
        Self {
            network: drawn.name.clone(),
            procs: drawn.whole.hosts().get(),
            size_bytes,
            calls: 0,
            replaced: 0,
            without_s: 0.0,
            with_s: 0.0,
            saved_s: 0.0,
        }
    }

    /// The true saved seconds.
    pub(super) fn difference(&self) -> f64 {
        self.without_s - self.with_s
    }

    /// Adds the time in the output of a run.
    fn add_time(&mut self, mode: LaunchMode, printed: &str) -> Result<()> {
        let size = self.size_bytes;
        let printed_time = seconds_by_size(printed).get(&size).copied();
        let time = printed_time.with_context(|| format!("{size}: the program printed no time"))?;
        match mode {
            LaunchMode::Nothing => self.without_s += time,
            LaunchMode::Netsig | LaunchMode::AnyOrder => self.with_s += time,
        }
        Ok(())
    }

    /// Adds the rows of a report that belong to these calls.
    fn add_report(&mut self, reported: &[ReportedCalls]) {
        let alltoall_rows = reported.iter().filter(|row| {
            let cell = row.cell();
            cell.is_some_and(|cell| cell.collective == Collective::Alltoall && cell.size == self.size_bytes)
        });
        for row in alltoall_rows {
            self.calls += row.calls;
            self.replaced += row.replaced();
            self.saved_s += row.saved_s.unwrap_or(0.0);
        }
    }
}

/// Runs missing launches; a row for each size.
pub(super) fn rows(bench_network: &BenchNetwork) -> Result<Vec<SavedRow>> {
    // Calls of each size in a run.
    let (calls, sizes) = (
        bench_network.effort.choose(200, 10),
        SIZES.iter().map(|size| size.0).join(" "),
    );
    let launch = ProgramLaunch {
        name: "alltoall",
        around: "",
        command: format!("ROOT/target/programs/alltoallEND {calls} {sizes}"),
        ranks: bench_network.drawn.whole.hosts().get(),
        modes: LAUNCH_MODES,
    };
    let mut rows = SIZES.map(|size| SavedRow::new(&bench_network.drawn, size));
    for round in 1..=bench_network.effort.choose(3, 1) {
        for &mode in launch.modes {
            let printed = launch.output(bench_network, mode, round)?;
            rows.iter_mut().try_for_each(|row| row.add_time(mode, &printed))?;
        }
        let reported = launch.reported_calls(&bench_network.folder, LaunchMode::Netsig, round)?;
        for row in &mut rows {
            row.add_report(&reported);
        }
    }
    Ok(rows.into())
}

/// The seconds of each size: `SIZE B  … SECONDS s  …`.
fn seconds_by_size(printed: &str) -> BTreeMap<Bytes, f64> {
    let time = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let size = words.first()?.parse().ok()?;
        let unit = words.iter().position(|word| *word == "s")?;
        Some((Bytes(size), words[unit.checked_sub(1)?].parse().ok()?))
    };
    printed.lines().filter_map(time).collect()
}

/// The goal of the ratio of report to truth, over all calls.
pub(super) fn goal(rows: &[SavedRow]) -> BenchGoal {
    let sum = |of: fn(&SavedRow) -> f64| rows.iter().map(of).sum::<f64>();
    let [without, difference, saved] = [
        sum(|row| row.without_s),
        sum(SavedRow::difference),
        sum(|row| row.saved_s),
    ];
    if rows.is_empty() || difference.abs() > SMALL_SHARE * without {
        let value = (!rows.is_empty()).then(|| saved / difference);
        let name = "time saved in the report/difference of runs in turn";
        return BenchGoal::new(name, value, within(1.0 - TOLERANCE..=1.0 + TOLERANCE, "×"));
    }
    let name = "time saved in the report, where runs in turn differ by less than 5 % of the time";
    let percent = 100.0 * SMALL_SHARE;
    let value = Some(100.0 * saved / without);
    BenchGoal::new(name, value, within(-percent..=percent, "% of the time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(without_s: f64, with_s: f64, saved_s: f64) -> SavedRow {
        SavedRow {
            network: "n".to_owned(),
            procs: 12,
            size_bytes: SIZES[0],
            calls: 400,
            replaced: 390,
            without_s,
            with_s,
            saved_s,
        }
    }

    /// 9 of 10 s that were saved, and 11 where nothing was; 3 % of the time where nothing was.
    #[test]
    fn the_report_is_held_against_the_difference() {
        assert!(goal(&[row(50.0, 40.0, 9.1)]).is_met());
        assert!(!goal(&[row(50.0, 40.0, 8.9)]).is_met());
        assert!(goal(&[row(50.0, 50.0, 1.5)]).is_met());
        assert!(!goal(&[row(50.0, 49.0, 3.0)]).is_met());
        assert!(!goal(&[]).is_met());
    }

    #[test]
    fn the_program_prints_a_line_for_each_size() {
        let text = "   32768 B  100 calls   12.250000 s  checksum 0a\n\
                    65536 B  100 calls   40.500000 s  checksum 0b\ncollective,procs\nalltoall,12\n";
        let times = seconds_by_size(text);
        assert_eq!(times, BTreeMap::from([(SIZES[0], 12.25), (SIZES[1], 40.5)]));
    }
}
