//! Writes the results: the goals, every choice, every prediction, and notes.

use std::path::Path;

use anyhow::Result;
use netsig_base::units::Seconds;

use super::GridOutcome;
use super::exchange::ExchangeRow;
use super::goals::goals;
use crate::harness::choice::{ChoiceRow, busy_remark};
use crate::harness::report::{BenchReport, TableColumn, ratio};
use crate::harness::summary::share;

static CHOICES: &[TableColumn<ChoiceRow>] = &[
    ("network", |row| row.network.clone()),
    ("procs", |row| row.procs.to_string()),
    ("size", |row| row.size_bytes.to_string()),
    ("choice", |row| row.choice.clone()),
    ("best", |row| row.best.clone()),
    ("library/choice", ChoiceRow::gain_with_interval),
    ("library/best", |row| ratio(row.best_gain)),
    ("", |row| busy_remark(row.busy).to_owned()),
];

static EXCHANGES: &[TableColumn<ExchangeRow>] = &[
    ("network", |row| row.network.clone()),
    ("algorithm", |row| row.algorithm.to_owned()),
    ("procs", |row| row.procs.to_string()),
    ("size", |row| row.size_bytes.to_string()),
    ("predicted, ms", |row| ms(row.predicted_s)),
    ("interval", |row| {
        let interval = row.lower_s.zip(row.upper_s);
        let interval_text = interval.map(|(lower, upper)| format!("{}–{}", ms(lower), ms(upper)));
        interval_text.unwrap_or_default()
    }),
    ("measured, ms", |row| ms(row.measured_s)),
    ("error, %", |row| {
        format!("{:+.1}", 100.0 * (row.predicted_s / row.measured_s - 1.0))
    }),
    ("library/exchange", |row| ratio(row.gain())),
    ("", |row| {
        let new = if row.is_new { "new" } else { "" };
        format!("{new} {}", busy_remark(row.busy))
    }),
];

/// Writes table.md, cells.csv and two-phase.csv and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &GridOutcome, results: &Path) -> Result<bool> {
    let goals = goals(outcome);
    let mut report = BenchReport::new(results, &goals, "best measured");
    let new_rows = outcome.exchanges.iter().filter(|row| row.is_new && !row.busy);
    let covered: Vec<bool> = new_rows.filter_map(ExchangeRow::is_covered).collect();
    if let Some(share) = share(covered.iter().copied()) {
        let cells = covered.len();
        let name = format!("measured within the predicted interval, {cells} new cells, %");
        report.figure(name, format_args!("{share:.1}"));
    }
    report.table(CHOICES, &outcome.rows);
    report.table(EXCHANGES, &outcome.exchanges);
    report.notes(&outcome.notes);
    report.rows("two-phase.csv", &outcome.exchanges)?;
    report.rows("cells.csv", &outcome.rows)?;
    report.publish()
}

fn ms(time: Seconds) -> String {
    format!("{:.1}", 1e3 * time.0)
}
