//! A program in GOAL on a network model.

use netsig_base::text::refusal::Refusal;

use super::sim_model::SimModel;
use crate::goal::Goal;
use crate::observer::Observer;
use crate::outcome::{SimOutcome, StuckProgram};
use crate::program::UnfinishedOperations;
use crate::setup::{SimCase, SimulationError, most_messages, simulate_goal};

/// The most items of a kind in a message.
const MOST_SHOWN: usize = 10;

/// The most messages of a written program; larger ones would take gigabytes.
const MOST_WRITTEN: u64 = 100_000_000;

impl SimModel {
    /// Simulates every event of the program `goal` for `observer`; `name` is its name in errors.
    ///
    /// # Errors
    /// If the program cannot end, or the network has too few hosts for its ranks.
    pub fn observe_goal(&self, name: &str, goal: &Goal, observer: &mut impl Observer) -> Result<SimOutcome, Refusal> {
        let setup = self.setup(goal.procs())?;
        simulate_goal(&setup, goal, observer).map_err(|error| refusal_of(name, error))
    }
}

/// Refuses to write the program of a case that would take gigabytes.
///
/// # Errors
/// If the case has too many messages.
pub fn refuse_long_program(case: SimCase) -> Result<(), Refusal> {
    let messages = most_messages(case);
    if messages <= MOST_WRITTEN {
        return Ok(());
    }
    Err(Refusal::request(format!(
        "{} {} among {} has up to {messages} messages, too many for --write-goal; choose fewer \
         processes or longer segments",
        case.algorithm.collective(),
        case.algorithm,
        case.procs
    )))
}

/// The reasons why a program cannot end, one line each.
fn refusal_of(name: &str, error: SimulationError) -> Refusal {
    match error {
        SimulationError::Stuck(StuckProgram(rest)) => {
            let lines = causes(name, &rest).into_iter().map(Refusal::request);
            Refusal::joined(&lines.collect::<Vec<_>>()).expect("a program that cannot end has a cause")
        }
        other => Refusal::request(format!("{name}: {other}")),
    }
}

fn causes(name: &str, rest: &UnfinishedOperations) -> Vec<String> {
    let mut lines = Vec::new();
    if !rest.cycle.is_empty() {
        let shown = rest.cycle.iter().take(MOST_SHOWN).map(String::as_str);
        let mut circle: Vec<&str> = shown.collect();
        let more = format!("and {} more", rest.cycle.len() - circle.len());
        if rest.cycle.len() > MOST_SHOWN {
            circle.push(&more);
        }
        lines.push(format!(
            "{name}: ranks wait for each other: {}; let one of them go on without the next",
            circle.join(", ")
        ));
    }
    let kinds = [
        (&rest.receives, "send one or remove the receive"),
        (&rest.sends, "receive it or remove the send"),
    ];
    for (all, remedy) in kinds {
        let shown = all.iter().take(MOST_SHOWN);
        lines.extend(shown.map(|one| format!("{name}: {one}; {remedy}")));
        if all.len() > MOST_SHOWN {
            let more = all.len() - MOST_SHOWN;
            lines.push(format!("{name}: and {more} more like the last; {remedy}"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_a_line_and_many_are_cut_short() {
        let many = |word: &str, count: usize| (0..count).map(|i| format!("{word}{i}")).collect();
        let rest = UnfinishedOperations {
            cycle: many("c", 12),
            receives: many("r", 10),
            sends: many("s", 11),
        };
        let lines = causes("f", &rest);
        assert_eq!(lines.len(), 1 + 10 + 11);
        assert!(lines[0].contains("c9, and 2 more; "), "{}", lines[0]);
        assert!(lines[10].starts_with("f: r9; send"), "{}", lines[10]);
        assert!(lines[21].starts_with("f: and 1 more like"), "{}", lines[21]);
    }
}
