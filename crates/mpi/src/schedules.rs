//! The schedules of a plan, all proven before the measurement.

use std::collections::BTreeMap;

use anyhow::{Context, Error, Result};
use netsig_base::algorithm::{ClusterLayout, ProvenSchedule, Schedule};
use netsig_base::units::Procs;
use netsig_measure::plan::{MeasurementPlan, PlanCell};

/// The proven schedules of all cells of a plan.
pub struct ProvenSchedules {
    plan: MeasurementPlan,
    /// Clusters of the ranks that take part in a cell, where these are known.
    layouts: BTreeMap<Procs, ClusterLayout>,
    proven: Vec<ProvenSchedule>,
}

impl ProvenSchedules {
    /// Proves every schedule among `cells` once.
    ///
    /// # Errors
    /// If a schedule breaks a rule, or needs too much memory.
    pub fn prove(plan: &MeasurementPlan, layouts: BTreeMap<Procs, ClusterLayout>) -> Result<Self> {
        let mut schedules = Self {
            plan: plan.clone(),
            layouts,
            proven: Vec::new(),
        };
        for cell in plan.cells() {
            let Some(schedule) = schedules.schedule(cell) else {
                continue;
            };
            cell.check_extent(&schedule.extent()).map_err(Error::msg)?;
            if schedules.proof(&schedule).is_none() {
                let proven = schedule
                    .prove()
                    .with_context(|| format!("{cell}: netsig's own schedule is wrong; leave it out of the plan"))?;
                schedules.proven.push(proven);
            }
        }
        Ok(schedules)
    }

    /// The proven schedule of a cell of the plan, unless the MPI library carries the cell out.
    pub fn schedule_of(&self, cell: &PlanCell) -> Option<ProvenSchedule> {
        let schedule = self.schedule(cell)?;
        Some(self.proof(&schedule).expect("a schedule runs with its proof"))
    }

    fn schedule(&self, cell: &PlanCell) -> Option<Schedule> {
        let layout = self.layouts.get(&cell.procs).cloned();
        self.plan.schedule(cell, layout)
    }

    fn proof(&self, schedule: &Schedule) -> Option<ProvenSchedule> {
        self.proven
            .iter()
            .find_map(|proven| proven.for_schedule(schedule.clone()))
    }
}
