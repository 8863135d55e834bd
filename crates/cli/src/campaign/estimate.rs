//! Describes the duration of a plan, and the part of it that fits into a budget.

use std::time::Duration;

use itertools::Itertools;
use netsig_base::text::{counted, with_range};
use netsig_base::units::{Seconds, duration_in_words};
use netsig_measure::budget::{self, BudgetTooSmall};
use netsig_measure::estimate::{DurationRange, NetworkRates, estimate};
use netsig_measure::plan::{MeasurementPlan, PlanCell};

use crate::input::failure::Failure;
use crate::input::loaded_plan::LoadedPlan;
use crate::print::progress_sentence;

/// Prints the estimated duration of a plan at these rates, after `prefix`. Reduces the plan to a `budget`, if given.
///
/// # Errors
/// If even the smallest part of the plan exceeds the budget.
pub fn estimate_and_reduce(
    loaded_plan: LoadedPlan,
    rates: &NetworkRates,
    budget: Option<Duration>,
    prefix: &str,
) -> Result<LoadedPlan, Failure> {
    let print_estimate = |plan: &MeasurementPlan| {
        progress_sentence::print(format_args!("{prefix}{}", sentence(plan, rates)));
    };
    let Some(budget) = budget else {
        print_estimate(&loaded_plan.plan);
        return Ok(loaded_plan);
    };
    let LoadedPlan { file, plan, text, .. } = &loaded_plan;
    let budget_time = Seconds(budget.as_secs_f64());
    let fitted = budget::fit_into_budget(plan, budget_time, rates).map_err(|BudgetTooSmall { least }| {
        Failure::usage(format!(
            "{}: takes {} at the least and the budget is {}; give a longer --budget or plan less",
            file.display(),
            duration_in_words(least),
            duration_in_words(budget_time)
        ))
    })?;
    print_estimate(plan);
    if fitted.plan == *plan {
        return Ok(loaded_plan);
    }
    progress_sentence::print(format_args!(
        "{prefix}{} of {} cells fit into {}: {}",
        fitted.plan.cells().len(),
        plan.cells().len(),
        duration_in_words(budget_time),
        describe_dropped(&fitted.dropped)
    ));
    print_estimate(&fitted.plan);
    Ok(LoadedPlan {
        text_before_budget: Some(text.clone()),
        ..LoadedPlan::parse(file, fitted.plan.to_toml())?
    })
}

/// The estimate in words: `about 2 min 10 s (1 min 40 s to 2 min 30 s): 66 cells, 3 launches, at
/// most 1980 repetitions`. A range whose ends print alike is left out.
fn sentence(plan: &MeasurementPlan, rates: &NetworkRates) -> String {
    let estimate = estimate(plan, rates);
    format!(
        "about {}: {}, {}, at most {}",
        duration_with_range(&estimate),
        counted(plan.cells().len() as u64, "cell", "cells"),
        counted(plan.launches.into(), "launch", "launches"),
        counted(plan.samples(), "repetition", "repetitions")
    )
}

/// The middle of a range of durations, and its ends if they print differently.
fn duration_with_range(estimate: &DurationRange) -> String {
    let middle = Seconds(0.5 * (estimate.low.0 + estimate.high.0));
    let [middle_text, low, high] = [middle, estimate.low, estimate.high].map(duration_in_words);
    with_range(middle_text, low, high)
}

/// Describes the cells that a budget removed from a plan.
fn describe_dropped(dropped: &[PlanCell]) -> String {
    if dropped.is_empty() {
        return "fewer repetitions".to_owned();
    }
    let named = dropped.iter().take(MOST_NAMED).map(PlanCell::to_string);
    let others_count = dropped.len().saturating_sub(MOST_NAMED);
    let others = (others_count > 0).then(|| format!("{others_count} more"));
    format!("without {}", named.chain(others).join(", "))
}

/// The most dropped cells that are listed individually.
const MOST_NAMED: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_without_doubt_has_no_range() {
        let shown = |low, high| {
            duration_with_range(&DurationRange {
                low: Seconds(low),
                high: Seconds(high),
            })
        };
        assert_eq!(shown(128.9, 129.1), "2 min 9 s");
        assert_eq!(shown(100.0, 150.0), "2 min 5 s (1 min 40 s to 2 min 30 s)");
    }
}
