//! Writes the results: the goals, every choice, every prediction, and notes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use netsig_base::units::Seconds;

use super::Outcome;
use super::goals::goals;
use super::judge;
use crate::goal::Goal;
use crate::tables;

/// Writes table.md, cells.csv and two-phase.csv and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &Outcome, results: &Path) -> Result<bool> {
    let goals = goals(outcome);
    let mut text = tables::of_goals(&goals, "best measured");
    coverage(&mut text, &outcome.exchanges)?;
    choices(&mut text, outcome)?;
    exchanges(&mut text, &outcome.exchanges)?;
    for note in &outcome.notes {
        writeln!(text, "* {note}")?;
    }
    tables::rows(results, ("two-phase.csv", &outcome.exchanges))?;
    tables::publish(results, &text, ("cells.csv", &outcome.rows))?;
    Ok(goals.iter().all(Goal::is_met))
}

/// Share of the new cells whose interval holds the measured time.
fn coverage(text: &mut String, rows: &[judge::Row]) -> Result<()> {
    let new = rows.iter().filter(|row| row.is_new && !row.busy);
    let covered: Vec<bool> = new.filter_map(judge::Row::is_covered).collect();
    if covered.is_empty() {
        return Ok(());
    }
    let held = covered.iter().filter(|held| **held).count();
    let share = 100.0 * held as f64 / covered.len() as f64;
    writeln!(
        text,
        "| measured within the predicted interval, {} new cells, % | {share:.1} | | | | |",
        covered.len()
    )?;
    Ok(())
}

/// Every choice.
fn choices(text: &mut String, outcome: &Outcome) -> Result<()> {
    writeln!(
        text,
        "\n| network | procs | size | choice | best | library/choice | library/best | |\n\
         |---|---|---|---|---|---|---|---|"
    )?;
    for row in &outcome.rows {
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.2} ({:.2}–{:.2}) | {:.2} | {} |",
            row.network,
            row.procs,
            row.size_bytes,
            row.choice,
            row.best,
            row.gain,
            row.lower,
            row.upper,
            row.best_gain,
            busy(row.busy),
        )?;
    }
    Ok(())
}

/// Every prediction of a two-phase exchange.
fn exchanges(text: &mut String, rows: &[judge::Row]) -> Result<()> {
    writeln!(
        text,
        "\n| network | algorithm | procs | size | predicted, ms | interval | measured, ms | error, % | library/exchange | |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    )?;
    for row in rows {
        let interval = row.lower_s.zip(row.upper_s);
        let interval = interval.map(|(lower, upper)| format!("{}–{}", ms(lower), ms(upper)));
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {:+.1} | {:.2} | {} {} |",
            row.network,
            row.algorithm,
            row.procs,
            row.size_bytes,
            ms(row.predicted_s),
            interval.unwrap_or_default(),
            ms(row.measured_s),
            100.0 * (row.predicted_s / row.measured_s - 1.0),
            row.gain(),
            if row.is_new { "new" } else { "" },
            busy(row.busy),
        )?;
    }
    writeln!(text)?;
    Ok(())
}

fn ms(time: Seconds) -> String {
    format!("{:.1}", 1e3 * time.0)
}

fn busy(is_busy: bool) -> &'static str {
    if is_busy {
        "processors busy: not judged"
    } else {
        ""
    }
}
