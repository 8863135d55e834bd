//! The figures of the benchmark with their goals.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::mean;
use netsig_base::units::Bytes;

use super::trials::AccuracyOutcome;
use crate::harness::goals::{BenchGoal, at_most, within};
use crate::harness::prediction::{ORACLE, OURS, PredictionRow as Row, TrialKind};
use crate::harness::rivals::LINE;
use crate::harness::row_goal::{RowFilter, RowGoal};
use crate::harness::summary::{GoalSummary, middle, p90, share};

/// The trials and cells whose errors have goals: name, cells, median and 90th percentile in per
/// cent.
#[rustfmt::skip]
const ERRORS: [(&str, RowFilter<Row>, [f64; 2]); 10] = [
    ("half, not mixtures", |row| is_steady(row, TrialKind::Half), [3.0, 10.0]),
    ("half, not mixtures, contended", |row| is_steady(row, TrialKind::Half) && row.contended, [4.0, 12.0]),
    ("quarter, not mixtures", |row| is_steady(row, TrialKind::Quarter), [6.0, 20.0]),
    ("left-out, not mixtures", |row| is_steady(row, TrialKind::LeftOut), [8.0, 25.0]),
    ("tables", is_of_tables, [3.0, 12.0]),
    ("tables, from 32 KiB on", |row| is_of_tables(row) && row.size_bytes >= LARGE, [4.0, 12.0]),
    ("bcast", |row| is_of(row, Collective::Bcast), [4.0, 20.0]),
    ("scatter", |row| is_of(row, Collective::Scatter), [4.0, 15.0]),
    ("gather", |row| is_of(row, Collective::Gather), [4.0, 20.0]),
    ("allgather", |row| is_of(row, Collective::Allgather), [4.0, 15.0]),
];

/// Size from which a message of a table is large.
const LARGE: Bytes = Bytes(32 << 10);

fn is_steady(row: &Row, trial: TrialKind) -> bool {
    row.trial == trial && !row.mixture
}

fn is_of_tables(row: &Row) -> bool {
    is_steady(row, TrialKind::Tables) || is_steady(row, TrialKind::Osu)
}

fn is_of(row: &Row, collective: Collective) -> bool {
    is_steady(row, TrialKind::Others) && row.collective == collective
}

/// All goals.
pub(super) fn goals(outcome: &AccuracyOutcome) -> Vec<BenchGoal> {
    let mut goals = Vec::new();
    for (name, cells, most) in ERRORS {
        let statistics: [(&str, GoalSummary); 2] = [("median", middle), ("90th percentile", p90)];
        for ((statistic, summary), most) in statistics.into_iter().zip(most) {
            let error = move |row: &Row| cells(row).then(|| 100.0 * row.error().abs());
            let ours = move |row: &Row| error(row).filter(|_| row.method == OURS);
            // The other launches cannot be compared where there is one.
            let is_oracle = |row: &Row| row.method == ORACLE && row.predicted_s.is_some();
            let oracle = move |row: &Row| error(row).filter(|_| is_oracle(row));
            let name = format!("{name}: {statistic}");
            let goal = RowGoal::of(name, ours, summary, at_most(most, "%"));
            goals.push(goal.beside(oracle, summary));
        }
    }
    goals.extend([
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
            |rows| share(of_half(rows, OURS).map(Row::is_covered)),
            within(85.0..=95.0, "%"),
        ),
        RowGoal::of_figure(
            "90th percentile over that of the line per size",
            |rows| Some(beside_line(rows, p90)?.1),
            at_most(0.5, ""),
        ),
        RowGoal::of_figure(
            "median over that of the line per size, worst network",
            |rows| Some(beside_line(rows, middle)?.0),
            at_most(1.05, ""),
        ),
    ]);
    let goals = goals.iter().map(|goal| goal.judge(&outcome.rows));
    goals.chain(speed(outcome)).collect()
}

/// The goals of speed.
fn speed(outcome: &AccuracyOutcome) -> [BenchGoal; 3] {
    let most = |name, values: &[f64], most| {
        let worst = values.iter().copied().reduce(f64::max);
        BenchGoal::new(name, worst, within(0.0..=most, ""))
    };
    [
        most("measuring time over its budget, most", &outcome.budgets, 1.1),
        most("fit, most, s", &outcome.fits, 0.3),
        most("prediction, most, µs", &outcome.predictions, 5.0),
    ]
}

/// The rows of a method from the profile of half of the hosts.
fn of_half<'a>(rows: &[&'a Row], method: &str) -> impl Iterator<Item = &'a Row> {
    let own = rows.iter().copied();
    own.filter(move |row| row.trial == TrialKind::Half && row.method == method)
}

/// Sum of the CRPS of mixtures.
fn crps(rows: &[&Row], method: &str) -> Option<f64> {
    let mixtures = of_half(rows, method).filter(|row| row.mixture);
    let scores: Vec<f64> = mixtures.map(|row| row.crps.unwrap_or(1.0)).collect();
    (!scores.is_empty()).then(|| scores.iter().sum())
}

/// Mean Brier score of all cells; a missing chance counts as one half.
fn brier(rows: &[&Row], method: &str) -> Option<f64> {
    let score = mean(of_half(rows, method).map(|row| row.brier.unwrap_or(0.25)));
    score.is_finite().then_some(score)
}

/// The ratio of netsig's figure to that of the line per size, over the cells that are no mixtures
/// and that the line predicts: the greatest of any network, and of all together.
fn beside_line(rows: &[&Row], summary: GoalSummary) -> Option<(f64, f64)> {
    let key = |row: &Row| {
        let who = (row.network.clone(), row.algorithm.clone());
        (who, row.procs, row.size_bytes)
    };
    let steady = |method| of_half(rows, method).filter(|row| !row.mixture);
    let line = steady(LINE).filter(|row| row.predicted_s.is_some());
    let line: BTreeMap<_, &Row> = line.map(|row| (key(row), row)).collect();
    let pairs = steady(OURS).filter_map(|row| Some([row, *line.get(&key(row))?]));
    let pairs: Vec<[&Row; 2]> = pairs.collect();
    let ratio = |pairs: &[[&Row; 2]]| {
        let [ours, line] = [0, 1].map(|which| {
            let errors = pairs.iter().map(|pair| pair[which].error().abs());
            summary(&errors.collect::<Vec<_>>())
        });
        ours / line
    };
    let networks = pairs.iter().copied();
    let networks = networks.into_group_map_by(|pair| &pair[0].network);
    let worst = networks.values().map(|pairs| ratio(pairs));
    Some((worst.reduce(f64::max)?, ratio(&pairs)))
}
