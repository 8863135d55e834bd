//! The figures of the benchmark with their goals. Cells with busy processors are left out.

use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::{Sorted, mean};
use netsig_base::units::Bytes;
use netsig_model::predict::penalty::geometric_mean;

use crate::goal::{Goal, goal};
use crate::judge::{Row, WORTH};

type Figure<'a> = crate::goal::Figure<'a, Row>;

/// A choice of cells.
type Cells = fn(&Row) -> bool;

/// A value of a row.
type Value = fn(&Row) -> f64;

/// A figure of many values.
type Summary = fn(&[f64]) -> f64;

/// Least size of an all-to-all that is held against the bound.
const LARGE: Bytes = Bytes(32 << 10);

/// Least size of a broadcast whose gain has a goal.
const LONG: Bytes = Bytes(16 << 10);

/// A figure over cells, of the choice and of the fastest measured algorithm.
struct Target {
    name: &'static str,
    cells: Cells,
    values: [Value; 2],
    summary: Summary,
    least: f64,
    most: f64,
    unit: &'static str,
}

const NONE: f64 = f64::NEG_INFINITY;
const ANY: f64 = f64::INFINITY;

const GAINS: [Value; 2] = [|row| row.gain, |row| row.best_gain];
const BOUNDS: [Value; 2] = [
    |row| row.bound_s.map_or(f64::NAN, |bound| row.time_s / bound),
    |row| row.bound_s.map_or(f64::NAN, |bound| row.best_s / bound),
];
const PENALTIES: [Value; 2] = [|row| 100.0 * row.penalty, |row| 100.0 * row.oracle];

static TARGETS: [Target; 9] = [
    Target {
        name: "penalty of the choice beyond the oracle's: mean",
        cells: |_| true,
        values: PENALTIES,
        summary: |values| mean(values),
        least: NONE,
        most: 2.0,
        unit: "%",
    },
    Target {
        name: "penalty of the choice beyond the oracle's: 90th percentile",
        cells: |_| true,
        values: PENALTIES,
        summary: |values| Sorted::new(values.to_vec()).quantile(0.9),
        least: NONE,
        most: 8.0,
        unit: "%",
    },
    gain("alltoall, library/choice", is_exchange, 1.4),
    gain(
        "alltoall where the library loses packets, library/choice",
        |row| is_exchange(row) && row.lossy,
        2.5,
    ),
    beside_bound(
        "alltoall from 32 KiB on in stars, choice/wire bound: geometric mean",
        |row| is_large(row) && !row.tree,
        geometric,
    ),
    beside_bound(
        "alltoall from 32 KiB on in stars, choice/wire bound: worst",
        |row| is_large(row) && !row.tree,
        largest,
    ),
    beside_bound(
        "alltoall from 32 KiB on in trees, choice/bound of the busiest link: geometric mean",
        |row| is_large(row) && row.tree,
        geometric,
    ),
    beside_bound(
        "alltoall from 32 KiB on in trees, choice/bound of the busiest link: worst",
        |row| is_large(row) && row.tree,
        largest,
    ),
    gain(
        "bcast from 16 KiB on, library/choice",
        |row| row.collective == Collective::Bcast && row.size_bytes >= LONG,
        1.5,
    ),
];

const fn gain(name: &'static str, cells: Cells, least: f64) -> Target {
    Target {
        name,
        cells,
        values: GAINS,
        summary: geometric,
        least,
        most: ANY,
        unit: "×",
    }
}

const fn beside_bound(name: &'static str, cells: Cells, summary: Summary) -> Target {
    Target {
        name,
        cells,
        values: BOUNDS,
        summary,
        least: NONE,
        most: 1.15,
        unit: "×",
    }
}

fn is_exchange(row: &Row) -> bool {
    row.collective == Collective::Alltoall
}

fn is_large(row: &Row) -> bool {
    is_exchange(row) && row.size_bytes >= LARGE
}

fn geometric(values: &[f64]) -> f64 {
    geometric_mean(values).unwrap_or(f64::NAN)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(NONE, f64::max)
}

/// True if even the upper end of the interval says that the library's own choice is faster.
fn is_lost(row: &Row) -> bool {
    row.upper < WORTH
}

/// All goals on the rows, and the names of those that no cell of these networks is for. A goal whose
/// cells are all busy has no value and is missed.
pub(super) fn goals(rows: &[Row]) -> (Vec<Goal>, Vec<&'static str>) {
    let judged: Vec<Row> = rows.iter().filter(|row| !row.busy).cloned().collect();
    let has_cells = |target: &&Target| rows.iter().any(|row| (target.cells)(row));
    let (told, empty): (Vec<&Target>, Vec<&Target>) = TARGETS.iter().partition(has_cells);
    let mut goals: Vec<Goal> = told.iter().map(|target| target.goal(&judged)).collect();
    let lost: Figure = Box::new(|rows| {
        let lost = rows.iter().filter(|row| is_lost(row));
        (!rows.is_empty()).then(|| lost.count() as f64)
    });
    goals.push(goal(
        &judged,
        format!("cells whose 95 % interval of library/choice lies below {WORTH}"),
        [lost, Box::new(|_| None)],
        NONE..=0.0,
        "",
    ));
    (goals, empty.iter().map(|target| target.name).collect())
}

impl Target {
    fn goal(&self, rows: &[Row]) -> Goal {
        let figures = self.values.map(|value| -> Figure {
            Box::new(move |rows| {
                let own = rows.iter().filter(|row| (self.cells)(row));
                let values: Vec<f64> = own.map(|row| value(row)).collect();
                (!values.is_empty()).then(|| (self.summary)(&values))
            })
        });
        let target = self.least..=self.most;
        goal(rows, self.name.to_owned(), figures, target, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::units::{Procs, Seconds};

    use super::*;

    fn row(collective: Collective, size: u64, gain: f64) -> Row {
        Row {
            network: "n".to_owned(),
            tree: false,
            collective,
            procs: Procs::new(8).unwrap(),
            size_bytes: Bytes(size),
            choice: "pairwise".to_owned(),
            best: "pairwise".to_owned(),
            penalty: 0.01,
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

    fn value(goals: &[Goal], name: &str) -> Option<f64> {
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
        ];
        rows[2].busy = true;
        let (found, empty) = goals(&rows);
        let near = |name, expected: f64| {
            let value = value(&found, name).unwrap();
            assert!((value - expected).abs() < 1e-9, "{name}: {value}");
        };
        near("alltoall, library/choice", 1.0);
        near(
            "alltoall from 32 KiB on in stars, choice/wire bound: worst",
            1.2,
        );
        near("penalty of the choice beyond the oracle's: 90th", 1.0);
        near("cells whose", 1.0);
        assert_eq!(value(&found, "bcast"), None);
        assert_eq!(empty.len(), 3);
        let (none, _) = goals(&[]);
        assert!(none.iter().all(|goal| !goal.is_met()));
    }
}
