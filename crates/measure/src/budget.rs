//! Fits a plan into a time budget by leaving out the least informative cells.
//!
//! # Rule
//! A cell that is left out must be interpolated between its neighbours of the same collective and algorithm. Its
//! information is the distance between the logarithms of two neighbours. At the same process count their sizes are
//! compared, in bytes plus one (a size may be 0); at the same size their process counts; the lesser distance counts.
//! The cell with the least information per second saved goes first; all cells of a process count may also go
//! together.
//!
//! The ends of a range cannot be interpolated and stay. At least four sizes of a range (or all, if fewer), two
//! process counts, and pLogP stay too. When no more cells can go, the repetitions of all cells shrink in the same
//! proportion, to three at least.
//!
//! Without a precision the upper estimate must fit. With a precision the lower estimate must fit,
//! since the campaign then fits the repetitions to the budget while measuring.

mod removable_cells;

use netsig_base::units::Seconds;

use self::removable_cells::RemovableCells;
use crate::estimate::{DurationRange, NetworkRates, estimate};
use crate::plan::{MeasurementPlan, PlanCell, TimedOperation};

/// Fewest repetitions of a cell, unless fewer were planned.
const FEWEST_REPETITIONS: u32 = 3;

/// A budget that is too small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetTooSmall {
    /// Least duration of a useful plan.
    pub least: Seconds,
}

/// A plan that fits into the budget.
#[derive(Debug, Clone, PartialEq)]
pub struct ReducedPlan {
    /// The plan without the dropped cells, possibly with fewer repetitions.
    pub plan: MeasurementPlan,
    /// The cells that were left out, in the order of removal.
    pub dropped: Vec<PlanCell>,
}

/// Fits all launches of `plan` into `budget`.
///
/// # Errors
/// If even the fewest possible cells and repetitions take longer than `budget`.
pub fn fit_into_budget(
    plan: &MeasurementPlan,
    budget: Seconds,
    rates: &NetworkRates,
) -> Result<ReducedPlan, BudgetTooSmall> {
    let mut removable = RemovableCells::new(plan, |cell| {
        needed(plan, rates.cell(plan, cell)) * f64::from(plan.launches)
    });
    let mut dropped = Vec::new();
    let excess = needed(plan, estimate(plan, rates)) - budget;
    let mut saved = Seconds(0.0);
    while saved < excess {
        let Some(points) = removable.take_least() else {
            break;
        };
        for (cell, time) in points {
            saved = saved + time;
            dropped.push(cell);
        }
    }
    let mut remaining_plan = plan.clone();
    remaining_plan.cells.retain(|cell| !dropped.contains(cell));
    let reduced_plan = shrink_to_budget(remaining_plan, budget, rates)?;
    Ok(ReducedPlan {
        plan: reduced_plan,
        dropped,
    })
}

/// The time that must fit into the budget, from an estimate for `plan` or a part of it.
fn needed(plan: &MeasurementPlan, estimate: DurationRange) -> Seconds {
    match plan.precision {
        Some(_) => estimate.low,
        None => estimate.high,
    }
}

/// Returns the plan with the largest share of its repetitions that fits, found by bisection.
fn shrink_to_budget(
    plan: MeasurementPlan,
    budget: Seconds,
    rates: &NetworkRates,
) -> Result<MeasurementPlan, BudgetTooSmall> {
    const STEPS: u32 = 40;
    let takes = |plan: &MeasurementPlan| needed(plan, estimate(plan, rates));
    if takes(&plan) <= budget {
        return Ok(plan);
    }
    let mut best = with_repetitions(&plan, 0.0);
    let least = takes(&best);
    if least > budget {
        return Err(BudgetTooSmall { least });
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
fn with_repetitions(plan: &MeasurementPlan, share: f64) -> MeasurementPlan {
    let fewer = |planned: u32, fewest: u32| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count"
        )]
        let left = (f64::from(planned) * share) as u32;
        left.clamp(fewest.min(planned), planned)
    };
    let mut reduced_plan = plan.clone();
    if let Some(settings) = &mut reduced_plan.plogp {
        settings.most = fewer(settings.most, settings.round.max(FEWEST_REPETITIONS));
    }
    for cell in &mut reduced_plan.cells {
        cell.repetitions = match (cell.operation, &reduced_plan.plogp) {
            (TimedOperation::PLogP, Some(settings)) => settings.most,
            _ => fewer(cell.repetitions, FEWEST_REPETITIONS),
        };
    }
    reduced_plan
}
