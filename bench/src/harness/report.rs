//! The report of a benchmark: table.md with the goals, further tables and notes, printed too, and
//! CSV files beside it.

use std::fmt::{Display, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use itertools::Itertools as _;
use serde::Serialize;

use super::goals::BenchGoal;

/// A column of a table: its head, and its field of a row.
pub type TableColumn<R> = (&'static str, fn(&R) -> String);

/// A report that is being written.
pub struct BenchReport {
    folder: PathBuf,
    text: String,
    is_met: bool,
    /// Flags of the columns of the table of goals: true if a column is shown.
    goal_columns: [bool; 6],
}

impl BenchReport {
    /// Begins a report with the table of goals. `oracle` is the head of the column of the best possible figures.
    /// Columns of intervals and of oracles without any field are left out.
    pub fn new(folder: &Path, goals: &[BenchGoal], oracle: &str) -> Self {
        let mut report = Self::without_goals(folder);
        report.is_met = goals.iter().all(BenchGoal::is_met);
        report.goal_columns[2] = goals.iter().any(|goal| goal.interval.is_some());
        report.goal_columns[3] = goals.iter().any(|goal| goal.oracle.is_some());
        let heads = ["figure", "value", "90 % over networks", oracle, "goal", "outcome"];
        report.goal_row(&heads.map(str::to_owned));
        report.goal_row(&["---"; 6].map(str::to_owned));
        for goal in goals {
            report.goal_row(&goal.fields());
        }
        report
    }

    /// A report without goals.
    pub fn without_goals(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            text: String::new(),
            is_met: true,
            goal_columns: [true; 6],
        }
    }

    fn line(&mut self, line: impl Display) {
        writeln!(self.text, "{line}").expect("writing to text");
    }

    /// Adds a figure without a goal to the table of goals.
    pub fn figure(&mut self, name: impl Display, value: impl Display) {
        let [value, name] = [value.to_string(), name.to_string()];
        let empty = String::new;
        self.goal_row(&[name, value, empty(), empty(), empty(), empty()]);
    }

    fn goal_row(&mut self, fields: &[String; 6]) {
        let columns = self.goal_columns;
        let shown = fields.iter().zip(columns).filter(|(_, shown)| *shown);
        let fields = shown.map(|(field, _)| field).join(" | ");
        self.line(format_args!("| {fields} |"));
    }

    /// Adds the title of a section.
    pub fn heading(&mut self, title: &str) {
        self.line(format_args!("\n## {title}"));
    }

    /// Adds an empty line and a table.
    pub fn table<'r, R: 'r>(&mut self, columns: &[TableColumn<R>], rows: impl IntoIterator<Item = &'r R>) {
        let head_cells = columns.iter().map(|(head, _)| match *head {
            "" => " |".to_owned(),
            head => format!(" {head} |"),
        });
        let heads: String = head_cells.collect();
        self.line(format_args!("\n|{heads}\n|{}", "---|".repeat(columns.len())));
        for row in rows {
            let fields = columns.iter().map(|(_, field)| field(row)).join(" | ");
            self.line(format_args!("| {fields} |"));
        }
    }

    /// Adds an empty line and a list.
    pub fn notes(&mut self, notes: impl IntoIterator<Item = impl Display>) {
        self.line("");
        for note in notes {
            self.line(format_args!("* {note}"));
        }
    }

    /// Writes rows to a CSV file.
    pub fn rows<R: Serialize>(&self, name: &str, rows: &[R]) -> Result<()> {
        let mut table = csv::Writer::from_path(self.folder.join(name))?;
        rows.iter().try_for_each(|row| table.serialize(row))?;
        Ok(table.flush()?)
    }

    /// Prints the text and writes it to table.md; false if a goal is missed.
    pub fn publish(self) -> Result<bool> {
        print!("{}", self.text);
        let path = self.folder.join("table.md");
        fs::write(path, self.text).context("table.md cannot be written")?;
        Ok(self.is_met)
    }
}

/// A number with two digits after the point.
pub fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

/// Seconds to the millisecond.
pub fn seconds(value: f64) -> String {
    format!("{value:.3}")
}
