//! Writer of GOAL.

use std::io::{self, Write};

use super::Goal;
use super::program::{GoalEvent, GoalOperation, GoalRankProgram};

impl Goal {
    /// Writes GOAL that parses to the same programs, here and in `LogGOPSim`.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "num_ranks {}", self.ranks.len())?;
        for (rank, program) in self.ranks.iter().enumerate() {
            writeln!(out, "\nrank {rank} {{")?;
            write_program(program, out)?;
            writeln!(out, "}}")?;
        }
        Ok(())
    }
}

fn write_program(program: &GoalRankProgram, out: &mut impl Write) -> io::Result<()> {
    for index in program.indices() {
        if let Some(label) = program.label(index) {
            write!(out, "{label}: ")?;
        }
        let GoalOperation { action, cpu, nic } = program.operation(index);
        out.write_all(action.statement("-1", "tag -1").as_bytes())?;
        for (name, number) in [("cpu", cpu), ("nic", nic)] {
            if number > 0 {
                write!(out, " {name} {number}")?;
            }
        }
        writeln!(out)?;
    }
    program
        .indices()
        .try_for_each(|index| write_waiting(program, index, out))
}

/// Writes the dependencies on an operation; both operations have labels, as dependencies need them.
fn write_waiting(program: &GoalRankProgram, before: u32, out: &mut impl Write) -> io::Result<()> {
    for (event, keyword) in [(GoalEvent::End, "requires"), (GoalEvent::Start, "irequires")] {
        for &after in program.waiting_for(before, event) {
            let label = |index| program.label(index).unwrap_or_default();
            writeln!(out, "{} {keyword} {}", label(after), label(before))?;
        }
    }
    Ok(())
}
