//! The cells of a plan by what they tell: kinds, their process counts, their sizes.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use itertools::Itertools;
use netsig_core::units::{Bytes, Procs, Seconds};

use crate::plan::{Cell, Operation, Plan};

/// A range of sizes keeps so many.
const FEWEST_SIZES: usize = 4;

/// A cell with what it takes.
type Point = (Cell, Seconds);

/// Cells that differ in size only.
type Row = BTreeMap<Bytes, Point>;

/// All cells with the same operation.
type Kind = BTreeMap<Procs, Row>;

/// The cells that may be left out.
pub(super) struct Grid(Vec<(Operation, Kind)>);

/// What might go: one size of a row, or all of it.
struct Candidate {
    /// The place of its kind.
    kind: usize,
    procs: Procs,
    size: Option<Bytes>,
    /// What it tells for each second.
    worth: f64,
}

impl Grid {
    /// The cells of `plan` with the `time` that each takes.
    pub fn new(plan: &Plan, time: impl Fn(&Cell) -> Seconds) -> Self {
        let mut kinds: Vec<(Operation, Kind)> = Vec::new();
        let cells = plan.cells().iter();
        for cell in cells.filter(|cell| cell.operation != Operation::PLogP) {
            let known = kinds.iter().position(|(its, _)| *its == cell.operation);
            let place = known.unwrap_or(kinds.len());
            if known.is_none() {
                kinds.push((cell.operation, Kind::new()));
            }
            let row = kinds[place].1.entry(cell.procs).or_default();
            row.insert(cell.size, (*cell, time(cell)));
        }
        Self(kinds)
    }

    /// Takes out what tells least for the time it takes; nothing if all must stay.
    pub fn take_least(&mut self) -> Option<Vec<Point>> {
        let kinds = self.0.iter().enumerate();
        let candidates = kinds.flat_map(|(place, (_, kind))| candidates(place, kind));
        let least = candidates.min_by(|a, b| a.worth.total_cmp(&b.worth))?;
        let kind = &mut self.0[least.kind].1;
        Some(match least.size {
            Some(size) => vec![kind.get_mut(&least.procs)?.remove(&size)?],
            None => kind.remove(&least.procs)?.into_values().collect(),
        })
    }
}

/// What might go of the kind at a place.
fn candidates(place: usize, kind: &Kind) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (&procs, row) in kind {
        let candidate = |size, worth| Candidate {
            kind: place,
            procs,
            size,
            worth,
        };
        if let Some(gap) = gap_of_procs(kind, procs, |_| true) {
            let taken: f64 = row.values().map(|(_, time)| time.0).sum();
            found.push(candidate(None, gap * row.len() as f64 / taken));
        }
        if row.len() <= FEWEST_SIZES {
            continue;
        }
        for ((below, _), (size, (_, time)), (above, _)) in row.iter().tuple_windows() {
            let logarithm = |size: &Bytes| (size.as_f64() + 1.0).ln();
            let of_sizes = logarithm(above) - logarithm(below);
            let of_procs = gap_of_procs(kind, procs, |row| row.contains_key(size));
            let told = of_procs.map_or(of_sizes, |of_procs| of_procs.min(of_sizes));
            found.push(candidate(Some(*size), told / time.0));
        }
    }
    found
}

/// The distance between the logarithms of the process counts beside `procs`, of those rows that
/// serve; nothing at an end.
fn gap_of_procs(kind: &Kind, procs: Procs, serves: impl Fn(&Row) -> bool) -> Option<f64> {
    let serves = |(_, row): &(&Procs, &Row)| serves(row);
    let (below, _) = kind.range(..procs).rev().find(serves)?;
    let (above, _) = kind.range((Excluded(procs), Unbounded)).find(serves)?;
    let logarithm = |procs: &Procs| f64::from(procs.get()).ln();
    Some(logarithm(above) - logarithm(below))
}
