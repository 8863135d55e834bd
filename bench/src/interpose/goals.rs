//! The figures of the cells and programs with their goals. Cells with busy processors are left out.

use netsig_base::algorithm::LIBRARY;
use netsig_model::predict::penalty::geometric_mean;

use super::programs;
use super::row::Row;
use super::slower::{SLOWER, Verdict};
use crate::goal::{Goal, goal};

type Figure<'a> = crate::goal::Figure<'a, Row>;

/// A ratio over cells with its goal.
struct Target {
    name: &'static str,
    cells: fn(&Row) -> bool,
    ratio: fn(&Row) -> f64,
    least: f64,
    most: f64,
}

static TARGETS: [Target; 3] = [
    Target {
        name: "gain of the choice in the place of the library's call/gain of the choice",
        cells: |row| !row.is_library() && row.is_as_chosen(),
        ratio: |row| row.choice_s / row.interposed_s,
        least: 0.97,
        most: f64::INFINITY,
    },
    Target {
        name: "the library's own choice, passed on/without the preloaded library",
        cells: |_| true,
        ratio: |row| row.passed_s / row.library_s,
        least: f64::NEG_INFINITY,
        most: 1.03,
    },
    Target {
        name: "an algorithm of the library's, by the preloaded library/by the library",
        cells: |_| true,
        ratio: |row| row.same_interposed_s / row.same_library_s,
        least: f64::NEG_INFINITY,
        most: 1.03,
    },
];

/// The present version beside an earlier one.
static VERSIONS: Target = Target {
    name: "gain over all cells, present/earlier version",
    cells: |row| row.before_s.is_some(),
    ratio: |row| row.progress().unwrap_or(f64::NAN),
    least: 1.0,
    most: f64::INFINITY,
};

/// The goals of the cells.
pub(super) fn of_cells(rows: &[Row]) -> Vec<Goal> {
    let judged: Vec<Row> = rows.iter().filter(|row| !row.busy).cloned().collect();
    let mut goals: Vec<Goal> = TARGETS.iter().map(|target| target.goal(&judged)).collect();
    if rows.iter().any(VERSIONS.cells) {
        goals.push(VERSIONS.goal(&judged));
    }
    goals.push(slower(&judged));
    let is_explained = |row: &Row| row.is_as_chosen() || row.ran == LIBRARY;
    let all = share(rows.iter().map(is_explained));
    let name = "cells in which the report names the choice of the profile, or the library, which was as fast";
    goals.push(Goal::new(name, all, 100.0..=100.0, "%"));
    goals
}

/// The cells that are surely slower than the library.
fn slower(judged: &[Row]) -> Goal {
    let verdicts = judged.iter().map(Row::verdict);
    let count = verdicts
        .filter(|verdict| *verdict == Verdict::Slower)
        .count();
    let has_intervals = judged.iter().any(|row| row.lower.is_some());
    let name = format!(
        "cells surely slower than the library (95 % interval of interposed/library above {SLOWER})"
    );
    let count = has_intervals.then_some(count as f64);
    Goal::new(&name, count, f64::NEG_INFINITY..=0.0, "")
}

/// The goals of the programs.
pub(super) fn of_programs(rows: &[programs::Row]) -> Vec<Goal> {
    let equal = share(rows.iter().map(|row| row.equal));
    let caught = share(rows.iter().map(|row| row.calls > 0));
    let all = 100.0..=100.0;
    vec![
        Goal::new("programs with equal results", equal, all.clone(), "%"),
        Goal::new("programs whose calls were intercepted", caught, all, "%"),
    ]
}

/// How many of them hold, in per cent.
fn share(all: impl Iterator<Item = bool>) -> Option<f64> {
    let all: Vec<bool> = all.collect();
    let held = all.iter().filter(|held| **held).count() as f64;
    (!all.is_empty()).then(|| 100.0 * held / all.len() as f64)
}

impl Target {
    fn goal(&self, rows: &[Row]) -> Goal {
        let figure: Figure = Box::new(|rows| {
            let own = rows.iter().filter(|row| (self.cells)(row));
            let ratios: Vec<f64> = own.map(|row| (self.ratio)(row)).collect();
            geometric_mean(&ratios)
        });
        let target = self.least..=self.most;
        let none: Figure = Box::new(|_| None);
        goal(rows, self.name.to_owned(), [figure, none], target, "×")
    }
}
