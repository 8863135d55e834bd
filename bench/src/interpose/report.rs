//! Writes the results: the goals, the programs, every cell, and notes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use super::Outcome;
use super::cells;
use super::goals::{of_cells, of_programs};
use super::programs;
use crate::goal::Goal;
use crate::tables;

/// Writes table.md, cells.csv and programs.csv and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &Outcome, passing: Vec<Goal>, results: &Path) -> Result<bool> {
    let mut goals = of_cells(&outcome.cells);
    goals.extend(of_programs(&outcome.programs));
    goals.extend(passing);
    let mut text = tables::of_goals(&goals, "");
    of_all_programs(&mut text, &outcome.programs)?;
    of_all_cells(&mut text, &outcome.cells)?;
    for note in &outcome.notes {
        writeln!(text, "* {note}")?;
    }
    tables::publish(results, &text, ("programs.csv", &outcome.programs))?;
    tables::rows(results, ("cells.csv", &outcome.cells))?;
    Ok(goals.iter().all(Goal::is_met))
}

fn of_all_programs(text: &mut String, rows: &[programs::Row]) -> Result<()> {
    writeln!(
        text,
        "\n| network | MPI | program | ranks | without, s | with, s | speed-up | calls caught | replaced | results |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    )?;
    for row in rows {
        let programs::Row {
            network,
            mpi,
            program,
            ranks,
            without_s,
            with_s,
            equal,
            calls,
            replaced,
        } = row;
        writeln!(
            text,
            "| {network} | {mpi} | {program} | {ranks} | {without_s:.3} | {with_s:.3} | {:.2} | {calls} | {replaced} | {} |",
            without_s / with_s,
            if *equal { "equal" } else { "**differ**" },
        )?;
    }
    Ok(())
}

fn of_all_cells(text: &mut String, rows: &[cells::Row]) -> Result<()> {
    writeln!(
        text,
        "\n| network | collective | procs | bytes | choice | ran | library/choice | library/interposed | choice/interposed | passed on/library | same algorithm, interposed/library | |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|"
    )?;
    for row in rows {
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
            row.network,
            row.collective,
            row.procs,
            row.size_bytes,
            row.choice,
            row.ran,
            row.library_s / row.choice_s,
            row.library_s / row.interposed_s,
            row.choice_s / row.interposed_s,
            row.passed_s / row.library_s,
            row.same_interposed_s / row.same_library_s,
            if row.busy {
                "processors busy: not judged"
            } else {
                ""
            },
        )?;
    }
    writeln!(text)?;
    Ok(())
}
