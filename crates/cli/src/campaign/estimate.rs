//! How long a plan will take, and what of it fits into a budget, in words.

mod engine;

use std::time::Duration;

use netsig_core::data::Dataset;
use netsig_core::model::signature::Signature;
use netsig_core::units::Seconds;
use netsig_measure::plan::Plan;

use crate::failure::Failure;
use crate::input::asked::Asked;
use engine::Rates;

/// What a network does in how much time, as far as an estimate needs it.
#[derive(Debug, Clone, Copy)]
pub struct Pace(Rates);

/// A plan to carry out, and what there is to say about it.
#[derive(Debug)]
pub struct Settled {
    /// The plan.
    pub asked: Asked,
    /// What it was before a budget changed it.
    pub requested: Option<String>,
    /// Lines for the user.
    pub remarks: Vec<String>,
}

impl Pace {
    /// From the data of a [`probe`] that took `wall`, if they are enough.
    pub fn measured(probe: &Dataset, wall: Duration) -> Option<Self> {
        Rates::from_probe(probe, Seconds(wall.as_secs_f64())).map(Self)
    }

    /// From what a scenario states.
    pub fn stated(truth: &Signature) -> Self {
        Self(Rates {
            hockney: truth.base,
            contention: truth.gamma,
            launch_overhead: Seconds(0.0),
        })
    }

    /// Says how long `asked` will take. With a budget fits it in.
    ///
    /// # Errors
    /// If too little of it would be left.
    pub fn settle(&self, asked: Asked, budget: Option<Duration>) -> Result<Settled, Failure> {
        let mut remarks = vec![self.sentence(&asked.plan)];
        let Some(budget) = budget else {
            return Ok(Settled {
                asked,
                requested: None,
                remarks,
            });
        };
        let available = Seconds(budget.as_secs_f64());
        let fitted = engine::fit_into(&asked, available, &self.0).map_err(|least| {
            Failure::usage(format!(
                "{}: takes {} at the least and the budget is {}; give a longer --budget or plan less",
                asked.file.display(),
                span(least.0),
                span(available)
            ))
        })?;
        let is_changed = fitted.asked.plan != asked.plan;
        if is_changed {
            remarks.push(changes(&asked.plan, &fitted, available));
            remarks.push(self.sentence(&fitted.asked.plan));
        }
        Ok(Settled {
            asked: fitted.asked,
            requested: is_changed.then_some(asked.text),
            remarks,
        })
    }

    /// `about 2 min 10 s (1 min 40 s to 2 min 30 s): 66 cells, 3 launches, at most 1980
    /// repetitions`
    fn sentence(&self, plan: &Plan) -> String {
        let estimate = engine::estimate(plan, &self.0);
        let middle = Seconds(0.5 * (estimate.low.0 + estimate.high.0));
        format!(
            "about {} ({} to {}): {}, {}, at most {}",
            span(middle),
            span(estimate.low),
            span(estimate.high),
            counted(plan.cells().len() as u64, "cell", "s"),
            counted(plan.launches.into(), "launch", "es"),
            counted(plan.samples(), "repetition", "s")
        )
    }
}

/// A short plan whose data tell the pace of the network that `plan` is for.
///
/// # Errors
/// If there is none.
pub fn probe(plan: &Asked) -> Result<Asked, Failure> {
    engine::probe(plan)
}

/// What a budget took from a plan.
fn changes(plan: &Plan, fitted: &engine::Fitted, budget: Seconds) -> String {
    let kept = fitted.asked.plan.cells().len();
    let mut dropped = fitted
        .dropped
        .iter()
        .take(MOST_NAMED)
        .cloned()
        .collect::<Vec<_>>();
    if fitted.dropped.len() > MOST_NAMED {
        dropped.push(format!("{} more", fitted.dropped.len() - MOST_NAMED));
    }
    let what = match dropped[..] {
        [] => "fewer repetitions".to_owned(),
        _ => format!("without {}", dropped.join(", ")),
    };
    format!(
        "{} of {} cells fit into {}: {what}",
        kept,
        plan.cells().len(),
        span(budget)
    )
}

/// The most dropped cells that are named one by one.
const MOST_NAMED: usize = 6;

fn counted(count: u64, noun: &str, plural: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}{plural}"),
    }
}

/// A duration in words, to the second: `45 s`, `2 min 10 s`, `1 h 5 min`.
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
