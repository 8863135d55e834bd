//! Simulates a program in GOAL.

use std::path::Path;

use netsig_sim::goal::Goal;
use netsig_sim::outcome::{SimOutcome, StuckProgram};
use netsig_sim::program::UnfinishedOperations;
use netsig_sim::setup::{SimReport, SimulationError, simulate_goal};
use netsig_sim::simulate::SimModel;

use super::exports::SimulationFiles;
use super::recorders::SimulationRecorders;
use super::result_rows::SimulationRow;
use crate::input::failure::Failure;
use crate::input::files;

/// The most items of a kind in a message.
const MOST_SHOWN: usize = 10;

/// Simulates the program of a file.
///
/// # Errors
/// If the file is no program, the program cannot end, or the network has too few hosts for its
/// ranks.
pub fn simulate(path: &Path, sim_model: &SimModel, exports: &SimulationFiles) -> Result<SimulationRow, Failure> {
    let name = files::name(path);
    let goal = Goal::parse(&name, &files::text(path)?)?;
    let procs = goal.procs();
    let setup = sim_model.setup(procs)?;
    let mut recorders = SimulationRecorders::new(exports, procs)?;
    let outcome: SimOutcome = simulate_goal(&setup, &goal, &mut recorders).map_err(|error| failure_of(&name, error))?;
    exports.write_tables(&outcome)?;
    recorders.finish(&format!("{name}, {procs} ranks, {}", sim_model.title()))?;
    exports.write_goal(|mut out| goal.write(&mut out))?;
    let report = SimReport::of_events(&outcome);
    Ok(SimulationRow::of_goal(&name, procs, sim_model, &report))
}

/// The reasons why a program cannot end, one line each.
fn failure_of(name: &str, error: SimulationError) -> Failure {
    match error {
        SimulationError::Stuck(StuckProgram(rest)) => Failure::usage(causes(name, &rest).join("\n")),
        other => Failure::usage(format!("{name}: {other}")),
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
