//! The files and tables that a benchmark writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use itertools::Itertools as _;
use serde::Serialize;

use crate::goal::Goal;

/// The table of goals; `oracle` is the head of the column of what no method can surpass.
pub fn of_goals(goals: &[Goal], oracle: &str) -> String {
    let head = format!(
        "| figure | value | 90 % over networks | {oracle} | goal | |\n|---|---|---|---|---|---|\n"
    );
    head + &goals.iter().map(|goal| format!("{goal}\n")).join("")
}

/// Prints the text and writes it to table.md, and the rows to a CSV file beside it.
pub fn publish<R: Serialize>(folder: &Path, text: &str, table: (&str, &[R])) -> Result<()> {
    print!("{text}");
    fs::write(folder.join("table.md"), text).context("table.md cannot be written")?;
    rows(folder, table)
}

/// Writes the rows to a CSV file.
pub fn rows<R: Serialize>(folder: &Path, (name, rows): (&str, &[R])) -> Result<()> {
    let mut table = csv::Writer::from_path(folder.join(name))?;
    for row in rows {
        table.serialize(row)?;
    }
    Ok(table.flush()?)
}
