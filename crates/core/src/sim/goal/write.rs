//! From programs to the text of GOAL.

use std::io::{self, Write};

use super::Goal;
use super::program::{Action, Event, RankProgram};

impl Goal {
    /// Writes GOAL that reads back as the same programs, here and in `LogGOPSim`.
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

fn write_program(program: &RankProgram, out: &mut impl Write) -> io::Result<()> {
    for index in indices(program) {
        if let Some(label) = program.label(index) {
            write!(out, "{label}: ")?;
        }
        write_action(program.action(index), out)?;
        for (name, number) in [("cpu", program.cpu(index)), ("nic", program.nic(index))] {
            if number > 0 {
                write!(out, " {name} {number}")?;
            }
        }
        writeln!(out)?;
    }
    for index in indices(program) {
        write_waiting(program, index, out)?;
    }
    Ok(())
}

fn indices(program: &RankProgram) -> impl Iterator<Item = u32> {
    (0..).zip(0..program.len()).map(|(index, _)| index)
}

fn write_action(action: Action, out: &mut impl Write) -> io::Result<()> {
    let tag = match action {
        Action::Calculate { nanoseconds } => return write!(out, "calc {nanoseconds}"),
        Action::Send { to, size, tag } => {
            write!(out, "send {}b to {to}", size.0)?;
            tag
        }
        Action::Receive { from, size, tag } => {
            write!(out, "recv {}b from ", size.0)?;
            write_or_any(from.map(|rank| rank.0), out)?;
            tag
        }
    };
    write!(out, " tag ")?;
    write_or_any(tag, out)
}

fn write_or_any(value: Option<u32>, out: &mut impl Write) -> io::Result<()> {
    match value {
        Some(value) => write!(out, "{value}"),
        None => write!(out, "-1"),
    }
}

/// What waits for an operation: both have labels, or no statement could have said so.
fn write_waiting(program: &RankProgram, before: u32, out: &mut impl Write) -> io::Result<()> {
    for (event, keyword) in [(Event::End, "requires"), (Event::Start, "irequires")] {
        for &after in program.waiting_for(before, event) {
            let label = |index| program.label(index).unwrap_or_default();
            writeln!(out, "{} {keyword} {}", label(after), label(before))?;
        }
    }
    Ok(())
}
