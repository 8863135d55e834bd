//! The schedules of a plan, all proven before the measurement.

use anyhow::{Context, Result};
use netsig_core::algorithm::{Proven, Schedule};
use netsig_measure::plan::Cell;

/// The proven schedules of all cells of a plan.
pub struct Schedules(Vec<Proven>);

impl Schedules {
    /// Proves every schedule among `cells` once.
    ///
    /// # Errors
    /// If one breaks a rule.
    pub fn prove(cells: &[Cell]) -> Result<Self> {
        let mut schedules = Self(Vec::new());
        for (cell, schedule) in cells
            .iter()
            .filter_map(|cell| Some((cell, cell.schedule()?)))
        {
            if schedules.proof(&schedule).is_none() {
                let proven = schedule.prove().with_context(|| {
                    format!("{cell}: netsig's own schedule is wrong; leave it out of the plan")
                })?;
                schedules.0.push(proven);
            }
        }
        Ok(schedules)
    }

    /// The proven schedule of a cell of the plan, unless the MPI library carries the cell out.
    pub fn of(&self, cell: &Cell) -> Option<&Proven> {
        let schedule = cell.schedule()?;
        Some(
            self.proof(&schedule)
                .expect("a schedule runs with its proof"),
        )
    }

    fn proof(&self, schedule: &Schedule) -> Option<&Proven> {
        self.0.iter().find(|proven| proven.is_for(schedule))
    }
}
