//! Simulates a program in GOAL.

use std::path::Path;

use netsig_sim::goal::Goal;
use netsig_sim::setup::SimReport;
use netsig_sim::simulate::SimModel;

use super::exports::SimulationFiles;
use super::recorders::SimulationRecorders;
use super::result_rows::SimulationRow;
use crate::input::failure::Failure;
use crate::input::files;

/// Simulates the program of a file.
///
/// # Errors
/// If the file is no program, the program cannot end, or the network has too few hosts for its
/// ranks.
pub fn simulate(path: &Path, sim_model: &SimModel, exports: &SimulationFiles) -> Result<SimulationRow, Failure> {
    let name = files::name(path);
    let goal = Goal::parse(&name, &files::text(path)?)?;
    let procs = goal.procs();
    let mut recorders = SimulationRecorders::new(exports, procs)?;
    let outcome = sim_model.observe_goal(&name, &goal, &mut recorders)?;
    exports.write_tables(&outcome)?;
    recorders.finish(&format!("{name}, {procs} ranks, {}", sim_model.title()))?;
    exports.write_goal(|mut out| goal.write(&mut out))?;
    let report = SimReport::of_events(&outcome);
    Ok(SimulationRow::of_goal(&name, procs, sim_model, &report))
}
