//! The figures of the cells and programs with their goals. Cells with busy processors are left out.

use netsig_base::algorithm::LIBRARY;

use super::programs::ProgramRow;
use super::row::{InterposeRow, InterposeRows};
use super::speed_verdict::{SLOWER, SpeedVerdict};
use crate::harness::goals::{BenchGoal, at_least, at_most, within};
use crate::harness::row_goal::{ResultRow as _, RowGoal};
use crate::harness::summary::{geometric, share};

/// Name of the reductions in goals.
pub(super) const REDUCTIONS: &str = "MPI_Allreduce of doubles";

/// The goals of the cells; those of reductions stand apart.
pub(super) fn goals_of_cells(rows: &InterposeRows) -> Vec<BenchGoal> {
    let is_reduction = |row: &InterposeRow| row.collective.is_reduction();
    let (reductions, others): (Vec<InterposeRow>, Vec<InterposeRow>) =
        rows.cells.iter().cloned().partition(is_reduction);
    let mut goals = Vec::new();
    if !others.is_empty() {
        goals.extend(common_goals("", &others));
    }
    if !reductions.is_empty() {
        let about = format!("{REDUCTIONS}: ");
        goals.push(gain_goal().judge(&reductions));
        goals.extend(common_goals(&about, &reductions));
        goals.push(slower_goal(
            &format!("{about}in the library's order, "),
            &rows.same_order,
        ));
    }
    goals
}

/// The goal of the gain of reductions whose operands are combined in any order.
fn gain_goal() -> RowGoal<InterposeRow> {
    let name = format!("{REDUCTIONS}: library/with, any order of operands");
    let own_measurement = |row: &InterposeRow| Some(row.library_s / row.choice_s);
    RowGoal::of_values(
        name,
        |row: &InterposeRow| Some(row.gain()),
        geometric,
        at_least(1.3, "×"),
    )
    .with_oracle(own_measurement, geometric)
}

/// The goals of cells of all collectives, whose names begin with `about`.
fn common_goals(about: &str, rows: &[InterposeRow]) -> Vec<BenchGoal> {
    let mean_goal = |name: &str, ratio: fn(&InterposeRow) -> Option<f64>, target| {
        RowGoal::of_values(format!("{about}{name}"), ratio, geometric, target)
    };
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
    ];
    if rows.iter().any(|row| row.same_library_s.is_some()) {
        let name = "an algorithm of the library's, by the preloaded library/by the library";
        row_goals.push(mean_goal(name, InterposeRow::same_ratio, at_most(1.03, "×")));
    }
    if rows.iter().any(|row| row.before_s.is_some()) {
        // The present version beside an earlier one.
        let name = "gain over all cells, present/earlier version";
        row_goals.push(mean_goal(name, InterposeRow::earlier_over_present, at_least(1.0, "×")));
    }
    let mut goals: Vec<BenchGoal> = row_goals.iter().map(|goal| goal.judge(rows)).collect();
    goals.push(slower_goal(about, rows));
    let is_explained = |row: &InterposeRow| row.is_as_chosen() || row.ran == LIBRARY;
    let explained_share = share(rows.iter().map(is_explained));
    let name =
        format!("{about}cells in which the report names the choice of the profile, or the library, which was as fast");
    goals.push(BenchGoal::new(name, explained_share, within(100.0..=100.0, "%")));
    goals
}

/// The goal of the number of judged cells that are surely slower than the library, if there are intervals.
fn slower_goal(about: &str, rows: &[InterposeRow]) -> BenchGoal {
    let judged = rows.iter().filter(|row| row.is_judged());
    let is_slower = |row: &InterposeRow| row.verdict() == SpeedVerdict::Slower;
    let has_intervals = judged.clone().any(|row| row.lower.is_some());
    let count = judged.filter(|row| is_slower(row)).count() as f64;
    let name =
        format!("{about}cells surely slower than the library (95 % interval of interposed/library above {SLOWER})");
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
