//! Writes the results: the goals, the errors of all methods, notes, and residuals.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use super::Outcome;
use super::goals::goals;
use super::row::{Row, Trial};
use super::score::Errors;
use crate::goal::Goal;
use crate::tables;

/// Writes table.md and residuals.csv and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &Outcome, results: &Path) -> Result<bool> {
    let mut goals = goals(&outcome.rows);
    goals.extend(outcome.speed());
    let mut text = tables::of_goals(&goals, "other launches");
    errors(&mut text, &outcome.rows)?;
    for note in &outcome.notes {
        writeln!(text, "* {note}")?;
    }
    tables::publish(results, &text, ("residuals.csv", &outcome.rows))?;
    Ok(goals.iter().all(Goal::is_met))
}

/// Median / 90th percentile of the errors of every method, in per cent, without mixtures.
fn errors(text: &mut String, rows: &[Row]) -> Result<()> {
    let mut groups: BTreeMap<(Trial, String, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.mixture) {
        let collective = match row.trial {
            Trial::Others => row.collective.to_string(),
            _ => row.network.clone(),
        };
        for name in [collective, "all".to_owned()] {
            let own = groups.entry((row.trial, name, row.method)).or_default();
            own.push(row);
        }
    }
    writeln!(
        text,
        "\n| trial | network | method | cells | errors | unmeasured sizes | contended | bias |\n\
         |---|---|---|---|---|---|---|---|"
    )?;
    for ((trial, network, method), rows) in groups {
        let told: Vec<&Row> = rows
            .iter()
            .copied()
            .filter(|row| row.predicted_s.is_some())
            .collect();
        let shown = |wanted: fn(&&Row) -> bool| {
            let errors = Errors::of(rows.iter().copied().filter(wanted));
            errors.map_or(String::new(), |errors| {
                format!("{:.1} / {:.1}", 100.0 * errors.median, 100.0 * errors.p90)
            })
        };
        let bias = super::score::mean(told.iter().map(|row| row.error()));
        writeln!(
            text,
            "| {trial} | {network} | {method} | {} of {} | {} | {} | {} | {:+.1} |",
            told.len(),
            rows.len(),
            shown(|_| true),
            shown(|row| !row.known_size),
            shown(|row| row.contended),
            100.0 * bias
        )?;
    }
    writeln!(text)?;
    Ok(())
}
