//! The requested points, simulated in parallel with results in order.

use netsig_sim::observer::Observer;
use netsig_sim::outcome::Outcome;
use netsig_sim::setup::Report;
use netsig_sim::simulate::Point;
use rayon::prelude::*;

use super::answers::Answer;
use crate::input::failure::Failure;
use crate::print::bar::Bar;

/// Finds the time of a point.
///
/// # Errors
/// If the point cannot be simulated.
pub fn simulate(point: &Point) -> Result<Answer, Failure> {
    let report = point.report()?;
    Ok(Answer::of_case(point.case, point.source, &report))
}

/// Simulates every event of a point for `observer`.
///
/// # Errors
/// If the point cannot be simulated.
pub fn observe(point: &Point, observer: &mut impl Observer) -> Result<(Answer, Outcome), Failure> {
    let outcome = point.observe(observer)?;
    let answer = Answer::of_case(point.case, point.source, &Report::of_events(&outcome));
    Ok((answer, outcome))
}

/// A bar for the simulation of `points`.
pub fn bar(points: &[Point]) -> Bar {
    Bar::new(points.len() as u64, "simulating")
}

/// The results of all points in their order; an error for each that cannot be simulated. Each
/// advances the `bar`.
pub fn simulate_all(points: &[Point], bar: &Bar) -> Vec<Result<Answer, Failure>> {
    let simulate = |point: &Point| {
        let answer = simulate(point);
        bar.advance();
        answer
    };
    points.par_iter().map(simulate).collect()
}
