//! Fits a plan into a time budget by leaving out the least informative points.
//!
//! # Rule
//! A point that is left out must be interpolated between its neighbours. Its information is the
//! distance between the logarithms of the two neighbours: of their sizes in bytes plus one (a size
//! may be 0) with the same collective, algorithm and process count, or of their process counts with
//! the same size, whichever distance is less. The point with the least information per second saved
//! goes first; all points of a process count may also go together.
//!
//! The ends of a range cannot be interpolated and stay. At least four sizes of a range with four or
//! more, two process counts, and pLogP stay too. When no more points can go, the repetitions of all
//! cells shrink in the same proportion, to three at least.
//!
//! Without a precision the upper estimate must fit. With a precision the lower estimate must fit,
//! since the campaign then fits the repetitions to the budget while measuring.

mod grid;

use netsig_base::units::Seconds;

use self::grid::Grid;
use crate::estimate::{Estimate, Rates, estimate};
use crate::plan::{Cell, Operation, Plan};

/// Fewest repetitions of a cell, unless fewer were planned.
const FEWEST: u32 = 3;

/// A budget that is too small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooLittle {
    /// Least duration of a useful plan.
    pub least: Seconds,
}

/// A plan that fits into the budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The plan without the dropped cells, possibly with fewer repetitions.
    pub plan: Plan,
    /// The cells that were left out, in the order of removal.
    pub dropped: Vec<Cell>,
}

/// Fits all launches of `plan` into `budget`.
///
/// # Errors
/// If even the fewest possible points and repetitions take longer than `budget`.
pub fn fit_into(plan: &Plan, budget: Seconds, rates: &Rates) -> Result<Fitted, TooLittle> {
    let mut grid = Grid::new(plan, |cell| {
        needed(plan, rates.cell(plan, cell)) * f64::from(plan.launches)
    });
    let mut dropped = Vec::new();
    let excess = needed(plan, estimate(plan, rates)) - budget;
    let mut saved = Seconds(0.0);
    while saved < excess {
        let Some(points) = grid.take_least() else {
            break;
        };
        for (cell, time) in points {
            saved = saved + time;
            dropped.push(cell);
        }
    }
    let mut plan = plan.clone();
    plan.cells.retain(|cell| !dropped.contains(cell));
    let plan = shrunk(plan, budget, rates)?;
    Ok(Fitted { plan, dropped })
}

/// The time that must fit into the budget, from an estimate for `plan` or a part of it.
fn needed(plan: &Plan, estimate: Estimate) -> Seconds {
    match plan.precision {
        Some(_) => estimate.low,
        None => estimate.high,
    }
}

/// Returns the plan with the largest share of its repetitions that fits, found by bisection.
fn shrunk(plan: Plan, budget: Seconds, rates: &Rates) -> Result<Plan, TooLittle> {
    const STEPS: u32 = 40;
    let takes = |plan: &Plan| needed(plan, estimate(plan, rates));
    if takes(&plan) <= budget {
        return Ok(plan);
    }
    let mut best = with_repetitions(&plan, 0.0);
    let least = takes(&best);
    if least > budget {
        return Err(TooLittle { least });
    }
    let (mut fits, mut exceeds) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = f64::midpoint(fits, exceeds);
        let tried = with_repetitions(&plan, middle);
        if takes(&tried) <= budget {
            (fits, best) = (middle, tried);
        } else {
            exceeds = middle;
        }
    }
    Ok(best)
}

/// Returns the plan with a `share` of its repetitions.
fn with_repetitions(plan: &Plan, share: f64) -> Plan {
    let fewer = |planned: u32, fewest: u32| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count"
        )]
        let left = (f64::from(planned) * share) as u32;
        left.clamp(fewest.min(planned), planned)
    };
    let mut plan = plan.clone();
    if let Some(settings) = &mut plan.plogp {
        settings.most = fewer(settings.most, settings.round.max(FEWEST));
    }
    for cell in &mut plan.cells {
        cell.repetitions = match (cell.operation, &plan.plogp) {
            (Operation::PLogP, Some(settings)) => settings.most,
            _ => fewer(cell.repetitions, FEWEST),
        };
    }
    plan
}
