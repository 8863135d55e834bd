//! Writes the results: the goals, the gains over all cells, the saved time, the programs, every cell, and notes.

use std::path::Path;

use anyhow::Result;
use netsig_model::predict::penalty::geometric_mean;

use super::goals::{goals_of_cells, goals_of_programs};
use super::programs::ProgramRow;
use super::row::InterposeRow;
use super::saved::SavedRow;
use super::speed_verdict::SpeedVerdict;
use super::{InterposeOutcome, saved, sorts};
use crate::harness::goals::BenchGoal;
use crate::harness::report::{BenchReport, TableColumn, ratio, seconds};

/// A named group of cells.
type CellGroup<'a> = (&'static str, Vec<&'a InterposeRow>);

static PROGRAMS: &[TableColumn<ProgramRow>] = &[
    ("network", |row| row.network.clone()),
    ("MPI", |row| row.mpi.to_owned()),
    ("program", |row| row.program.to_owned()),
    ("ranks", |row| row.ranks.to_string()),
    ("without, s", |row| seconds(row.without_s)),
    ("with, s", |row| seconds(row.with_s)),
    ("speed-up", |row| ratio(row.without_s / row.with_s)),
    ("calls caught", |row| row.calls.to_string()),
    ("replaced", |row| row.replaced.to_string()),
    ("results", |row| {
        if row.equal { "equal" } else { "**differ**" }.to_owned()
    }),
];

static SAVED: &[TableColumn<SavedRow>] = &[
    ("network", |row| row.network.clone()),
    ("procs", |row| row.procs.to_string()),
    ("bytes", |row| row.size_bytes.to_string()),
    ("calls", |row| row.calls.to_string()),
    ("replaced", |row| row.replaced.to_string()),
    ("without, s", |row| seconds(row.without_s)),
    ("with, s", |row| seconds(row.with_s)),
    ("difference, s", |row| seconds(row.difference())),
    ("saved in the report, s", |row| seconds(row.saved_s)),
    ("saved/difference", |row| ratio(row.saved_s / row.difference())),
];

/// The last two columns are of an earlier version.
static CELLS: &[TableColumn<InterposeRow>] = &[
    ("network", |row| row.network.clone()),
    ("collective", |row| row.collective.to_string()),
    ("procs", |row| row.procs.to_string()),
    ("bytes", |row| row.size_bytes.to_string()),
    ("choice", |row| row.choice.clone()),
    ("ran", |row| row.ran.clone()),
    ("library/choice", |row| ratio(row.library_s / row.choice_s)),
    ("library/interposed", |row| ratio(row.gain())),
    ("interposed/library, 95 %", |row| {
        let interval = row.lower.zip(row.upper);
        let ends = interval.map(|(lower, upper)| format!("{lower:.2}–{upper:.2}"));
        ends.unwrap_or_default()
    }),
    ("choice/interposed", |row| ratio(row.choice_s / row.interposed_s)),
    ("passed on/library", |row| ratio(row.passed_s / row.library_s)),
    ("same algorithm, interposed/library", |row| {
        ratio(row.same_interposed_s / row.same_library_s)
    }),
    ("earlier/present version", |row| {
        row.earlier_over_present().map(ratio).unwrap_or_default()
    }),
    ("earlier version ran", |row| row.before_ran.clone().unwrap_or_default()),
];

/// The columns of a group of cells; the last two are of an earlier version.
fn gain_columns<'a>() -> [TableColumn<CellGroup<'a>>; 7] {
    [
        ("cells", |(name, _)| (*name).to_owned()),
        ("number", |(_, rows)| rows.len().to_string()),
        ("surely slower", |(_, rows)| count(rows, SpeedVerdict::Slower)),
        ("surely faster", |(_, rows)| count(rows, SpeedVerdict::Faster)),
        ("library/interposed", |(_, rows)| {
            mean(rows.iter().map(|row| row.gain()))
        }),
        ("library/earlier version", |(_, rows)| {
            mean(rows.iter().filter_map(|row| row.earlier_gain()))
        }),
        ("earlier/present version", |(_, rows)| {
            mean(rows.iter().filter_map(|row| row.earlier_over_present()))
        }),
    ]
}

/// Writes table.md and the CSV files and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &InterposeOutcome, passing: Vec<BenchGoal>, results: &Path) -> Result<bool> {
    let mut goals = goals_of_cells(&outcome.cells);
    goals.extend(goals_of_programs(&outcome.programs));
    goals.extend(sorts::goals(&outcome.sorts));
    goals.push(saved::goal(&outcome.saved));
    goals.extend(passing);
    let mut report = BenchReport::new(results, &goals, "");
    let all: Vec<&InterposeRow> = outcome.cells.iter().collect();
    let (busy, judged): (Vec<&InterposeRow>, Vec<&InterposeRow>) = all.iter().partition(|row| row.busy);
    let has_versions = all.iter().any(|row| row.before_s.is_some());
    let left_out = if has_versions { 0 } else { 2 };
    let all_gains = gain_columns();
    let gains = &all_gains[..all_gains.len() - left_out];
    let cells = &CELLS[..CELLS.len() - left_out];
    report.heading("All cells together");
    let groups = [
        ("judged", judged.clone()),
        ("processors busy", busy.clone()),
        ("all", all),
    ];
    report.table(gains, &groups);
    report.heading("Time saved");
    report.table(SAVED, &outcome.saved);
    report.heading("Programs");
    report.table(PROGRAMS, &outcome.programs);
    report.heading("Every cell");
    report.table(cells, judged);
    report.heading("Cells whose processors were busy: not judged");
    report.table(cells, busy);
    report.notes(&outcome.notes);
    report.rows("programs.csv", &outcome.programs)?;
    report.rows("cells.csv", &outcome.cells)?;
    report.rows("saved.csv", &outcome.saved)?;
    report.publish()
}

/// The number of cells of a verdict.
fn count(rows: &[&InterposeRow], verdict: SpeedVerdict) -> String {
    let matching_rows = rows.iter().filter(|row| row.verdict() == verdict);
    matching_rows.count().to_string()
}

/// The geometric mean, if there are numbers.
fn mean(numbers: impl Iterator<Item = f64>) -> String {
    let mean = geometric_mean(&numbers.collect::<Vec<f64>>());
    mean.map(|mean| format!("{mean:.3}")).unwrap_or_default()
}
