//! The figures of the cells and programs with their goals. Cells with busy processors are left out.

use netsig_base::algorithm::LIBRARY;

use super::programs::ProgramRow;
use super::row::InterposeRow;
use super::speed_verdict::{SLOWER, SpeedVerdict};
use crate::harness::goals::{BenchGoal, GoalTarget, at_least, at_most, within};
use crate::harness::row_goal::{ResultRow as _, RowGoal};
use crate::harness::summary::{geometric, share};

/// The goals of the cells.
pub(super) fn goals_of_cells(rows: &[InterposeRow]) -> Vec<BenchGoal> {
    let mut row_goals = vec![
        mean_goal(
            "gain of the choice in the place of the library's call/gain of the choice",
            |row| {
                let is_meant = !row.is_library() && row.is_as_chosen();
                is_meant.then(|| row.choice_s / row.interposed_s)
            },
            at_least(0.97, "×"),
        ),
        mean_goal(
            "the library's own choice, passed on/without the preloaded library",
            |row| Some(row.passed_s / row.library_s),
            at_most(1.03, "×"),
        ),
        mean_goal(
            "an algorithm of the library's, by the preloaded library/by the library",
            |row| Some(row.same_interposed_s / row.same_library_s),
            at_most(1.03, "×"),
        ),
    ];
    if rows.iter().any(|row| row.before_s.is_some()) {
        // The present version beside an earlier one.
        let name = "gain over all cells, present/earlier version";
        row_goals.push(mean_goal(name, InterposeRow::earlier_over_present, at_least(1.0, "×")));
    }
    let mut goals: Vec<BenchGoal> = row_goals.iter().map(|goal| goal.judge(rows)).collect();
    goals.push(slower_goal(rows));
    let is_explained = |row: &InterposeRow| row.is_as_chosen() || row.ran == LIBRARY;
    let explained_share = share(rows.iter().map(is_explained));
    let name = "cells in which the report names the choice of the profile, or the library, which was as fast";
    goals.push(BenchGoal::new(name, explained_share, within(100.0..=100.0, "%")));
    goals
}

/// The geometric mean of a ratio.
fn mean_goal(name: &str, ratio: fn(&InterposeRow) -> Option<f64>, target: GoalTarget) -> RowGoal<InterposeRow> {
    RowGoal::of_values(name, ratio, geometric, target)
}

/// The goal of the number of judged cells that are surely slower than the library, if there are intervals.
fn slower_goal(rows: &[InterposeRow]) -> BenchGoal {
    let judged = rows.iter().filter(|row| row.is_judged());
    let is_slower = |row: &InterposeRow| row.verdict() == SpeedVerdict::Slower;
    let has_intervals = judged.clone().any(|row| row.lower.is_some());
    let count = judged.filter(|row| is_slower(row)).count() as f64;
    let name = format!("cells surely slower than the library (95 % interval of interposed/library above {SLOWER})");
    BenchGoal::new(name, has_intervals.then_some(count), at_most(0.0, ""))
}

/// The goals of the programs.
pub(super) fn goals_of_programs(rows: &[ProgramRow]) -> [BenchGoal; 2] {
    let all = within(100.0..=100.0, "%");
    let equal = share(rows.iter().map(|row| row.equal));
    let caught = share(rows.iter().map(|row| row.calls > 0));
    [
        BenchGoal::new("programs with equal results", equal, all.clone()),
        BenchGoal::new("programs whose calls were intercepted", caught, all),
    ]
}
