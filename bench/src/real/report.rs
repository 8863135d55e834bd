//! The tables of `netsig-bench real`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::mean;

use super::PriorScores;
use super::goals::{goals, penalty};
use super::judge::SetScore;
use super::rows::{JudgedRow, SetRows, pooled};
use super::selection::{ONE_LAUNCH, SelectionRow};
use crate::harness::folder::results;
use crate::harness::goals::BenchGoal;
use crate::harness::prediction::OURS;
use crate::harness::report::{BenchReport, TableColumn, ratio};
use crate::harness::rivals::{PER_PEER, POWER_LAW};
use crate::harness::summary::middle;

/// Name of the benchmark's folder of results.
const BENCHMARK: &str = "real";

/// Name of a group of sets with the scores of one method.
type MethodScores<'a> = ((String, &'static str), Vec<&'a JudgedRow>);

/// A collective on a machine, with its choices.
type CollectiveChoices<'a> = ((String, Collective), Vec<&'a SelectionRow>);

/// Writes table.md, sets.csv and selection.csv; false if a goal is missed. The goals hold for `untuned`, of which
/// nothing was chosen on the data.
pub fn publish(default: &PriorScores, untuned: &PriorScores) -> Result<bool> {
    let sets = SetRows::all(&untuned.sets);
    let folder = results(BENCHMARK)?;
    fs::create_dir_all(&folder)?;
    let mut report = BenchReport::new(&folder, &goals(&sets, &untuned.selection), "");
    report.head("With the prior that was chosen on these data");
    let figures: [TableColumn<BenchGoal>; 2] = [
        ("figure", |goal| goal.name.clone()),
        ("value", |goal| goal.value.map_or_else(String::new, ratio)),
    ];
    let goals = goals(&SetRows::all(&default.sets), &default.selection);
    report.table(&figures, &goals);
    let mut groups: BTreeMap<(String, &'static str), Vec<&JudgedRow>> = BTreeMap::new();
    for row in &untuned.sets {
        let all = format!("all {}", row.set.group);
        for name in [row.set.networks(), all] {
            groups.entry((name, row.score.method)).or_default().push(row);
        }
    }
    report.table(&columns(), &groups.into_iter().collect_vec());
    report.head("Sets in which a rival is better by more than a quarter and a point");
    report.table(&beaten_columns(), sets.iter().filter(|set| set.is_beaten()));
    report.head("Choices: mean penalties in per cent");
    let choices = |row: &&SelectionRow| (row.machine.clone(), row.collective);
    let choices = untuned.selection.iter().into_group_map_by(choices);
    report.table(
        &choice_columns(),
        &choices
            .into_iter()
            .sorted_unstable_by_key(|own| own.0.clone())
            .collect_vec(),
    );
    let sets = untuned.sets.iter().map(|row| (&row.set, &row.score));
    report.rows("sets.csv", &sets.collect_vec())?;
    report.rows("selection.csv", &untuned.selection)?;
    report.publish()
}

/// Medians over the sets of a group.
fn columns<'a>() -> [TableColumn<MethodScores<'a>>; 8] {
    [
        ("sets of", |((name, _), _)| name.clone()),
        ("method", |((_, method), _)| (*method).to_owned()),
        ("number", |(_, rows)| rows.len().to_string()),
        ("median e, %", |(_, rows)| percent(rows, |own| own.median)),
        ("90th percentile of e, %", |(_, rows)| percent(rows, |own| own.p90)),
        ("in intervals, %", |(_, rows)| {
            format!("{:.0}", 100.0 * pooled(rows, |own| own.covered))
        }),
        ("interval score", |(_, rows)| {
            let scores = rows.iter().filter_map(|row| row.score.interval_score).collect_vec();
            if scores.is_empty() {
                String::new()
            } else {
                ratio(mean(&scores))
            }
        }),
        ("refused, %", |(_, rows)| {
            format!(
                "{:.1}",
                100.0 * pooled(rows, |own| own.refused as f64 / own.cells as f64)
            )
        }),
    ]
}

/// Means over the cuts of a collective.
fn choice_columns<'a>() -> [TableColumn<CollectiveChoices<'a>>; 7] {
    [
        ("machine", |((machine, _), _)| machine.clone()),
        ("collective", |((_, collective), _)| collective.to_string()),
        ("cuts", |(_, rows)| {
            rows.iter().map(|row| &row.fitted).unique().count().to_string()
        }),
        (ONE_LAUNCH, |(_, rows)| percent_of(rows, ONE_LAUNCH)),
        (OURS, |(_, rows)| percent_of(rows, OURS)),
        (PER_PEER, |(_, rows)| percent_of(rows, PER_PEER)),
        (POWER_LAW, |(_, rows)| percent_of(rows, POWER_LAW)),
    ]
}

fn percent_of(rows: &[&SelectionRow], method: &str) -> String {
    penalty(rows.iter().copied(), method).map_or_else(String::new, ratio)
}

fn beaten_columns<'a>() -> [TableColumn<SetRows<'a>>; 4] {
    [
        ("set", |set| set.ours.title()),
        ("netsig", |set| errors(&set.ours.score)),
        ("best rival", |set| set.best().score.method.to_owned()),
        ("its errors", |set| errors(&set.best().score)),
    ]
}

fn errors(score: &SetScore) -> String {
    format!("{:.1} / {:.1}", 100.0 * score.median, 100.0 * score.p90)
}

fn percent(rows: &[&JudgedRow], figure: fn(&SetScore) -> f64) -> String {
    let values = rows.iter().map(|row| figure(&row.score)).collect_vec();
    format!("{:.1}", 100.0 * middle(&values))
}
