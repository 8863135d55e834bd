//! Fits a plan into a time budget by leaving out what tells least.
//!
//! # Rule
//! A point that is left out must be interpolated between its neighbours. What that costs is
//! the distance of the logarithms of the two: of the sizes (in bytes, and one more, since 0
//! may be one) of the same collective, algorithm and process count, or of the process counts
//! with the same size, whichever are closer. The point with the least of this for
//! each second it saves goes first; all points of a process count may also go together.
//!
//! The ends of a range are interpolated by nothing and stay. So do four sizes wherever there
//! are as many, two process counts, and pLogP. When nothing more can go, the repetitions of
//! all cells shrink in the same proportion, to three at least.
//!
//! What must fit is the estimate if everything is needed that can be; with a precision
//! the one if all goes well, since repetitions then are fitted to the budget while measuring.

mod grid;

use netsig_core::units::Seconds;

use self::grid::Grid;
use crate::estimate::{Estimate, Rates, estimate};
use crate::plan::{Cell, Operation, Plan};

/// No cell has fewer repetitions, unless it was planned so.
const FEWEST: u32 = 3;

/// A plan that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// What is left of it.
    pub plan: Plan,
    /// What is not, in the order in which it went.
    pub dropped: Vec<Cell>,
    /// The share of the planned repetitions that the cells keep, from 0 to 1; of those
    /// that would have fewer than three, three are left.
    pub repetitions: f64,
}

/// A plan that cannot be fitted into a budget.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "the plan takes {least} at least, with as few points and repetitions as make sense, and the budget is {budget}; raise --budget or plan less"
)]
pub struct TooLittle {
    /// What there is.
    pub budget: Seconds,
    /// What it takes at least.
    pub least: Seconds,
}

/// Fits all launches of `plan` into `budget`.
///
/// # Errors
/// If even the fewest points and repetitions that make sense take longer.
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
    let repetitions = affordable(&plan, budget, rates)?;
    Ok(Fitted {
        plan: with_repetitions(&plan, repetitions),
        dropped,
        repetitions,
    })
}

/// What must fit, of an estimate for `plan` or a part of it.
fn needed(plan: &Plan, estimate: Estimate) -> Seconds {
    match plan.precision {
        Some(_) => estimate.low,
        None => estimate.high,
    }
}

/// The largest share of its repetitions with which `plan` fits.
fn affordable(plan: &Plan, budget: Seconds, rates: &Rates) -> Result<f64, TooLittle> {
    const STEPS: u32 = 40;
    let takes = |share| needed(plan, estimate(&with_repetitions(plan, share), rates));
    if takes(1.0) <= budget {
        return Ok(1.0);
    }
    let least = takes(0.0);
    if least > budget {
        return Err(TooLittle { budget, least });
    }
    let (mut fits, mut exceeds) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = f64::midpoint(fits, exceeds);
        if takes(middle) <= budget {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    Ok(fits)
}

/// The plan with a share of its repetitions.
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
