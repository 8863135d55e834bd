//! Writes the results: the goals, the figures of every network, every cell, and notes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::{Sorted, mean};
use netsig_model::predict::penalty::geometric_mean;

use super::Outcome;
use super::goals::goals;
use super::rules;
use crate::goal::Goal;
use crate::judge::Row;
use crate::tables;

/// Writes table.md and cells.csv and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &Outcome, results: &Path) -> Result<bool> {
    let (goals, empty) = goals(&outcome.rows);
    let mut text = tables::of_goals(&goals, "oracle, or best measured");
    for mean in rules::means(&outcome.rules) {
        writeln!(text, "{mean}")?;
    }
    ceilings(&mut text, &outcome.rows)?;
    of_all(&mut text, &outcome.rows)?;
    by_network(&mut text, outcome)?;
    cells(&mut text, &outcome.rows)?;
    for name in empty {
        writeln!(text, "* no cell: {name}")?;
    }
    for note in &outcome.notes {
        writeln!(text, "* {note}")?;
    }
    tables::publish(results, &text, ("cells.csv", &outcome.rows))?;
    Ok(goals.iter().all(Goal::is_met))
}

/// Gains that an all-to-all at the bound would have: no algorithm can surpass them.
fn ceilings(text: &mut String, rows: &[Row]) -> Result<()> {
    let judged = rows.iter().filter(|row| !row.busy);
    let all: Vec<(&Row, f64)> = judged
        .filter_map(|row| Some((row, row.gain * row.time_s.0 / row.bound_s?.0)))
        .collect();
    let lossy = all.iter().filter(|(row, _)| row.lossy);
    for (name, of_cells) in [
        (
            "",
            all.iter().map(|(_, ratio)| *ratio).collect::<Vec<f64>>(),
        ),
        (
            " where it loses packets",
            lossy.map(|(_, ratio)| *ratio).collect(),
        ),
    ] {
        if let Some(mean) = geometric_mean(&of_cells) {
            let cells = of_cells.len();
            writeln!(
                text,
                "| alltoall, library{name}/bound, {cells} cells, × | {mean:.2} | | | | |"
            )?;
        }
    }
    Ok(())
}

/// Penalties of all cells, also of those that are not judged.
fn of_all(text: &mut String, rows: &[Row]) -> Result<()> {
    let penalties: Vec<f64> = rows.iter().map(|row| 100.0 * row.penalty).collect();
    if penalties.is_empty() {
        return Ok(());
    }
    let (cells, mean) = (penalties.len(), mean(&penalties));
    let high = Sorted::new(penalties).quantile(0.9);
    for (name, value) in [("mean", mean), ("90th percentile", high)] {
        writeln!(
            text,
            "| penalty with the cells of busy processors, {cells} cells: {name}, % | {value:.2} | | | | |"
        )?;
    }
    Ok(())
}

/// Penalties and gains of every network and collective.
fn by_network(text: &mut String, outcome: &Outcome) -> Result<()> {
    writeln!(
        text,
        "\n| network | | MPI | collective | cells | mean penalty, % | 90th percentile, % | oracle's own, % | library/choice | library/best |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    )?;
    for network in &outcome.networks {
        for collective in [Collective::Alltoall, Collective::Bcast] {
            let rows = outcome.rows.iter().filter(|row| {
                row.network == network.name && row.collective == collective && !row.busy
            });
            let rows: Vec<&Row> = rows.collect();
            let values = |value: fn(&Row) -> f64| -> Vec<f64> {
                rows.iter().map(|row| value(row)).collect()
            };
            if rows.is_empty() {
                continue;
            }
            let kind = if network.is_tree() { "tree" } else { "star" };
            let penalties = values(|row| 100.0 * row.penalty);
            let gain = |value| geometric_mean(&values(value)).unwrap_or_default();
            writeln!(
                text,
                "| {} | {kind} | {} | {collective} | {} | {:+.1} | {:+.1} | {:.1} | {:.2} | {:.2} |",
                network.name,
                network.mpi,
                rows.len(),
                mean(&penalties),
                Sorted::new(penalties.clone()).quantile(0.9),
                mean(values(|row| 100.0 * row.oracle)),
                gain(|row| row.gain),
                gain(|row| row.best_gain),
            )?;
        }
    }
    Ok(())
}

/// Every cell.
fn cells(text: &mut String, rows: &[Row]) -> Result<()> {
    writeln!(
        text,
        "\n| network | collective | procs | size | choice | best | penalty, % | oracle's own, % | library/choice | choice/bound | |\n\
         |---|---|---|---|---|---|---|---|---|---|---|"
    )?;
    for row in rows {
        let bound = row.bound_s.map(|bound| row.time_s / bound);
        let bound = bound.map(|ratio| format!("{ratio:.2}"));
        let mut remarks = Vec::new();
        remarks.extend(row.lossy.then_some("library loses packets"));
        remarks.extend(row.busy.then_some("processors busy: not judged"));
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:+.1} | {:.1} | {:.2} ({:.2}–{:.2}) | {} | {} |",
            row.network,
            row.collective,
            row.procs,
            row.size_bytes,
            row.choice,
            row.best,
            100.0 * row.penalty,
            100.0 * row.oracle,
            row.gain,
            row.lower,
            row.upper,
            bound.unwrap_or_default(),
            remarks.join("; "),
        )?;
    }
    writeln!(text)?;
    Ok(())
}
