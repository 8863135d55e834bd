//! Writes the results: the goals, the gains over all cells, the time saved, the programs, every cell, and notes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_model::predict::penalty::geometric_mean;

use super::Outcome;
use super::goals::{of_cells, of_programs};
use super::row::Row;
use super::slower::Verdict;
use super::{programs, saved, sorts};
use crate::goal::Goal;
use crate::tables;

/// A column of a table: its head, and its field of a row.
type Column<R> = (&'static str, fn(&R) -> String);

/// Some of the cells, with their name.
type Part = (&'static str, Vec<Row>);

static PROGRAMS: &[Column<programs::Row>] = &[
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

static SAVED: &[Column<saved::Row>] = &[
    ("network", |row| row.network.clone()),
    ("procs", |row| row.procs.to_string()),
    ("bytes", |row| row.size_bytes.to_string()),
    ("calls", |row| row.calls.to_string()),
    ("replaced", |row| row.replaced.to_string()),
    ("without, s", |row| seconds(row.without_s)),
    ("with, s", |row| seconds(row.with_s)),
    ("difference, s", |row| seconds(row.difference())),
    ("saved in the report, s", |row| seconds(row.saved_s)),
    ("saved/difference", |row| {
        ratio(row.saved_s / row.difference())
    }),
];

static CELLS: &[Column<Row>] = &[
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
    ("choice/interposed", |row| {
        ratio(row.choice_s / row.interposed_s)
    }),
    ("passed on/library", |row| {
        ratio(row.passed_s / row.library_s)
    }),
    ("same algorithm, interposed/library", |row| {
        ratio(row.same_interposed_s / row.same_library_s)
    }),
];

/// The columns of an earlier version.
static VERSIONS: &[Column<Row>] = &[
    ("earlier/present version", |row| {
        row.progress().map(ratio).unwrap_or_default()
    }),
    ("earlier version ran", |row| {
        row.before_ran.clone().unwrap_or_default()
    }),
];

static GAINS: &[Column<Part>] = &[
    ("cells", |(name, _)| (*name).to_owned()),
    ("number", |(_, rows)| rows.len().to_string()),
    ("surely slower", |(_, rows)| count(rows, Verdict::Slower)),
    ("surely faster", |(_, rows)| count(rows, Verdict::Faster)),
    ("library/interposed", |(_, rows)| {
        mean(rows.iter().map(Row::gain))
    }),
];

/// The columns of an earlier version.
static GAINS_OF_VERSIONS: &[Column<Part>] = &[
    ("library/earlier version", |(_, rows)| {
        mean(rows.iter().filter_map(Row::gain_before))
    }),
    ("earlier/present version", |(_, rows)| {
        mean(rows.iter().filter_map(Row::progress))
    }),
];

/// Writes table.md and the CSV files and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &Outcome, passing: Vec<Goal>, results: &Path) -> Result<bool> {
    let mut goals = of_cells(&outcome.cells);
    goals.extend(of_programs(&outcome.programs));
    goals.extend(sorts::goals(&outcome.sorts));
    goals.push(saved::goal(&outcome.saved));
    goals.extend(passing);
    let mut text = tables::of_goals(&goals, "");
    of_cells_together(&mut text, &outcome.cells)?;
    head(&mut text, "Time saved")?;
    table(&mut text, &[SAVED], &outcome.saved)?;
    head(&mut text, "Programs")?;
    table(&mut text, &[PROGRAMS], &outcome.programs)?;
    of_each_cell(&mut text, &outcome.cells)?;
    writeln!(text)?;
    for note in &outcome.notes {
        writeln!(text, "* {note}")?;
    }
    tables::publish(results, &text, ("programs.csv", &outcome.programs))?;
    tables::rows(results, ("cells.csv", &outcome.cells))?;
    tables::rows(results, ("saved.csv", &outcome.saved))?;
    Ok(goals.iter().all(Goal::is_met))
}

/// Geometric means over the cells, and what their intervals say.
fn of_cells_together(text: &mut String, rows: &[Row]) -> Result<()> {
    let [judged, busy] = apart(rows);
    let all = rows.to_vec();
    let parts: [Part; 3] = [("judged", judged), ("processors busy", busy), ("all", all)];
    head(text, "All cells together")?;
    if has_versions(rows) {
        table(text, &[GAINS, GAINS_OF_VERSIONS], &parts)
    } else {
        table(text, &[GAINS], &parts)
    }
}

/// Every cell, apart if the processors were busy.
fn of_each_cell(text: &mut String, rows: &[Row]) -> Result<()> {
    let [judged, busy] = apart(rows);
    let name = "Cells whose processors were busy: not judged";
    for (name, part) in [("Every cell", judged), (name, busy)] {
        head(text, name)?;
        if has_versions(rows) {
            table(text, &[CELLS, VERSIONS], &part)?;
        } else {
            table(text, &[CELLS], &part)?;
        }
    }
    Ok(())
}

/// The cells that are judged, and those whose processors were busy.
fn apart(rows: &[Row]) -> [Vec<Row>; 2] {
    let (busy, judged) = rows.iter().cloned().partition(|row| row.busy);
    [judged, busy]
}

/// True if an earlier version was measured too.
fn has_versions(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.before_s.is_some())
}

fn head(text: &mut String, name: &str) -> Result<()> {
    Ok(writeln!(text, "\n## {name}\n")?)
}

/// Writes a Markdown table.
fn table<R>(text: &mut String, columns: &[&[Column<R>]], rows: &[R]) -> Result<()> {
    let columns = columns.concat();
    let heads = columns.iter().map(|(head, _)| head).join(" | ");
    writeln!(text, "| {heads} |\n|{}", "---|".repeat(columns.len()))?;
    for row in rows {
        let fields = columns.iter().map(|(_, field)| field(row)).join(" | ");
        writeln!(text, "| {fields} |")?;
    }
    Ok(())
}

/// The number of cells of a verdict.
fn count(rows: &[Row], verdict: Verdict) -> String {
    let own = rows.iter().filter(|row| row.verdict() == verdict);
    own.count().to_string()
}

/// The geometric mean, if there are numbers.
fn mean(numbers: impl Iterator<Item = f64>) -> String {
    let mean = geometric_mean(&numbers.collect::<Vec<f64>>());
    mean.map(|mean| format!("{mean:.3}")).unwrap_or_default()
}

fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

fn seconds(value: f64) -> String {
    format!("{value:.3}")
}
