//! Divides the time limit of a launch among its cells.
//!
//! The remaining time is divided among the remaining cells in proportion to their expected
//! durations: estimated from an ordinary network's rates, and corrected by the durations of earlier
//! cells of the same kind. The other cells get the time that a cell does not use.

use netsig_base::units::{Procs, Seconds};

use crate::estimate::Rates;
use crate::plan::{Cell, Operation, Plan};

/// The budget of a launch.
pub(super) struct Shares<'a> {
    plan: &'a Plan,
    /// End of the budget.
    deadline: Option<Seconds>,
    rates: Rates,
    paces: Vec<Pace>,
}

/// Actual and expected duration of the cells of a kind, in seconds.
struct Pace {
    kind: (Operation, Procs),
    taken: f64,
    expected: f64,
}

impl<'a> Shares<'a> {
    /// The shares of a launch that begins at `now`.
    pub fn new(plan: &'a Plan, budget: Option<Seconds>, now: Seconds) -> Self {
        Self {
            plan,
            deadline: budget.map(|budget| now + budget),
            rates: Rates::ordinary(),
            paces: Vec::new(),
        }
    }

    /// The time by which the first of the cells in `left` should end.
    pub fn until(&self, now: Seconds, left: &[Cell]) -> Option<Seconds> {
        let deadline = self.deadline?;
        let all: f64 = left.iter().map(|cell| self.weight(cell)).sum();
        let share = left.first().map_or(0.0, |cell| self.weight(cell)) / all;
        Some(now + Seconds((deadline - now).0.max(0.0) * share))
    }

    /// Records that `repetitions` of a cell took `taken`.
    pub fn learn(&mut self, cell: &Cell, repetitions: u32, taken: Seconds) {
        let once = self.rates.repetition(cell);
        let is_simple = cell.operation != Operation::PLogP;
        if self.deadline.is_none() || repetitions == 0 || !is_simple {
            return;
        }
        let kind = (cell.operation, cell.procs);
        let known = self.paces.iter().position(|pace| pace.kind == kind);
        let place = known.unwrap_or(self.paces.len());
        if known.is_none() {
            self.paces.push(Pace {
                kind,
                taken: 0.0,
                expected: 0.0,
            });
        }
        self.paces[place].taken += taken.0;
        self.paces[place].expected += once.0 * f64::from(repetitions);
    }

    /// Expected duration of a cell with all its repetitions, in seconds.
    fn weight(&self, cell: &Cell) -> f64 {
        self.rates.cell(self.plan, cell).high.0 * self.pace(cell)
    }

    /// Ratio of actual to expected duration of cells of this kind, or of all cells if none of this
    /// kind was measured.
    fn pace(&self, cell: &Cell) -> f64 {
        let kind = (cell.operation, cell.procs);
        if let Some(own) = self.paces.iter().find(|pace| pace.kind == kind) {
            return own.taken / own.expected;
        }
        if self.paces.is_empty() {
            return 1.0;
        }
        let all = |of: fn(&Pace) -> f64| self.paces.iter().map(of).sum::<f64>();
        all(|pace| pace.taken) / all(|pace| pace.expected)
    }
}
