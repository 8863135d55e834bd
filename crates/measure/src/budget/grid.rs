//! The cells of a plan by what they tell: kinds, their process counts, their sizes.

use netsig_core::units::Seconds;

use crate::plan::{Cell, Operation, Plan};

/// A range of sizes keeps so many.
const FEWEST_SIZES: usize = 4;

/// A cell with what it takes.
type Point = (Cell, Seconds);

/// The cells that may be left out.
pub(super) struct Grid(Vec<Kind>);

/// All cells with the same operation: one row for each process count, ascending.
struct Kind {
    operation: Operation,
    rows: Vec<Row>,
}

/// Cells that differ in size only, ascending.
struct Row(Vec<Point>);

/// What might go.
#[derive(Clone, Copy)]
enum Candidate {
    /// One size of a row of a kind.
    Point {
        kind: usize,
        row: usize,
        index: usize,
    },
    /// A row of a kind.
    Row { kind: usize, row: usize },
}

impl Grid {
    /// The cells of `plan` with the `time` that each takes.
    pub fn new(plan: &Plan, time: impl Fn(&Cell) -> Seconds) -> Self {
        let mut grid = Self(Vec::new());
        let cells = plan.cells().iter();
        for cell in cells.filter(|cell| cell.operation != Operation::PLogP) {
            grid.add((*cell, time(cell)));
        }
        for kind in &mut grid.0 {
            kind.rows.sort_by_key(|row| row.0[0].0.procs);
            for row in &mut kind.rows {
                row.0.sort_by_key(|(cell, _)| cell.size);
            }
        }
        grid
    }

    fn add(&mut self, point: Point) {
        let cell = point.0;
        let known = self
            .0
            .iter()
            .position(|kind| kind.operation == cell.operation);
        let index = known.unwrap_or_else(|| {
            self.0.push(Kind {
                operation: cell.operation,
                rows: Vec::new(),
            });
            self.0.len() - 1
        });
        let rows = &mut self.0[index].rows;
        match rows.iter_mut().find(|row| row.0[0].0.procs == cell.procs) {
            Some(row) => row.0.push(point),
            None => rows.push(Row(vec![point])),
        }
    }

    /// Takes out what tells least for the time it takes; nothing if all must stay.
    pub fn take_least(&mut self) -> Option<Vec<Point>> {
        let candidates = (0..self.0.len()).flat_map(|kind| self.candidates(kind));
        let (least, _) = candidates.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some(match least {
            Candidate::Point { kind, row, index } => {
                vec![self.0[kind].rows[row].0.remove(index)]
            }
            Candidate::Row { kind, row } => self.0[kind].rows.remove(row).0,
        })
    }

    /// What might go of a kind, with what it tells for each second.
    fn candidates(&self, kind: usize) -> Vec<(Candidate, f64)> {
        let its = &self.0[kind];
        let mut found = Vec::new();
        for row in 0..its.rows.len() {
            let points = &its.rows[row].0;
            if let Some(gap) = its.gap_of_procs(row, |_| true) {
                let taken: f64 = points.iter().map(|(_, time)| time.0).sum();
                let told = gap * points.len() as f64;
                found.push((Candidate::Row { kind, row }, told / taken));
            }
            if points.len() <= FEWEST_SIZES {
                continue;
            }
            found.extend((1..points.len() - 1).map(|index| {
                let told = its.told_by(row, index);
                let candidate = Candidate::Point { kind, row, index };
                (candidate, told / points[index].1.0)
            }));
        }
        found
    }
}

impl Kind {
    /// What a size within a row tells.
    fn told_by(&self, row: usize, index: usize) -> f64 {
        let points = &self.rows[row].0;
        let logarithm = |index: usize| (points[index].0.size.as_f64() + 1.0).ln();
        let of_sizes = logarithm(index + 1) - logarithm(index - 1);
        let size = points[index].0.size;
        let has_it = |row: &Row| row.0.iter().any(|(cell, _)| cell.size == size);
        let of_procs = self.gap_of_procs(row, has_it);
        of_procs.map_or(of_sizes, |of_procs| of_procs.min(of_sizes))
    }

    /// The distance between the logarithms of the process counts beside that of a row, of
    /// those rows that serve; nothing at an end.
    fn gap_of_procs(&self, row: usize, serves: impl Fn(&Row) -> bool) -> Option<f64> {
        let below = self.rows[..row].iter().rev().find(|row| serves(row))?;
        let above = self.rows[row + 1..].iter().find(|row| serves(row))?;
        let logarithm = |row: &Row| f64::from(row.0[0].0.procs.get()).ln();
        Some(logarithm(above) - logarithm(below))
    }
}
