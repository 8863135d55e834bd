//! The figures of the benchmark with their goals.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::units::Bytes;

use super::rivals::LINE;
use super::row::{ORACLE, OURS, Row, Trial};
use super::score::{Errors, mean};
use crate::goal::{Goal, OfNetwork, goal};

/// A figure of rows.
type Figure<'a> = crate::goal::Figure<'a, Row>;

impl OfNetwork for Row {
    fn network(&self) -> &str {
        &self.network
    }
}

/// A choice of cells.
type Cells = fn(&Row) -> bool;

/// The trials and cells whose errors have goals: name, cells, median and 90th percentile in per
/// cent.
const ERRORS: [(&str, Cells, [f64; 2]); 10] = [
    (
        "half, not mixtures",
        |row| is_steady(row, Trial::Half),
        [3.0, 10.0],
    ),
    (
        "half, not mixtures, contended",
        |row| is_steady(row, Trial::Half) && row.contended,
        [4.0, 12.0],
    ),
    (
        "quarter, not mixtures",
        |row| is_steady(row, Trial::Quarter),
        [6.0, 20.0],
    ),
    (
        "left-out, not mixtures",
        |row| is_steady(row, Trial::LeftOut),
        [8.0, 25.0],
    ),
    ("tables", is_of_tables, [3.0, 10.0]),
    (
        "tables, from 32 KiB on",
        |row| is_of_tables(row) && row.size_bytes >= Bytes(32 << 10),
        [4.0, 12.0],
    ),
    ("bcast", |row| is_of(row, Collective::Bcast), [4.0, 15.0]),
    (
        "scatter",
        |row| is_of(row, Collective::Scatter),
        [4.0, 15.0],
    ),
    ("gather", |row| is_of(row, Collective::Gather), [4.0, 15.0]),
    (
        "allgather",
        |row| is_of(row, Collective::Allgather),
        [4.0, 15.0],
    ),
];

fn is_steady(row: &Row, trial: Trial) -> bool {
    row.trial == trial && !row.mixture
}

fn is_of_tables(row: &Row) -> bool {
    is_steady(row, Trial::Tables) || is_steady(row, Trial::Osu)
}

fn is_of(row: &Row, collective: Collective) -> bool {
    is_steady(row, Trial::Others) && row.collective == collective
}

/// All goals on the rows.
pub(super) fn goals(rows: &[Row]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (name, cells, [median, p90]) in ERRORS {
        let of = |method, pick: fn(Errors) -> f64| percentile(cells, method, pick);
        let most = |most| f64::NEG_INFINITY..=most;
        let medians = [OURS, ORACLE].map(|method| of(method, |errors| errors.median));
        goals.push(goal(
            rows,
            format!("{name}: median"),
            medians,
            most(median),
            "%",
        ));
        let p90s = [OURS, ORACLE].map(|method| of(method, |errors| errors.p90));
        goals.push(goal(
            rows,
            format!("{name}: 90th percentile"),
            p90s,
            most(p90),
            "%",
        ));
    }
    let none = || -> Figure { Box::new(|_| None) };
    let single = |name: &str, figure, target, unit| {
        goal(rows, name.to_owned(), [figure, none()], target, unit)
    };
    goals.push(single(
        "mixtures: CRPS over that of other launches",
        Box::new(|rows| Some(crps(rows, OURS)? / crps(rows, ORACLE)?)),
        f64::NEG_INFINITY..=1.3,
        "",
    ));
    goals.push(single(
        "chance of a stall: Brier score less that of other launches",
        Box::new(|rows| Some(brier(rows, OURS)? - brier(rows, ORACLE)?)),
        f64::NEG_INFINITY..=0.03,
        "",
    ));
    goals.push(single(
        "medians in their 90 % intervals",
        Box::new(coverage),
        85.0..=95.0,
        "%",
    ));
    goals.push(single(
        "90th percentile over that of the line per size",
        Box::new(|rows| Some(beside_line(rows, |errors| errors.p90)?.1)),
        f64::NEG_INFINITY..=0.5,
        "",
    ));
    goals.push(single(
        "median over that of the line per size, worst network",
        Box::new(|rows| Some(beside_line(rows, |errors| errors.median)?.0)),
        f64::NEG_INFINITY..=1.05,
        "",
    ));
    goals
}

/// A percentile of the errors of a method in per cent.
fn percentile(cells: Cells, method: &str, pick: fn(Errors) -> f64) -> Figure<'_> {
    Box::new(move |rows| {
        let own = rows.iter().copied();
        // The other launches cannot be compared where there is one.
        let is_told = |row: &&Row| method != ORACLE || row.predicted_s.is_some();
        let own = own
            .filter(|row| row.method == method && cells(row))
            .filter(is_told);
        Some(100.0 * pick(Errors::of(own)?))
    })
}

/// Sum of the CRPS of mixtures.
fn crps(rows: &[&Row], method: &str) -> Option<f64> {
    let own = rows
        .iter()
        .filter(|row| row.trial == Trial::Half && row.method == method);
    let scores: Vec<f64> = own
        .filter(|row| row.mixture)
        .map(|row| row.crps.unwrap_or(1.0))
        .collect();
    (!scores.is_empty()).then(|| scores.iter().sum())
}

/// Mean Brier score of all cells; a missing chance counts as one half.
fn brier(rows: &[&Row], method: &str) -> Option<f64> {
    let own = rows
        .iter()
        .filter(|row| row.trial == Trial::Half && row.method == method);
    let score = mean(own.map(|row| row.brier.unwrap_or(0.25)));
    score.is_finite().then_some(score)
}

/// Share of the medians in their intervals in per cent; a missing interval holds nothing.
fn coverage(rows: &[&Row]) -> Option<f64> {
    let own = rows
        .iter()
        .filter(|row| row.trial == Trial::Half && row.method == OURS);
    let holds = |row: &&&Row| {
        let ends = row.lower_s.zip(row.upper_s);
        ends.is_some_and(|(lower, upper)| (lower.0..=upper.0).contains(&row.measured_s.0))
    };
    let share = mean(own.map(|row| f64::from(u8::from(holds(&row)))));
    share.is_finite().then_some(100.0 * share)
}

/// The ratio of netsig's figure to that of the line per size, over the cells that are no mixtures
/// and that the line predicts: the greatest of any network, and of all together.
fn beside_line(rows: &[&Row], pick: fn(Errors) -> f64) -> Option<(f64, f64)> {
    let key = |row: &Row| {
        let who = (row.network.clone(), row.algorithm.clone());
        (who, row.procs, row.size_bytes)
    };
    let steady = || {
        rows.iter()
            .copied()
            .filter(|row| is_steady(row, Trial::Half))
    };
    let line = steady().filter(|row| row.method == LINE && row.predicted_s.is_some());
    let line: BTreeMap<_, &Row> = line.map(|row| (key(row), row)).collect();
    let pairs = steady().filter(|row| row.method == OURS);
    let pairs: Vec<(&Row, &Row)> = pairs
        .filter_map(|row| Some((row, *line.get(&key(row))?)))
        .collect();
    let ratio = |pairs: &[(&Row, &Row)]| {
        let ours = Errors::of(pairs.iter().map(|pair| pair.0))?;
        let line = Errors::of(pairs.iter().map(|pair| pair.1))?;
        Some(pick(ours) / pick(line))
    };
    let networks = pairs
        .iter()
        .copied()
        .into_group_map_by(|pair| &pair.0.network);
    let worst = networks.values().filter_map(|pairs| ratio(pairs));
    Some((worst.reduce(f64::max)?, ratio(&pairs)?))
}
