//! The figures of the benchmark with their goals.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::mean;
use netsig_base::units::Bytes;

use super::trials::AccuracyOutcome;
use crate::harness::goals::{BenchGoal, at_most, within};
use crate::harness::prediction::{ORACLE, OURS, PredictionRow, TrialKind};
use crate::harness::rivals::LINE_PER_SIZE;
use crate::harness::row_goal::{RowFilter, RowGoal};
use crate::harness::summary::{GoalSummary, middle, p90, share};

/// The cells whose errors have goals: name of the trial, cells, goals of the median and of the 90th percentile in per
/// cent.
#[rustfmt::skip]
const ERRORS: [(&str, RowFilter<PredictionRow>, [f64; 2]); 10] = [
    ("half, not mixtures", |row| is_steady(row, TrialKind::Half), [3.0, 10.0]),
    ("half, not mixtures, contended", |row| is_steady(row, TrialKind::Half) && row.contended, [4.0, 12.0]),
    ("quarter, not mixtures", |row| is_steady(row, TrialKind::Quarter), [6.0, 20.0]),
    ("left-out, not mixtures", |row| is_steady(row, TrialKind::LeftOut), [8.0, 25.0]),
    ("tables", is_of_tables, [3.0, 12.0]),
    ("tables, from 32 KiB on", |row| is_of_tables(row) && row.size_bytes >= LARGE, [4.0, 12.0]),
    ("bcast", |row| is_of_collective(row, Collective::Bcast), [4.0, 20.0]),
    ("scatter", |row| is_of_collective(row, Collective::Scatter), [4.0, 15.0]),
    ("gather", |row| is_of_collective(row, Collective::Gather), [4.0, 20.0]),
    ("allgather", |row| is_of_collective(row, Collective::Allgather), [4.0, 15.0]),
];

/// Least size of a large message.
const LARGE: Bytes = Bytes(32 << 10);

fn is_steady(row: &PredictionRow, trial: TrialKind) -> bool {
    row.trial == trial && !row.mixture
}

fn is_of_tables(row: &PredictionRow) -> bool {
    is_steady(row, TrialKind::Tables) || is_steady(row, TrialKind::Osu)
}

fn is_of_collective(row: &PredictionRow, collective: Collective) -> bool {
    is_steady(row, TrialKind::Others) && row.collective == collective
}

/// All goals.
pub(super) fn goals(outcome: &AccuracyOutcome) -> Vec<BenchGoal> {
    let mut row_goals = Vec::new();
    for (name, is_counted, bounds) in ERRORS {
        let statistics: [(&str, GoalSummary); 2] = [("median", middle), ("90th percentile", p90)];
        for ((statistic, summary), most) in statistics.into_iter().zip(bounds) {
            let error = move |row: &PredictionRow| is_counted(row).then(|| 100.0 * row.error().abs());
            let ours = move |row: &PredictionRow| error(row).filter(|_| row.method == OURS);
            // A single launch has no other launches.
            let is_oracle = |row: &PredictionRow| row.method == ORACLE && row.predicted_s.is_some();
            let oracle = move |row: &PredictionRow| error(row).filter(|_| is_oracle(row));
            let name = format!("{name}: {statistic}");
            let goal = RowGoal::of_values(name, ours, summary, at_most(most, "%"));
            row_goals.push(goal.with_oracle(oracle, summary));
        }
    }
    row_goals.extend([
        RowGoal::of_figure(
            "mixtures: CRPS over that of other launches",
            |rows| Some(crps(rows, OURS)? / crps(rows, ORACLE)?),
            at_most(1.3, ""),
        ),
        RowGoal::of_figure(
            "chance of a stall: Brier score less that of other launches",
            |rows| Some(brier(rows, OURS)? - brier(rows, ORACLE)?),
            at_most(0.03, ""),
        ),
        RowGoal::of_figure(
            "medians in their 90 % intervals",
            |rows| share(rows_of_half(rows, OURS).map(PredictionRow::is_covered)),
            within(85.0..=95.0, "%"),
        ),
        RowGoal::of_figure(
            "90th percentile over that of the line per size",
            |rows| Some(ratios_to_line(rows, p90)?.1),
            at_most(0.5, ""),
        ),
        RowGoal::of_figure(
            "median over that of the line per size, worst network",
            |rows| Some(ratios_to_line(rows, middle)?.0),
            at_most(1.05, ""),
        ),
    ]);
    let goals = row_goals.iter().map(|goal| goal.judge(&outcome.rows));
    goals.chain(speed_goals(outcome)).collect()
}

/// The goals of speed.
fn speed_goals(outcome: &AccuracyOutcome) -> [BenchGoal; 3] {
    let speed_goal = |name, values: &[f64], most| {
        let worst = values.iter().copied().reduce(f64::max);
        BenchGoal::new(name, worst, within(0.0..=most, ""))
    };
    [
        speed_goal("measuring time over its budget, most", &outcome.budgets, 1.1),
        speed_goal("fit, most, s", &outcome.fits, 0.3),
        speed_goal("prediction, most, µs", &outcome.predictions, 5.0),
    ]
}

/// The rows of a method from the profile of half of the hosts.
fn rows_of_half<'a>(rows: &[&'a PredictionRow], method: &str) -> impl Iterator<Item = &'a PredictionRow> {
    let all_rows = rows.iter().copied();
    all_rows.filter(move |row| row.trial == TrialKind::Half && row.method == method)
}

/// Sum of the CRPS of mixtures.
fn crps(rows: &[&PredictionRow], method: &str) -> Option<f64> {
    let mixtures = rows_of_half(rows, method).filter(|row| row.mixture);
    let scores: Vec<f64> = mixtures.map(|row| row.crps.unwrap_or(1.0)).collect();
    (!scores.is_empty()).then(|| scores.iter().sum())
}

/// Mean Brier score of all cells; a missing chance counts as one half.
fn brier(rows: &[&PredictionRow], method: &str) -> Option<f64> {
    let score = mean(rows_of_half(rows, method).map(|row| row.brier.unwrap_or(0.25)));
    score.is_finite().then_some(score)
}

/// Ratio of netsig's figure to the figure of the line per size, over the cells that are no mixtures and that the line
/// predicts. Returns the largest ratio of a network, and the ratio over all.
fn ratios_to_line(rows: &[&PredictionRow], summary: GoalSummary) -> Option<(f64, f64)> {
    let key = |row: &PredictionRow| {
        let network_algorithm = (row.network.clone(), row.algorithm.clone());
        (network_algorithm, row.procs, row.size_bytes)
    };
    let steady_rows = |method| rows_of_half(rows, method).filter(|row| !row.mixture);
    let predicted_by_line = steady_rows(LINE_PER_SIZE).filter(|row| row.predicted_s.is_some());
    let line_rows: BTreeMap<_, &PredictionRow> = predicted_by_line.map(|row| (key(row), row)).collect();
    let matched = steady_rows(OURS).filter_map(|row| Some([row, *line_rows.get(&key(row))?]));
    let row_pairs: Vec<[&PredictionRow; 2]> = matched.collect();
    let ratio = |pairs: &[[&PredictionRow; 2]]| {
        let [ours, line] = [0, 1].map(|which| {
            let errors = pairs.iter().map(|pair| pair[which].error().abs());
            summary(&errors.collect::<Vec<_>>())
        });
        ours / line
    };
    let copied_pairs = row_pairs.iter().copied();
    let by_network = copied_pairs.into_group_map_by(|pair| &pair[0].network);
    let worst = by_network.values().map(|pairs| ratio(pairs));
    Some((worst.reduce(f64::max)?, ratio(&row_pairs)))
}
