//! Writes the results: tables with targets, and residuals.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use netsig_core::predict::compare::Errors;
use strum::IntoEnumIterator as _;

use super::score::{Scored, Subject, scores};
use super::split::Trial;
use super::{Outcome, targets};
use crate::figure::Figure;

/// Writes all files and prints the tables; false if a target is missed.
pub(super) fn write(outcome: &Outcome, results: &Path) -> Result<bool> {
    let scores = scores(&outcome.rows);
    let figures = targets::figures(&scores, &outcome.costs);
    let mut text = String::new();
    errors(&mut text, &scores)?;
    repeated(&mut text, outcome)?;
    costs(&mut text, outcome)?;
    writeln!(text, "\n## Targets\n\n```")?;
    for figure in &figures {
        writeln!(text, "{figure}")?;
    }
    writeln!(text, "```")?;
    if !outcome.notes.is_empty() {
        writeln!(text, "\n## Notes\n\n* {}", outcome.notes.join("\n* "))?;
    }
    print!("{text}");
    fs::write(results.join("table.md"), text).context("table.md cannot be written")?;
    let mut residuals = csv::Writer::from_path(results.join("residuals.csv"))?;
    for row in &outcome.rows {
        residuals.serialize(row)?;
    }
    residuals.flush()?;
    Ok(figures.iter().all(Figure::is_met))
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// Writes one table for each trial, with errors in per cent.
fn errors(text: &mut String, scores: &BTreeMap<Subject, Vec<Scored>>) -> Result<()> {
    writeln!(text, "# Errors on more than eight processes")?;
    let shown = |errors: Errors| {
        let [median, p90] = [errors.median, errors.p90].map(percent);
        format!("{} | {median} | {p90}", errors.points)
    };
    for trial in Trial::iter() {
        writeln!(
            text,
            "\n## Fitted to: {trial}\n\n\
             | network | collective | algorithm | contender | cells | median | p90 | coverage \
             | contended cells | median | p90 |\n\
             |---|---|---|---|---|---|---|---|---|---|---|",
        )?;
        for (subject, contenders) in scores.iter().filter(|(of, _)| of.trial == trial) {
            for scored in contenders {
                writeln!(
                    text,
                    "| {} | {} | {} | {} | {} | {} | {} |",
                    subject.network,
                    subject.collective,
                    subject.algorithm,
                    scored.contender,
                    shown(scored.all),
                    scored.all.coverage.map_or(String::new(), percent),
                    scored.contended.map_or("0 | | ".to_owned(), shown),
                )?;
            }
        }
    }
    Ok(())
}

/// Writes the differences between the two launches of the held-out cells.
fn repeated(text: &mut String, outcome: &Outcome) -> Result<()> {
    writeln!(
        text,
        "\n## How well the held-out cells repeat\n\n\
         |a/b − 1| of the medians of their two launches, in per cent.\n\n\
         | network | collective | algorithm | cells | median | p90 |\n|---|---|---|---|---|---|",
    )?;
    for (network, collective, algorithm, apart) in &outcome.repeated {
        let cells = apart.values().len();
        let [median, p90] = [apart.median(), apart.quantile(0.9)].map(percent);
        writeln!(
            text,
            "| {network} | {collective} | {algorithm} | {cells} | {median} | {p90} |"
        )?;
    }
    Ok(())
}

fn costs(text: &mut String, outcome: &Outcome) -> Result<()> {
    writeln!(
        text,
        "\n## Duration of the data of a profile\n\n\
         Wall time is that of the whole training plan; timed are pairs and the judged \
         all-to-alls.\n\n| network | wall, s | timed, s |\n|---|---|---|",
    )?;
    for (network, cost) in &outcome.costs {
        let (wall, timed) = (cost.wall.0, cost.timed.0);
        writeln!(text, "| {network} | {wall:.1} | {timed:.1} |")?;
    }
    Ok(())
}
