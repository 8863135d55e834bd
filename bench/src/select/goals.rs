//! The figures of the benchmark with their goals. Cells with busy processors are left out.

use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Seconds};

use crate::harness::choice::{ChoiceRow, no_loss_goal};
use crate::harness::goals::{BenchGoal, at_least, at_most};
use crate::harness::row_goal::{RowFilter, RowGoal, judge_goals};
use crate::harness::summary::{GoalSummary, average, geometric, largest, p90};

/// Least size of an all-to-all that is compared with the bound.
const LARGE: Bytes = Bytes(32 << 10);

/// Least size of a broadcast whose gain has a goal.
const LONG: Bytes = Bytes(16 << 10);

/// All goals on the rows, and the names of the goals without a cell on these networks. A goal whose cells are all busy
/// has no value and is missed.
pub(super) fn goals(rows: &[ChoiceRow]) -> (Vec<BenchGoal>, Vec<String>) {
    let (mut goals, empty) = judge_goals(&figures(), rows);
    goals.push(no_loss_goal().judge(rows));
    (goals, empty)
}

/// The figures of the choice, with the same figures of the fastest measured algorithm or the oracle.
fn figures() -> Vec<RowGoal<ChoiceRow>> {
    let in_stars: RowFilter<ChoiceRow> = |row| is_large(row) && !row.tree;
    let in_trees: RowFilter<ChoiceRow> = |row| is_large(row) && row.tree;
    let stars = "alltoall from 32 KiB on in stars, choice/wire bound";
    let trees = "alltoall from 32 KiB on in trees, choice/bound of the busiest link";
    vec![
        penalty_goal("mean", average, 2.0),
        penalty_goal("90th percentile", p90, 8.0),
        gain_goal("alltoall, library/choice", is_exchange, 1.4),
        gain_goal(
            "alltoall where the library loses packets, library/choice",
            |row| is_exchange(row) && row.lossy,
            2.5,
        ),
        goal_beside_bound(format!("{stars}: geometric mean"), in_stars, geometric),
        goal_beside_bound(format!("{stars}: worst"), in_stars, largest),
        goal_beside_bound(format!("{trees}: geometric mean"), in_trees, geometric),
        goal_beside_bound(format!("{trees}: worst"), in_trees, largest),
        gain_goal(
            "bcast from 16 KiB on, library/choice",
            |row| row.collective == Collective::Bcast && row.size_bytes >= LONG,
            1.5,
        ),
        gain_goal(
            "allreduce, library/choice",
            |row| row.collective == Collective::Allreduce,
            1.3,
        ),
    ]
}

fn penalty_goal(statistic: &str, summary: GoalSummary, most: f64) -> RowGoal<ChoiceRow> {
    let name = format!("penalty of the choice beyond the oracle's: {statistic}");
    let value = |row: &ChoiceRow| Some(100.0 * row.excess);
    RowGoal::of_values(name, value, summary, at_most(most, "%")).with_oracle(|row| Some(100.0 * row.oracle), summary)
}

fn gain_goal(name: &str, cells: RowFilter<ChoiceRow>, least: f64) -> RowGoal<ChoiceRow> {
    let value = move |row: &ChoiceRow| cells(row).then_some(row.gain);
    RowGoal::of_values(name, value, geometric, at_least(least, "×"))
        .with_oracle(move |row| cells(row).then_some(row.best_gain), geometric)
}

fn goal_beside_bound(name: String, cells: RowFilter<ChoiceRow>, summary: GoalSummary) -> RowGoal<ChoiceRow> {
    let over = |time: fn(&ChoiceRow) -> Seconds| {
        move |row: &ChoiceRow| row.bound_s.filter(|_| cells(row)).map(|bound| time(row) / bound)
    };
    RowGoal::of_values(name, over(|row| row.time_s), summary, at_most(1.15, "×"))
        .with_oracle(over(|row| row.best_s), summary)
}

fn is_exchange(row: &ChoiceRow) -> bool {
    row.collective == Collective::Alltoall
}

fn is_large(row: &ChoiceRow) -> bool {
    is_exchange(row) && row.size_bytes >= LARGE
}

#[cfg(test)]
mod tests {
    use netsig_base::units::Procs;

    use super::*;

    fn row(collective: Collective, size: u64, gain: f64) -> ChoiceRow {
        ChoiceRow {
            network: "n".to_owned(),
            tree: false,
            collective,
            procs: Procs::new(8).unwrap(),
            size_bytes: Bytes(size),
            choice: "pairwise".to_owned(),
            best: "pairwise".to_owned(),
            excess: 0.01,
            oracle: 0.0,
            gain,
            lower: 0.9 * gain,
            upper: 1.1 * gain,
            best_gain: gain,
            time_s: Seconds(1.2),
            best_s: Seconds(1.1),
            bound_s: Some(Seconds(1.0)),
            lossy: false,
            busy: false,
        }
    }

    fn value(goals: &[BenchGoal], name: &str) -> Option<f64> {
        let goal = goals.iter().find(|goal| goal.name.starts_with(name));
        goal.unwrap().value
    }

    /// Gains of 2 and 0.5 have the mean 1; one of them is lost even at the end of its interval. A
    /// busy cell counts nowhere, and no cell is of a tree.
    #[test]
    fn figures_are_those_of_the_cells_that_are_judged() {
        let mut rows = [
            row(Collective::Alltoall, 65536, 2.0),
            row(Collective::Alltoall, 256, 0.5),
            row(Collective::Bcast, 65536, 9.0),
            row(Collective::Allreduce, 1024, 1.5),
        ];
        rows[2].busy = true;
        let (found, empty) = goals(&rows);
        let near = |name, expected: f64| {
            let value = value(&found, name).unwrap();
            assert!((value - expected).abs() < 1e-9, "{name}: {value}");
        };
        near("alltoall, library/choice", 1.0);
        near("alltoall from 32 KiB on in stars, choice/wire bound: worst", 1.2);
        near("penalty of the choice beyond the oracle's: 90th", 1.0);
        near("allreduce", 1.5);
        near("cells whose", 1.0);
        assert_eq!(value(&found, "bcast"), None);
        assert_eq!(empty.len(), 3);
        let (none, _) = goals(&[]);
        assert!(none.iter().all(|goal| !goal.is_met()));
    }
}
