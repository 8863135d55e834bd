//! Writes the results: the goals, the figures of every network, every cell, and notes.

use std::path::Path;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::mean;

use super::goals::goals;
use super::{SelectOutcome, rules};
use crate::harness::cell::is_tree;
use crate::harness::choice::{ChoiceRow, busy_remark};
use crate::harness::draw::DrawnNetwork;
use crate::harness::report::{BenchReport, TableColumn, ratio};
use crate::harness::summary::{geometric, p90};

/// The judged cells of a collective on a network.
type NetworkChoices<'a> = (&'a DrawnNetwork, Collective, Vec<&'a ChoiceRow>);

fn network_columns<'a>() -> [TableColumn<NetworkChoices<'a>>; 10] {
    [
        ("network", |(network, ..)| network.name.clone()),
        ("", |(network, ..)| {
            if is_tree(&network.whole) { "tree" } else { "star" }.to_owned()
        }),
        ("MPI", |(network, ..)| network.mpi.to_owned()),
        ("collective", |(_, collective, _)| collective.to_string()),
        ("cells", |(.., rows)| rows.len().to_string()),
        ("mean excess, %", |(.., rows)| {
            format!("{:+.1}", mean(values(rows, |row| 100.0 * row.excess)))
        }),
        ("90th percentile, %", |(.., rows)| {
            format!("{:+.1}", p90(&values(rows, |row| 100.0 * row.excess)))
        }),
        ("oracle's own, %", |(.., rows)| {
            format!("{:.1}", mean(values(rows, |row| 100.0 * row.oracle)))
        }),
        ("library/choice", |(.., rows)| {
            ratio(geometric(&values(rows, |row| row.gain)))
        }),
        ("library/best", |(.., rows)| {
            ratio(geometric(&values(rows, |row| row.best_gain)))
        }),
    ]
}

static CELLS: &[TableColumn<ChoiceRow>] = &[
    ("network", |row| row.network.clone()),
    ("collective", |row| row.collective.to_string()),
    ("procs", |row| row.procs.to_string()),
    ("size", |row| row.size_bytes.to_string()),
    ("choice", |row| row.choice.clone()),
    ("best", |row| row.best.clone()),
    ("excess, %", |row| format!("{:+.1}", 100.0 * row.excess)),
    ("oracle's own, %", |row| format!("{:.1}", 100.0 * row.oracle)),
    ("library/choice", ChoiceRow::gain_with_interval),
    ("choice/bound", |row| {
        let bound = row.bound_s.map(|bound| row.time_s / bound);
        bound.map(ratio).unwrap_or_default()
    }),
    ("", |row| {
        let remarks = [
            if row.lossy { "library loses packets" } else { "" },
            busy_remark(row.busy),
        ];
        remarks.into_iter().filter(|text| !text.is_empty()).join("; ")
    }),
];

/// Writes table.md and cells.csv and prints the tables; false if a goal is missed.
pub(super) fn write(outcome: &SelectOutcome, results: &Path) -> Result<bool> {
    let (goals, empty) = goals(&outcome.rows);
    let mut report = BenchReport::new(results, &goals, "oracle, or best measured");
    for (name, gain) in rules::means(&outcome.rules) {
        report.figure(name, ratio(gain));
    }
    ceilings(&mut report, &outcome.rows);
    excesses_of_all(&mut report, &outcome.rows);
    report.table(&network_columns(), &choices_by_network(outcome));
    report.table(CELLS, &outcome.rows);
    let empty = empty.iter().map(|name| format!("no cell: {name}"));
    report.notes(empty.chain(outcome.notes.iter().cloned()));
    report.rows("cells.csv", &outcome.rows)?;
    report.publish()
}

/// Gains of an all-to-all at the bound, which no algorithm can surpass.
fn ceilings(report: &mut BenchReport, rows: &[ChoiceRow]) {
    let judged = rows.iter().filter(|row| !row.busy);
    let all: Vec<&ChoiceRow> = judged.collect();
    let lossy = all.iter().copied().filter(|row| row.lossy).collect();
    for (name, rows) in [("", all), (" where it loses packets", lossy)] {
        let ratio_to = |row: &&ChoiceRow| Some(row.gain * row.time_s.0 / row.bound_s?.0);
        let ratios: Vec<f64> = rows.iter().filter_map(ratio_to).collect();
        if !ratios.is_empty() {
            let cells = ratios.len();
            let name = format!("alltoall, library{name}/bound, {cells} cells, ×");
            report.figure(name, ratio(geometric(&ratios)));
        }
    }
}

/// Excesses over the oracle of all cells, including cells that are not judged.
fn excesses_of_all(report: &mut BenchReport, rows: &[ChoiceRow]) {
    let excesses: Vec<f64> = rows.iter().map(|row| 100.0 * row.excess).collect();
    if excesses.is_empty() {
        return;
    }
    let cells = format!(
        "penalty beyond the oracle's with the cells of busy processors, {} cells",
        rows.len()
    );
    report.figure(format!("{cells}: mean, %"), ratio(mean(&excesses)));
    report.figure(format!("{cells}: 90th percentile, %"), ratio(p90(&excesses)));
}

/// The judged cells of every network and collective, if any.
fn choices_by_network(outcome: &SelectOutcome) -> Vec<NetworkChoices<'_>> {
    let collectives = [Collective::Alltoall, Collective::Bcast, Collective::Allreduce];
    let network_collectives = outcome.networks.iter().cartesian_product(collectives);
    let with_rows = network_collectives.map(|(network, collective)| {
        let rows = outcome
            .rows
            .iter()
            .filter(|row| row.network == network.name && row.collective == collective && !row.busy);
        (network, collective, rows.collect())
    });
    let groups: Vec<NetworkChoices> = with_rows.collect();
    groups.into_iter().filter(|(.., rows)| !rows.is_empty()).collect()
}

fn values(rows: &[&ChoiceRow], value: fn(&ChoiceRow) -> f64) -> Vec<f64> {
    rows.iter().map(|row| value(row)).collect()
}
