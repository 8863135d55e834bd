//! What the bench leaves behind: the tables, the targets, every residual, the commands.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use netsig_core::units::Seconds;

use super::campaign::{Network, Place};
use super::score::{Score, Scored, Subject, scores};
use super::split::Trial;
use super::{Outcome, targets};

const COLUMNS: &str = "network,trial,collective,algorithm,contender,procs,size_bytes,measured_s,\
                       free_s,predicted_s,lower_s,upper_s";

/// Writes all files and prints the tables; false if a target is missed.
pub(super) fn write(outcome: &Outcome, networks: &[&Network], place: &Place) -> Result<bool> {
    let scores = scores(&outcome.rows);
    let mut text = tables(&scores)?;
    text.push_str(&repeated(outcome)?);
    text.push_str(&costs(outcome)?);
    let verdicts = targets::verdicts(&scores, &outcome.costs);
    writeln!(text, "\n## Targets\n\n```")?;
    for verdict in &verdicts {
        writeln!(text, "{}", verdict.line())?;
    }
    writeln!(text, "```")?;
    if !outcome.notes.is_empty() {
        writeln!(text, "\n## Notes\n")?;
        for note in &outcome.notes {
            writeln!(text, "* {note}")?;
        }
    }
    print!("{text}");
    let mut commands: String = networks
        .iter()
        .flat_map(|network| network.lines())
        .fold(String::new(), |all, line| all + &line + "\n");
    commands.push_str("cargo xtask accuracy\n");
    for (name, text) in [
        ("table.md", text),
        ("residuals.csv", residuals(outcome)?),
        ("commands.txt", commands),
    ] {
        let path = place.results.join(name);
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(verdicts.iter().all(|verdict| verdict.is_met))
}

/// One table a trial, errors in per cent.
fn tables(scores: &BTreeMap<Subject, Vec<Scored>>) -> Result<String> {
    let mut text = String::from("# Errors on more than eight processes\n");
    for trial in Trial::ALL {
        writeln!(
            text,
            "\n## Fitted to: {}\n\n\
             | network | collective | algorithm | contender | cells | median | p90 | coverage \
             | contended cells | median | p90 |\n\
             |---|---|---|---|---|---|---|---|---|---|---|",
            trial.name()
        )?;
        for (subject, contenders) in scores.iter().filter(|(of, _)| of.trial == trial) {
            for scored in contenders {
                writeln!(text, "{}", line(subject, scored))?;
            }
        }
    }
    Ok(text)
}

fn line(subject: &Subject, scored: &Scored) -> String {
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let of = |score: Score| {
        let Score {
            cells, median, p90, ..
        } = score;
        format!("{cells} | {} | {}", percent(median), percent(p90))
    };
    let coverage = scored.all.coverage.map_or(String::new(), percent);
    format!(
        "| {} | {} | {} | {} | {} | {coverage} | {} |",
        subject.network,
        subject.collective,
        subject.algorithm,
        scored.contender,
        of(scored.all),
        scored.contended.map_or("0 | | ".to_owned(), of),
    )
}

/// What the truth itself is worth.
fn repeated(outcome: &Outcome) -> Result<String> {
    let mut text = String::from(
        "\n## How well the held-out cells repeat\n\n\
         |a/b − 1| of the medians of their two launches, in per cent.\n\n\
         | network | collective | algorithm | cells | median | p90 |\n|---|---|---|---|---|---|\n",
    );
    for one in &outcome.repeated {
        writeln!(
            text,
            "| {} | {} | {} | {} | {:.1} | {:.1} |",
            one.network,
            one.collective,
            one.algorithm,
            one.apart.values().len(),
            one.apart.median() * 100.0,
            one.apart.quantile(0.9) * 100.0
        )?;
    }
    Ok(text)
}

fn costs(outcome: &Outcome) -> Result<String> {
    let mut text = String::from(
        "\n## What the data of a profile took\n\n\
         Wall time is that of the whole training plan; timed are pairs and the judged \
         all-to-alls.\n\n| network | wall, s | timed, s |\n|---|---|---|\n",
    );
    for (network, cost) in &outcome.costs {
        writeln!(
            text,
            "| {network} | {:.1} | {:.1} |",
            cost.wall.0, cost.timed.0
        )?;
    }
    Ok(text)
}

fn residuals(outcome: &Outcome) -> Result<String> {
    let mut text = format!("{COLUMNS}\n");
    let optional = |time: Option<Seconds>| time.map_or(String::new(), |time| time.0.to_string());
    for row in &outcome.rows {
        writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{}",
            row.network,
            row.trial.name(),
            row.collective,
            row.algorithm,
            row.contender,
            row.procs,
            row.size.0,
            row.measured.0,
            optional(row.free),
            row.predicted.0,
            optional(row.interval.map(|interval| interval.lower)),
            optional(row.interval.map(|interval| interval.upper)),
        )?;
    }
    Ok(text)
}
