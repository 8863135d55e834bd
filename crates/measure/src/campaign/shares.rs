//! How the time that a launch may take is shared among its cells.
//!
//! What is left goes to the cells that are left in proportion to how long they are expected
//! to take: by an ordinary network's rates first, and then by what cells of the same kind
//! have taken. What a cell does not use is left for the others.

use netsig_core::units::{Procs, Seconds};

use crate::estimate::Rates;
use crate::plan::{Cell, Operation, Plan};

/// The budget of a launch.
pub(super) struct Shares<'a> {
    plan: &'a Plan,
    /// When it is used up.
    deadline: Option<Seconds>,
    rates: Rates,
    paces: Vec<Pace>,
}

/// How long cells of a kind took, and how long they were expected to.
struct Pace {
    operation: Operation,
    procs: Procs,
    taken: f64,
    expected: f64,
}

impl<'a> Shares<'a> {
    /// The shares of a launch that begins `now`.
    pub fn new(plan: &'a Plan, budget: Option<Seconds>, now: Seconds) -> Self {
        Self {
            plan,
            deadline: budget.map(|budget| now + budget),
            rates: Rates::ordinary(),
            paces: Vec::new(),
        }
    }

    /// When the first of the cells that are left should end.
    pub fn until(&self, now: Seconds, left: &[Cell]) -> Option<Seconds> {
        let deadline = self.deadline?;
        let all: f64 = left.iter().map(|cell| self.weight(cell)).sum();
        let share = left.first().map_or(0.0, |cell| self.weight(cell)) / all;
        Some(now + Seconds((deadline - now).0.max(0.0) * share))
    }

    /// Learns that so many repetitions of a cell took so long.
    pub fn learn(&mut self, cell: &Cell, repetitions: u32, taken: Seconds) {
        let once = self.rates.repetition(cell);
        let is_simple = cell.operation != Operation::PLogP;
        if self.deadline.is_none() || repetitions == 0 || !is_simple {
            return;
        }
        let expected = once.0 * f64::from(repetitions);
        let is_its = |pace: &&mut Pace| pace.is_of(cell);
        if let Some(pace) = self.paces.iter_mut().find(is_its) {
            pace.taken += taken.0;
            pace.expected += expected;
        } else {
            self.paces.push(Pace {
                operation: cell.operation,
                procs: cell.procs,
                taken: taken.0,
                expected,
            });
        }
    }

    /// How long a cell will take, in seconds, if it takes all its repetitions.
    fn weight(&self, cell: &Cell) -> f64 {
        self.rates.cell(self.plan, cell).high.0 * self.pace(cell)
    }

    /// How much longer than expected cells of this kind take, or else all so far.
    fn pace(&self, cell: &Cell) -> f64 {
        if let Some(own) = self.paces.iter().find(|pace| pace.is_of(cell)) {
            return own.taken / own.expected;
        }
        let [taken, expected] = self
            .paces
            .iter()
            .fold([0.0, 0.0], |[taken, expected], pace| {
                [taken + pace.taken, expected + pace.expected]
            });
        if expected > 0.0 {
            taken / expected
        } else {
            1.0
        }
    }
}

impl Pace {
    fn is_of(&self, cell: &Cell) -> bool {
        (self.operation, self.procs) == (cell.operation, cell.procs)
    }
}
