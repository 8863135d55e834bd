//! The schedules of a plan, all proven before the measurement.

use anyhow::{Context, Result};
use netsig_core::algorithm::{Proven, Schedule};
use netsig_measure::plan::{Cell, Plan};

/// The proven schedules of all cells of a plan.
pub struct Schedules {
    plan: Plan,
    proven: Vec<Proven>,
}

impl Schedules {
    /// Proves every schedule among `cells` once.
    ///
    /// # Errors
    /// If one breaks a rule.
    pub fn prove(plan: &Plan) -> Result<Self> {
        let mut schedules = Self {
            plan: plan.clone(),
            proven: Vec::new(),
        };
        for cell in plan.cells() {
            let Some(schedule) = plan.schedule(cell) else {
                continue;
            };
            if schedules.proof(&schedule).is_none() {
                let proven = schedule.prove().with_context(|| {
                    format!("{cell}: netsig's own schedule is wrong; leave it out of the plan")
                })?;
                schedules.proven.push(proven);
            }
        }
        Ok(schedules)
    }

    /// The proven schedule of a cell of the plan, unless the MPI library carries the cell out.
    pub fn of(&self, cell: &Cell) -> Option<Proven> {
        let schedule = self.plan.schedule(cell)?;
        Some(
            self.proof(&schedule)
                .expect("a schedule runs with its proof"),
        )
    }

    fn proof(&self, schedule: &Schedule) -> Option<Proven> {
        self.proven
            .iter()
            .find_map(|proven| proven.of(schedule.clone()))
    }
}
