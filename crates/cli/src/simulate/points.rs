//! The requested points, simulated in parallel with results in order.

use netsig_sim::observer::Observer;
use netsig_sim::outcome::SimOutcome;
use netsig_sim::setup::SimReport;
use netsig_sim::simulate::SimPoint;
use rayon::prelude::*;

use super::result_rows::SimulationRow;
use crate::input::failure::Failure;
use crate::print::progress_display::ProgressDisplay;

/// Finds the time of a point.
///
/// # Errors
/// If the point cannot be simulated.
pub fn simulate(point: &SimPoint) -> Result<SimulationRow, Failure> {
    let report = point.report()?;
    Ok(SimulationRow::of_case(point.case, point.sim_model, &report))
}

/// Simulates every event of a point for `observer`.
///
/// # Errors
/// If the point cannot be simulated.
pub fn observe(point: &SimPoint, observer: &mut impl Observer) -> Result<(SimulationRow, SimOutcome), Failure> {
    let outcome = point.observe(observer)?;
    let row = SimulationRow::of_case(point.case, point.sim_model, &SimReport::of_events(&outcome));
    Ok((row, outcome))
}

/// A bar for the simulation of `points`.
pub fn bar(points: &[SimPoint]) -> ProgressDisplay {
    ProgressDisplay::new(points.len() as u64, "simulating")
}

/// The results of all points in their order; an error for each that cannot be simulated. Each
/// advances the `bar`.
pub fn simulate_all(points: &[SimPoint], bar: &ProgressDisplay) -> Vec<Result<SimulationRow, Failure>> {
    let simulate = |point: &SimPoint| {
        let result = simulate(point);
        bar.advance(1);
        result
    };
    points.par_iter().map(simulate).collect()
}
