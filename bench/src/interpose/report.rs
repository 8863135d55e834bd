//! Writes the results: the goals, the gains over all cells, the saved time, the programs, every cell, and notes.

use std::path::Path;

use anyhow::Result;
use netsig_base::algorithm::LIBRARY;
use netsig_model::predict::penalty::geometric_mean;

use super::goals::{REDUCTIONS, goals_of_cells, goals_of_programs};
use super::programs::ProgramRow;
use super::row::{InterposeRow, InterposeRows};
use super::saved::SavedRow;
use super::speed_verdict::SpeedVerdict;
use super::{InterposeOutcome, saved, sorts};
use crate::harness::goals::BenchGoal;
use crate::harness::report::{BenchReport, TableColumn, ratio, seconds};
use crate::harness::row_goal::ResultRow as _;

/// A named group of cells.
type CellGroup<'a> = (&'static str, Vec<&'a InterposeRow>);

static PROGRAMS: &[TableColumn<ProgramRow>] = &[
    ("network", |row| row.network.clone()),
    ("MPI", |row| row.mpi.to_owned()),
    ("program", |row| row.program.to_owned()),
    ("reductions", |row| {
        if row.any_order { "any order" } else { "same bits" }.to_owned()
    }),
    ("ranks", |row| row.ranks.to_string()),
    ("without, s", |row| seconds(row.without_s)),
    ("with, s", |row| seconds(row.with_s)),
    ("speed-up", |row| ratio(row.without_s / row.with_s)),
    ("calls caught", |row| row.calls.to_string()),
    ("replaced", |row| row.replaced.to_string()),
    ("results", |row| {
        let equal = if row.any_order { "near" } else { "equal" };
        if row.equal { equal } else { "**differ**" }.to_owned()
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
    ("interposed/library, 95 %", interval),
    ("choice/interposed", |row| ratio(row.choice_s / row.interposed_s)),
    ("passed on/library", |row| ratio(row.passed_s / row.library_s)),
    ("same algorithm, interposed/library", |row| {
        row.same_ratio().map(ratio).unwrap_or_default()
    }),
    ("earlier/present version", |row| {
        row.earlier_over_present().map(ratio).unwrap_or_default()
    }),
    ("earlier version ran", |row| row.before_ran.clone().unwrap_or_default()),
];

/// Reductions whose results keep their bits.
static SAME_ORDER: &[TableColumn<InterposeRow>] = &[
    ("network", |row| row.network.clone()),
    ("procs", |row| row.procs.to_string()),
    ("bytes", |row| row.size_bytes.to_string()),
    ("choice", |row| row.choice.clone()),
    ("ran", |row| row.ran.clone()),
    ("library/choice", |row| ratio(row.library_s / row.choice_s)),
    ("library/interposed", |row| ratio(row.gain())),
    ("interposed/library, 95 %", interval),
    ("library's call, ms", |row| ratio(1e3 * row.library_s.0)),
    ("left, ms a call", |row| {
        row.left_s.map(|left| ratio(1e3 * left)).unwrap_or_default()
    }),
    ("reason", |row| row.reason.clone()),
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
    let mut goals = goals_of_cells(&outcome.rows);
    goals.extend(goals_of_programs(&outcome.programs));
    if !outcome.is_of_reductions() {
        goals.extend(sorts::goals(&outcome.sorts));
        goals.push(saved::goal(&outcome.saved));
    }
    goals.extend(passing);
    let mut report = BenchReport::new(results, &goals, "netsig's own measurement");
    same_order_figures(&mut report, &outcome.rows);
    let all: Vec<&InterposeRow> = outcome.rows.cells.iter().collect();
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
        ("all", all.clone()),
        ("reductions, any order, judged", judged_reductions(&outcome.rows.cells)),
        (
            "reductions, same bits, judged",
            judged_reductions(&outcome.rows.same_order),
        ),
    ];
    report.table(gains, &groups);
    if !outcome.is_of_reductions() {
        report.heading("Time saved");
        report.table(SAVED, &outcome.saved);
    }
    report.heading("Programs");
    report.table(PROGRAMS, &outcome.programs);
    report.heading("Reductions whose results keep their bits");
    report.table(SAME_ORDER, judged_reductions(&outcome.rows.same_order));
    report.heading("Every cell");
    report.table(cells, judged);
    report.heading("Cells whose processors were busy: not judged");
    report.table(cells, busy);
    report.notes(&outcome.notes);
    report.rows("programs.csv", &outcome.programs)?;
    report.rows("cells.csv", &outcome.rows.cells)?;
    report.rows("same-order.csv", &outcome.rows.same_order)?;
    report.rows("saved.csv", &outcome.saved)?;
    report.publish()
}

/// The gain of reductions that keep their bits, what the report says that they leave, and what any order saves in fact.
fn same_order_figures(report: &mut BenchReport, rows: &InterposeRows) {
    let [judged, any_order] = [&rows.same_order, &rows.cells].map(|of_mode| judged_reductions(of_mode));
    if judged.is_empty() {
        return;
    }
    let about = format!("{REDUCTIONS} whose results keep their bits");
    let replaced = judged.iter().filter(|row| row.ran != LIBRARY);
    let gains = judged.iter().map(|row| row.gain());
    let library: f64 = judged.iter().map(|row| row.library_s.0).sum();
    let left: f64 = judged.iter().filter_map(|row| row.left_s).sum();
    let saved: f64 = any_order.iter().map(|row| row.library_s.0 - row.interposed_s.0).sum();
    let percent = |seconds: f64| ratio(100.0 * seconds / library);
    let counts = format!("{} of {}", replaced.count(), judged.len());
    report.figure(format!("{about}: cells that a schedule ran"), counts);
    report.figure(format!("{about}: library/with, ×"), mean(gains));
    report.figure(
        format!("{about}: left in the report, % of the library's time"),
        percent(left),
    );
    let saved_name = format!("{REDUCTIONS}: saved in fact by any order, % of the library's time");
    report.figure(saved_name, percent(saved));
}

/// The judged rows of reductions.
fn judged_reductions(rows: &[InterposeRow]) -> Vec<&InterposeRow> {
    let is_judged = |row: &&InterposeRow| row.is_judged() && row.collective.is_reduction();
    rows.iter().filter(is_judged).collect()
}

/// The interval of the time under the profile over the library's.
fn interval(row: &InterposeRow) -> String {
    let ends = row.lower.zip(row.upper);
    ends.map(|(lower, upper)| format!("{lower:.2}–{upper:.2}"))
        .unwrap_or_default()
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
