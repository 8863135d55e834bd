//! The schedules of a plan, each proved before anything is measured.

use anyhow::{Context, Result};
use netsig_core::algorithm::Proven;
use netsig_measure::plan::Cell;

/// All that the cells of a plan need.
pub struct Schedules(Vec<Proven>);

impl Schedules {
    /// Proves every schedule among `cells` once.
    ///
    /// # Errors
    /// If one breaks a rule.
    pub fn prove(cells: &[Cell]) -> Result<Self> {
        let mut schedules = Self(Vec::new());
        for cell in cells {
            let Some(schedule) = cell.schedule() else {
                continue;
            };
            if schedules.of(cell).is_none() {
                let proven = schedule.prove().with_context(|| {
                    format!("{cell}: netsig's own schedule is wrong; leave it out of the plan")
                })?;
                schedules.0.push(proven);
            }
        }
        Ok(schedules)
    }

    /// The schedule of a cell, if it has one that was proved.
    pub fn of(&self, cell: &Cell) -> Option<&Proven> {
        let schedule = cell.schedule()?;
        self.0.iter().find(|proven| proven.is_for(&schedule))
    }
}
