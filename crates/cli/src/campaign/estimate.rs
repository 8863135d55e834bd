//! Describes the duration of a plan, and the part of it that fits into a budget.

use std::time::Duration;

use itertools::Itertools;
use netsig_base::text::counted;
use netsig_base::units::Seconds;
use netsig_measure::budget::{self, TooLittle};
use netsig_measure::estimate::{Rates, estimate};
use netsig_measure::plan::{Cell, Plan};

use crate::input::asked::Asked;
use crate::input::failure::Failure;

/// Prints the estimated duration of `asked` at these rates, with the prefix `on`. Reduces it to a
/// `budget`, if given.
///
/// # Errors
/// If even the smallest part of the plan exceeds the budget.
pub fn settle(asked: Asked, rates: &Rates, budget: Option<Duration>, on: &str) -> Result<Asked, Failure> {
    let tell = |plan: &Plan| eprintln!("{on}{}", sentence(plan, rates));
    let Some(budget) = budget else {
        tell(&asked.plan);
        return Ok(asked);
    };
    let Asked { file, plan, text, .. } = &asked;
    let budget = Seconds(budget.as_secs_f64());
    let fitted = budget::fit_into(plan, budget, rates).map_err(|TooLittle { least }| {
        Failure::usage(format!(
            "{}: takes {} at the least and the budget is {}; give a longer --budget or plan less",
            file.display(),
            span(least),
            span(budget)
        ))
    })?;
    tell(plan);
    if fitted.plan == *plan {
        return Ok(asked);
    }
    eprintln!(
        "{on}{} of {} cells fit into {}: {}",
        fitted.plan.cells().len(),
        plan.cells().len(),
        span(budget),
        without(&fitted.dropped)
    );
    tell(&fitted.plan);
    Ok(Asked {
        requested: Some(text.clone()),
        ..Asked::parse(file, fitted.plan.to_toml())?
    })
}

/// The estimate in words: `about 2 min 10 s (1 min 40 s to 2 min 30 s): 66 cells, 3 launches, at
/// most 1980 repetitions`
fn sentence(plan: &Plan, rates: &Rates) -> String {
    let estimate = estimate(plan, rates);
    let middle = Seconds(0.5 * (estimate.low.0 + estimate.high.0));
    format!(
        "about {} ({} to {}): {}, {}, at most {}",
        span(middle),
        span(estimate.low),
        span(estimate.high),
        counted(plan.cells().len() as u64, "cell", "cells"),
        counted(plan.launches.into(), "launch", "launches"),
        counted(plan.samples(), "repetition", "repetitions")
    )
}

/// Describes the cells that a budget removed from a plan.
fn without(dropped: &[Cell]) -> String {
    if dropped.is_empty() {
        return "fewer repetitions".to_owned();
    }
    let named = dropped.iter().take(MOST_NAMED).map(Cell::to_string);
    let others = dropped.len().saturating_sub(MOST_NAMED);
    let others = (others > 0).then(|| format!("{others} more"));
    format!("without {}", named.chain(others).join(", "))
}

/// The most dropped cells that are listed individually.
const MOST_NAMED: usize = 6;

/// A duration in words, rounded: `45 s`, `2 min 10 s`, `1 h 5 min`.
pub fn span(duration: Seconds) -> String {
    let seconds = duration.0.round().max(1.0);
    let minutes = (seconds / 60.0).floor();
    match seconds {
        s if s < 60.0 => format!("{s} s"),
        s if s < 3600.0 => format!("{minutes} min {} s", s % 60.0),
        s => format!("{} h {} min", (s / 3600.0).floor(), minutes % 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_said_as_people_say_them() {
        for (seconds, words) in [
            (0.2, "1 s"),
            (45.4, "45 s"),
            (130.0, "2 min 10 s"),
            (3900.0, "1 h 5 min"),
        ] {
            assert_eq!(span(Seconds(seconds)), words);
        }
    }
}
