//! The tables of `netsig-bench real`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::mean;
use serde::Serialize;

use super::judge::{OWN_MODELS, SetScore};
use super::sets::{JudgedSet, SetGroup};
use crate::harness::folder::results;
use crate::harness::goals::{BenchGoal, at_most, within};
use crate::harness::prediction::OURS;
use crate::harness::report::{BenchReport, TableColumn, ratio};
use crate::harness::rivals::{LINE, PER_PEER, POWER_LAW};
use crate::harness::summary::middle;

/// Name of the benchmark's folder of results.
const BENCHMARK: &str = "real";

/// Least error in a ratio of errors.
const LEAST: f64 = 1e-3;

/// A set: the first columns of sets.csv.
#[derive(Debug, Clone, Serialize)]
pub struct SetLabel {
    group: SetGroup,
    machine: String,
    file: String,
    collective: Collective,
    algorithm: String,
    cut: u32,
}

/// The score of one method on one set: a row of sets.csv.
#[derive(Debug, Clone)]
pub struct JudgedRow {
    set: SetLabel,
    score: SetScore,
}

/// The rows of all methods on one set.
struct SetRows<'a> {
    ours: &'a JudgedRow,
    rivals: Vec<&'a JudgedRow>,
}

/// Name of a group of sets with the scores of one method.
type MethodScores<'a> = ((String, &'static str), Vec<&'a JudgedRow>);

impl JudgedRow {
    pub fn of(set: &JudgedSet, score: SetScore) -> Self {
        let label = SetLabel {
            group: set.network.group,
            machine: set.network.machine.clone(),
            file: set.network.file.clone(),
            collective: set.collective,
            algorithm: set.algorithm.clone(),
            cut: set.cut.get(),
        };
        Self { set: label, score }
    }

    /// The set in words.
    fn title(&self) -> String {
        let SetLabel {
            file,
            collective,
            algorithm,
            cut,
            ..
        } = &self.set;
        format!("{file} {collective} {algorithm} ≤ {cut}")
    }
}

impl<'a> SetRows<'a> {
    /// The rows of every set, in the order of the sets.
    fn all(rows: &'a [JudgedRow]) -> Vec<Self> {
        let sets = rows.chunk_by(|a, b| a.title() == b.title());
        let of_set = |rows: &'a [JudgedRow]| {
            let ours = rows.iter().find(|row| row.score.method == OURS)?;
            let is_rival = |row: &&JudgedRow| {
                row.score.method != OURS && !OWN_MODELS.contains(&row.score.method)
            };
            let rivals = rows.iter().filter(is_rival).collect();
            Some(Self { ours, rivals })
        };
        sets.filter_map(of_set).collect()
    }

    /// Mean of the ratios of netsig's errors to a rival's at the median and at the 90th percentile.
    fn ratio(&self, rival: &str) -> Option<f64> {
        let own = &self.ours.score;
        let other = &self
            .rivals
            .iter()
            .find(|row| row.score.method == rival)?
            .score;
        let ratio = |own: f64, other: f64| own / other.max(LEAST);
        Some(f64::midpoint(
            ratio(own.median, other.median),
            ratio(own.p90, other.p90),
        ))
    }

    /// The rival with the least errors in all.
    fn best(&self) -> &'a JudgedRow {
        let error = |row: &&&JudgedRow| row.score.median + row.score.p90;
        self.rivals
            .iter()
            .min_by(|a, b| error(a).total_cmp(&error(b)))
            .expect("a set has rivals")
    }

    /// True if netsig's error exceeds 1.25 times the best rival's and a point.
    fn is_beaten(&self) -> bool {
        let (own, best) = (&self.ours.score, &self.best().score);
        own.median > 1.25 * best.median + 0.01 || own.p90 > 1.25 * best.p90 + 0.01
    }
}

/// Writes table.md and sets.csv; false if a goal is missed. The goals hold for `untuned`, of which nothing was
/// chosen on the data.
pub fn publish(rows: &[JudgedRow], untuned: &[JudgedRow]) -> Result<bool> {
    let sets = SetRows::all(untuned);
    let folder = results(BENCHMARK)?;
    fs::create_dir_all(&folder)?;
    let mut report = BenchReport::new(&folder, &goals(&sets), "");
    let tuned = SetRows::all(rows);
    report.head("With the prior that was chosen on these data");
    let figures: [TableColumn<BenchGoal>; 2] = [
        ("figure", |goal| goal.name.clone()),
        ("value", |goal| goal.value.map_or_else(String::new, ratio)),
    ];
    report.table(&figures, &goals(&tuned));
    let mut groups: BTreeMap<(String, &'static str), Vec<&JudgedRow>> = BTreeMap::new();
    for row in rows {
        let all = format!("all {}", row.set.group);
        for name in [row.set.machine.clone(), all] {
            groups
                .entry((name, row.score.method))
                .or_default()
                .push(row);
        }
    }
    report.table(&columns(), &groups.into_iter().collect_vec());
    report.head("Sets in which a rival is better by more than a quarter and a point");
    report.table(&beaten_columns(), sets.iter().filter(|set| set.is_beaten()));
    report.rows(
        "sets.csv",
        &rows.iter().map(|row| (&row.set, &row.score)).collect_vec(),
    )?;
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

/// The mean over the cells.
fn pooled(rows: &[&JudgedRow], figure: fn(&SetScore) -> f64) -> f64 {
    let cells: f64 = rows.iter().map(|row| row.score.cells as f64).sum();
    let of_cells = rows
        .iter()
        .map(|row| row.score.cells as f64 * figure(&row.score));
    of_cells.sum::<f64>() / cells
}

/// The figures with a goal.
fn goals(sets: &[SetRows]) -> Vec<BenchGoal> {
    let of = |group: SetGroup| sets.iter().filter(move |set| set.ours.set.group == group);
    let real = || of(SetGroup::Real);
    let mut goals = Vec::new();
    for rival in [PER_PEER, LINE, POWER_LAW] {
        let ratios = real().filter_map(|set| set.ratio(rival)).collect_vec();
        let value = (!ratios.is_empty()).then(|| mean(&ratios));
        goals.push(BenchGoal::new(
            format!("real sets: errors against {rival}"),
            value,
            at_most(0.85, "times"),
        ));
    }
    let beaten = real().filter(|set| set.is_beaten()).count() as f64;
    goals.push(BenchGoal::new(
        "real sets: a rival is better",
        Some(beaten),
        at_most(0.0, "sets"),
    ));
    let ours = real().map(|set| set.ours).collect_vec();
    let covered = (!ours.is_empty()).then(|| 100.0 * pooled(&ours, |own| own.covered));
    goals.push(BenchGoal::new(
        "real sets: times in their 90 % intervals",
        covered,
        within(85.0..=95.0, "%"),
    ));
    let large = ours.iter().filter(|row| row.score.cells >= 20);
    let narrow = large.filter(|row| row.score.covered < 0.6).count() as f64;
    goals.push(BenchGoal::new(
        "real sets of 20 cells or more: fewer than 60 % in intervals",
        Some(narrow),
        at_most(0.0, "sets"),
    ));
    goals.extend(interval_goal(&real().collect_vec()));
    let refused = (!ours.is_empty())
        .then(|| 100.0 * pooled(&ours, |own| own.refused as f64 / own.cells as f64));
    goals.push(BenchGoal::new(
        "real sets: refused cells",
        refused,
        at_most(2.0, "%"),
    ));
    let stalls: usize = ours.iter().map(|row| row.score.stalls).sum();
    goals.push(BenchGoal::new(
        "real sets: stalls that no data showed",
        Some(stalls as f64),
        at_most(0.0, "cells"),
    ));
    for (figure, most) in [("median", 5.0), ("90th percentile", 15.0)] {
        let of_papers = of(SetGroup::Papers).map(|set| {
            let score = &set.ours.score;
            100.0
                * if figure == "median" {
                    score.median
                } else {
                    score.p90
                }
        });
        let worst = of_papers.fold(0.0, f64::max);
        goals.push(BenchGoal::new(
            format!("papers' laws: largest {figure} of e"),
            Some(worst),
            at_most(most, "%"),
        ));
    }
    goals
}

/// The mean interval score beside that of the best rival.
fn interval_goal(sets: &[&SetRows]) -> Option<BenchGoal> {
    let scores = sets
        .iter()
        .flat_map(|set| set.rivals.iter().copied().chain([set.ours]));
    let by_method = scores.filter_map(|row| Some((row.score.method, row.score.interval_score?)));
    let means = by_method.into_group_map();
    let full = |(method, own): (&'static str, Vec<f64>)| {
        (own.len() == sets.len()).then(|| (method, mean(&own)))
    };
    let means: BTreeMap<&str, f64> = means.into_iter().filter_map(full).collect();
    let best = means.iter().filter(|(method, _)| **method != OURS);
    let best = best.map(|(_, own)| *own).min_by(f64::total_cmp)?;
    let name = "real sets: mean interval score";
    Some(BenchGoal::new(
        name,
        means.get(OURS).copied(),
        at_most(best, ""),
    ))
}
