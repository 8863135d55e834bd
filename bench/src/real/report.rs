//! The tables of `netsig-bench real`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::mean;

use super::PriorScores;
use super::goals::mean_penalty;
use super::judge::SetScore;
use super::rows::{JudgedRow, SetRows, mean_over_cells};
use super::selection::{ONE_LAUNCH, SelectionRow};
use crate::harness::folder::results;
use crate::harness::goals::BenchGoal;
use crate::harness::prediction::OURS;
use crate::harness::report::{BenchReport, TableColumn, ratio};
use crate::harness::rivals::{PER_PEER, POWER_LAW};
use crate::harness::summary::middle;

/// Sets that are judged together.
pub struct RealBenchmark {
    /// Name of the folder of results.
    pub name: &'static str,
    /// The figures with a goal.
    pub goals: fn(&[SetRows], &[SelectionRow]) -> Vec<BenchGoal>,
}

/// Name of a group of sets with the scores of one method.
type MethodScores<'a> = ((String, &'static str), Vec<&'a JudgedRow>);

/// A collective on a machine, with its choices.
type CollectiveChoices<'a> = ((String, Collective), Vec<&'a SelectionRow>);

/// Writes table.md, sets.csv and selection.csv; false if a goal is missed. The goals hold for `untuned`, whose prior
/// was chosen without the data.
pub fn publish(benchmark: &RealBenchmark, default: &PriorScores, untuned: &PriorScores) -> Result<bool> {
    let sets = SetRows::all(&untuned.sets);
    let folder = results(benchmark.name)?;
    fs::create_dir_all(&folder)?;
    let mut report = BenchReport::new(&folder, &(benchmark.goals)(&sets, &untuned.selection), "");
    report.heading("With the prior that was chosen on these data");
    let figures: [TableColumn<BenchGoal>; 2] = [
        ("figure", |goal| goal.name.clone()),
        ("value", |goal| goal.value.map_or_else(String::new, ratio)),
    ];
    let goals = (benchmark.goals)(&SetRows::all(&default.sets), &default.selection);
    report.table(&figures, &goals);
    let mut groups: BTreeMap<(String, &'static str), Vec<&JudgedRow>> = BTreeMap::new();
    for row in &untuned.sets {
        let all = format!("all {}", row.set.group);
        for name in [row.set.networks(), all] {
            groups.entry((name, row.score.method)).or_default().push(row);
        }
    }
    report.table(&score_columns(), &groups.into_iter().collect_vec());
    report.heading("Sets in which a rival is better by more than a quarter and a point");
    report.table(&beaten_columns(), sets.iter().filter(|set| set.is_beaten()));
    report.heading("Choices: mean penalties in per cent");
    let choice_key = |row: &&SelectionRow| (row.machine.clone(), row.collective);
    let choices = untuned.selection.iter().into_group_map_by(choice_key);
    report.table(
        &choice_columns(),
        &choices
            .into_iter()
            .sorted_unstable_by_key(|group| group.0.clone())
            .collect_vec(),
    );
    let set_scores = untuned.sets.iter().map(|row| (&row.set, &row.score));
    report.rows("sets.csv", &set_scores.collect_vec())?;
    report.rows("selection.csv", &untuned.selection)?;
    report.publish()
}

/// Medians over the sets of a group.
fn score_columns<'a>() -> [TableColumn<MethodScores<'a>>; 8] {
    [
        ("sets of", |((name, _), _)| name.clone()),
        ("method", |((_, method), _)| (*method).to_owned()),
        ("number", |(_, rows)| rows.len().to_string()),
        ("median e, %", |(_, rows)| median_percent(rows, |score| score.median)),
        ("90th percentile of e, %", |(_, rows)| {
            median_percent(rows, |score| score.p90)
        }),
        ("in intervals, %", |(_, rows)| {
            format!("{:.0}", 100.0 * mean_over_cells(rows, |score| score.covered))
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
                100.0 * mean_over_cells(rows, |score| score.refused as f64 / score.cells as f64)
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
        (ONE_LAUNCH, |(_, rows)| penalty_percent(rows, ONE_LAUNCH)),
        (OURS, |(_, rows)| penalty_percent(rows, OURS)),
        (PER_PEER, |(_, rows)| penalty_percent(rows, PER_PEER)),
        (POWER_LAW, |(_, rows)| penalty_percent(rows, POWER_LAW)),
    ]
}

fn penalty_percent(rows: &[&SelectionRow], method: &str) -> String {
    mean_penalty(rows.iter().copied(), method).map_or_else(String::new, ratio)
}

fn beaten_columns<'a>() -> [TableColumn<SetRows<'a>>; 4] {
    [
        ("set", |set| set.ours.title()),
        ("netsig", |set| error_text(&set.ours.score)),
        ("best rival", |set| set.best_rival().score.method.to_owned()),
        ("its errors", |set| error_text(&set.best_rival().score)),
    ]
}

fn error_text(score: &SetScore) -> String {
    format!("{:.1} / {:.1}", 100.0 * score.median, 100.0 * score.p90)
}

fn median_percent(rows: &[&JudgedRow], figure: fn(&SetScore) -> f64) -> String {
    let values = rows.iter().map(|row| figure(&row.score)).collect_vec();
    format!("{:.1}", 100.0 * middle(&values))
}
