//! The cells of a plan, sorted by operation, process count and size, with their information.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use itertools::Itertools;
use netsig_base::units::{Bytes, Procs, Seconds};

use crate::plan::{MeasurementPlan, PlanCell, TimedOperation};

/// Fewest sizes that a row keeps.
const FEWEST_SIZES: usize = 4;

/// A cell with its measurement time.
type CellTime = (PlanCell, Seconds);

/// Cells that differ in size only.
type SizeRow = BTreeMap<Bytes, CellTime>;

/// All cells with the same operation.
type OperationRows = BTreeMap<Procs, SizeRow>;

/// The cells that may be left out.
pub(super) struct RemovableCells(Vec<(TimedOperation, OperationRows)>);

/// A set of cells that may be left out: one size of a row, or a whole row.
struct RemovalCandidate {
    /// Index of its operation in [`RemovableCells`].
    kind: usize,
    procs: Procs,
    size: Option<Bytes>,
    /// Information per second of measurement.
    worth: f64,
}

impl RemovableCells {
    /// Sorts the cells of `plan`; `time` gives the measurement time of a cell.
    pub fn new(plan: &MeasurementPlan, time: impl Fn(&PlanCell) -> Seconds) -> Self {
        let mut kinds: Vec<(TimedOperation, OperationRows)> = Vec::new();
        let cells = plan.cells().iter();
        for cell in cells.filter(|cell| cell.operation != TimedOperation::PLogP) {
            let known = kinds.iter().position(|(its, _)| *its == cell.operation);
            let place = known.unwrap_or(kinds.len());
            if known.is_none() {
                kinds.push((cell.operation, OperationRows::new()));
            }
            let row = kinds[place].1.entry(cell.procs).or_default();
            row.insert(cell.size, (*cell, time(cell)));
        }
        Self(kinds)
    }

    /// Removes the candidate with the least information per second; `None` if all cells must stay.
    pub fn take_least(&mut self) -> Option<Vec<CellTime>> {
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

/// The candidates among the cells of one operation.
fn candidates(place: usize, kind: &OperationRows) -> Vec<RemovalCandidate> {
    let mut found = Vec::new();
    for (&procs, row) in kind {
        let candidate = |size, worth| RemovalCandidate {
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
            let least_gap = of_procs.map_or(of_sizes, |of_procs| of_procs.min(of_sizes));
            found.push(candidate(Some(*size), least_gap / time.0));
        }
    }
    found
}

/// Distance between the logarithms of the neighbouring process counts of `procs`, among the rows
/// that satisfy `serves`; `None` at an end of the range.
fn gap_of_procs(kind: &OperationRows, procs: Procs, serves: impl Fn(&SizeRow) -> bool) -> Option<f64> {
    let row_serves = |(_, row): &(&Procs, &SizeRow)| serves(row);
    let (below, _) = kind.range(..procs).rev().find(row_serves)?;
    let (above, _) = kind.range((Excluded(procs), Unbounded)).find(row_serves)?;
    let logarithm = |procs: &Procs| f64::from(procs.get()).ln();
    Some(logarithm(above) - logarithm(below))
}
