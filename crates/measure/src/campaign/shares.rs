//! Divides the time limit of a launch among its cells.
//!
//! The remaining time is divided among the remaining cells in proportion to their expected durations. These are
//! estimated from an ordinary network's rates and corrected by the durations of earlier cells of the same kind. Later
//! cells get the time that a cell does not use.

use netsig_base::units::{Procs, Seconds};

use crate::estimate::NetworkRates;
use crate::plan::{MeasurementPlan, PlanCell, TimedOperation};

/// The budget of a launch.
pub(super) struct BudgetShares<'a> {
    plan: &'a MeasurementPlan,
    /// End of the budget.
    deadline: Option<Seconds>,
    rates: NetworkRates,
    paces: Vec<OperationPace>,
}

/// Actual and expected duration of the cells of a kind, in seconds.
struct OperationPace {
    kind: (TimedOperation, Procs),
    taken: f64,
    expected: f64,
}

impl<'a> BudgetShares<'a> {
    /// The shares of a launch that begins at `now`.
    pub fn new(plan: &'a MeasurementPlan, budget: Option<Seconds>, now: Seconds) -> Self {
        Self {
            plan,
            deadline: budget.map(|budget| now + budget),
            rates: NetworkRates::assumed(),
            paces: Vec::new(),
        }
    }

    /// The time by which the first of the cells in `left` should end.
    pub fn cell_deadline(&self, now: Seconds, left: &[PlanCell]) -> Option<Seconds> {
        let deadline = self.deadline?;
        let all: f64 = left.iter().map(|cell| self.weight(cell)).sum();
        let share = left.first().map_or(0.0, |cell| self.weight(cell)) / all;
        Some(now + Seconds((deadline - now).0.max(0.0) * share))
    }

    /// Records that `repetitions` of a cell took `taken`.
    pub fn record_duration(&mut self, cell: &PlanCell, repetitions: u32, taken: Seconds) {
        let once = self.rates.repetition(cell);
        let is_simple = cell.operation != TimedOperation::PLogP;
        if self.deadline.is_none() || repetitions == 0 || !is_simple {
            return;
        }
        let kind = (cell.operation, cell.procs);
        let known = self.paces.iter().position(|pace| pace.kind == kind);
        let place = known.unwrap_or(self.paces.len());
        if known.is_none() {
            self.paces.push(OperationPace {
                kind,
                taken: 0.0,
                expected: 0.0,
            });
        }
        self.paces[place].taken += taken.0;
        self.paces[place].expected += once.0 * f64::from(repetitions);
    }

    /// Expected duration of a cell with all its repetitions, in seconds.
    fn weight(&self, cell: &PlanCell) -> f64 {
        self.rates.cell(self.plan, cell).high.0 * self.pace(cell)
    }

    /// Ratio of actual to expected duration of cells of this kind, or of all cells if none of this
    /// kind was measured.
    fn pace(&self, cell: &PlanCell) -> f64 {
        let kind = (cell.operation, cell.procs);
        if let Some(pace) = self.paces.iter().find(|pace| pace.kind == kind) {
            return pace.taken / pace.expected;
        }
        if self.paces.is_empty() {
            return 1.0;
        }
        let all = |of: fn(&OperationPace) -> f64| self.paces.iter().map(of).sum::<f64>();
        all(|pace| pace.taken) / all(|pace| pace.expected)
    }
}
