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
    kind: (Operation, Procs),
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

    /// How long a cell will take, in seconds, if it takes all its repetitions.
    fn weight(&self, cell: &Cell) -> f64 {
        self.rates.cell(self.plan, cell).high.0 * self.pace(cell)
    }

    /// How much longer than expected cells of this kind take, or else all so far.
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
