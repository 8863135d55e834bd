//! `netsig-bench accuracy`: errors of netsig's predictions, and of other methods, on emulated
//! networks that nothing was adjusted to, because a seed draws them.
//!
//! Profiles are made by netsig's commands on half or a quarter of the hosts (`campaign`); the truth is measured at ¾
//! and all of the hosts (`truth`); `trials` pairs data and judged cells, `goals` holds the figures. Tables go to
//! standard output and table.md; residuals.csv has a row for each cell and method. A network takes about 15 minutes and
//! is measured once.

mod campaign;
mod goals;
mod smpi;
mod tables;
mod trials;
mod truth;

use std::collections::BTreeMap;

use anyhow::Result;
use netsig_base::stats::sample::mean;

use crate::harness::draw::ethernet;
use crate::harness::effort::BenchEffort;
use crate::harness::folder::{BenchFolder, results};
use crate::harness::prediction::{PredictionRow, TrialKind};
use crate::harness::report::{BenchReport, TableColumn};
use crate::harness::series::NetworkSeries;
use crate::harness::summary::{middle, p90};
use trials::AccuracyOutcome;

/// Name of the benchmark's folders.
const BENCHMARK: &str = "accuracy";

/// The rows of a method in a trial on one network, or on all networks.
type MethodErrors<'a> = ((TrialKind, String, &'static str), Vec<&'a PredictionRow>);

/// Errors are median / 90th percentile, in per cent, without mixtures.
fn error_columns<'a>() -> [TableColumn<MethodErrors<'a>>; 8] {
    [
        ("trial", |((trial, ..), _)| trial.to_string()),
        ("network", |((_, network, _), _)| network.clone()),
        ("method", |((.., method), _)| (*method).to_owned()),
        ("cells", |(_, rows)| {
            format!("{} of {}", signed_errors(rows).len(), rows.len())
        }),
        ("errors", |(_, rows)| errors(rows, |_| true)),
        ("unmeasured sizes", |(_, rows)| errors(rows, |row| !row.known_size)),
        ("contended", |(_, rows)| errors(rows, |row| row.contended)),
        ("bias", |(_, rows)| format!("{:+.1}", 100.0 * mean(signed_errors(rows)))),
    ]
}

/// Measures the missing data of the networks, one of them a tree, and judges the predictions; false if a goal is
/// missed. With `only_measure` nothing is judged.
pub fn run(series: NetworkSeries, only_measure: bool) -> Result<bool> {
    let mut outcome = AccuracyOutcome::default();
    let full = BenchEffort::Full;
    series.visit_with_a_tree(BENCHMARK, full, ethernet::network, |bench_network| {
        let measured = campaign::measured(bench_network)?;
        if only_measure {
            return Ok(());
        }
        outcome.judge(bench_network, &measured)
    })?;
    if only_measure {
        return Ok(true);
    }
    outcome.judge_osu(&BenchFolder::new(BENCHMARK, "osu")?)?;
    report(&outcome)
}

/// Writes table.md and residuals.csv and prints the tables; false if a goal is missed.
fn report(outcome: &AccuracyOutcome) -> Result<bool> {
    let goals = goals::goals(outcome);
    let mut report = BenchReport::new(&results(BENCHMARK)?, &goals, "other launches");
    let mut groups: BTreeMap<_, Vec<&PredictionRow>> = BTreeMap::new();
    for row in outcome.rows.iter().filter(|row| !row.mixture) {
        let name = match row.trial {
            TrialKind::Others => row.collective.to_string(),
            _ => row.network.clone(),
        };
        for name in [name, "all".to_owned()] {
            let method_rows = groups.entry((row.trial, name, row.method)).or_default();
            method_rows.push(row);
        }
    }
    report.table(&error_columns(), &groups.into_iter().collect::<Vec<_>>());
    report.notes(&outcome.notes);
    report.rows("residuals.csv", &outcome.rows)?;
    report.publish()
}

/// The signed errors of rows with a prediction.
fn signed_errors(rows: &[&PredictionRow]) -> Vec<f64> {
    let predicted_rows = rows.iter().filter(|row| row.predicted_s.is_some());
    predicted_rows.map(|row| row.error()).collect()
}

/// The errors of the wanted rows.
fn errors(rows: &[&PredictionRow], is_wanted: fn(&PredictionRow) -> bool) -> String {
    let wanted_rows = rows.iter().filter(|row| is_wanted(row));
    let errors: Vec<f64> = wanted_rows.map(|row| 100.0 * row.error().abs()).collect();
    if errors.is_empty() {
        return String::new();
    }
    format!("{:.1} / {:.1}", middle(&errors), p90(&errors))
}
