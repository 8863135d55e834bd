//! The tables of `netsig-bench real`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::stats::sample::mean;

use super::goals::goals;
use super::judge::SetScore;
use super::rows::{JudgedRow, SetRows, pooled};
use crate::harness::folder::results;
use crate::harness::goals::BenchGoal;
use crate::harness::report::{BenchReport, TableColumn, ratio};
use crate::harness::summary::middle;

/// Name of the benchmark's folder of results.
const BENCHMARK: &str = "real";

/// Name of a group of sets with the scores of one method.
type MethodScores<'a> = ((String, &'static str), Vec<&'a JudgedRow>);

/// Writes table.md and sets.csv; false if a goal is missed. The goals hold for `untuned`, of which
/// nothing was chosen on the data.
pub fn publish(default: &[JudgedRow], untuned: &[JudgedRow]) -> Result<bool> {
    let sets = SetRows::all(untuned);
    let folder = results(BENCHMARK)?;
    fs::create_dir_all(&folder)?;
    let mut report = BenchReport::new(&folder, &goals(&sets), "");
    report.head("With the prior that was chosen on these data");
    let figures: [TableColumn<BenchGoal>; 2] = [
        ("figure", |goal| goal.name.clone()),
        ("value", |goal| goal.value.map_or_else(String::new, ratio)),
    ];
    let goals = goals(&SetRows::all(default));
    report.table(&figures, &goals);
    let mut groups: BTreeMap<(String, &'static str), Vec<&JudgedRow>> = BTreeMap::new();
    for row in default {
        let all = format!("all {}", row.set.group);
        for name in [row.set.networks(), all] {
            groups
                .entry((name, row.score.method))
                .or_default()
                .push(row);
        }
    }
    report.table(&columns(), &groups.into_iter().collect_vec());
    report.head("Sets in which a rival is better by more than a quarter and a point");
    report.table(&beaten_columns(), sets.iter().filter(|set| set.is_beaten()));
    let sets = default.iter().map(|row| (&row.set, &row.score));
    report.rows("sets.csv", &sets.collect_vec())?;
    report.publish()
}

/// Medians over the sets of a group.
fn columns<'a>() -> [TableColumn<MethodScores<'a>>; 8] {
    [
        ("sets of", |((name, _), _)| name.clone()),
        ("method", |((_, method), _)| (*method).to_owned()),
        ("number", |(_, rows)| rows.len().to_string()),
        ("median e, %", |(_, rows)| percent(rows, |own| own.median)),
        ("90th percentile of e, %", |(_, rows)| {
            percent(rows, |own| own.p90)
        }),
        ("in intervals, %", |(_, rows)| {
            format!("{:.0}", 100.0 * pooled(rows, |own| own.covered))
        }),
        ("interval score", |(_, rows)| {
            let scores = rows
                .iter()
                .filter_map(|row| row.score.interval_score)
                .collect_vec();
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
