//! Result of a reader: runs of cells that were measured together, facts for the provenance, and the
//! lines left out.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;

use super::cells;
use super::operands::StatedOperands;
use super::table::ImportCell;
use crate::algorithm::{Collective, ReductionOperands};
use crate::data::mixture::PLACEMENT;
use crate::data::{Aggregate, Dataset, Experiment, ImportedStatistic, Provenance, RejectedRepetition, RejectionReason};
use crate::units::{Bytes, Procs, Seconds};

/// Prefix of the keys of facts that a file states itself.
pub(super) const STATED: &str = "source_";

/// Result of reading a file.
pub(super) struct ImportedLog {
    /// `imported_from`, `statistics` and the facts that the file states.
    pub facts: Provenance,
    /// The tables, each as launch 0.
    pub runs: Vec<Dataset>,
    /// Operation and type of each table of reductions; `None` if they are unknown.
    pub operands: BTreeSet<Option<ReductionOperands>>,
    left_out: BTreeMap<String, LeftOutLines>,
    foreign: Option<(LeftOutLines, String)>,
    remarks: Vec<(u64, String)>,
}

/// Most characters of a line that a note shows.
const MOST_SHOWN: usize = 60;

/// Lines that were left out for one reason.
struct LeftOutLines {
    first: u64,
    last: u64,
    count: u64,
}

impl LeftOutLines {
    fn at(first: u64) -> Self {
        let (last, count) = (0, 0);
        Self { first, last, count }
    }

    fn add(&mut self, line: u64) {
        self.count += u64::from(self.last != line);
        self.last = line;
    }
}

impl ImportedLog {
    /// An empty result; `statistics` describes the program's numbers.
    pub fn new(program: &str, statistics: &str) -> Self {
        let mut facts = Provenance::default();
        facts.push("imported_from", program);
        facts.push("statistics", statistics);
        Self {
            facts,
            runs: Vec::new(),
            operands: BTreeSet::new(),
            left_out: BTreeMap::new(),
            foreign: None,
            remarks: Vec::new(),
        }
    }

    /// Adds a fact that the file states.
    pub fn add_fact(&mut self, key: &str, value: &str) {
        let lower_key = key.trim().to_ascii_lowercase();
        let key = lower_key.replace(|sign: char| !sign.is_ascii_alphanumeric(), "_");
        self.facts.push(&format!("{STATED}{key}"), value.trim());
    }

    /// Begins a table.
    pub fn begin_run(&mut self) {
        self.runs.push(Dataset::default());
    }

    /// Adds the ranks of each host, under the names `host1`, `host2` ….
    pub fn add_placement(&mut self, procs: Procs, per_host: u32) {
        let hosts = procs.get().div_ceil(per_host);
        let ranks = |host: u32| per_host.min(procs.get() - host * per_host);
        let places = (0..hosts).map(|host| format!("host{}:{}", host + 1, ranks(host)));
        self.facts.push(PLACEMENT, places.format(","));
    }

    /// True if no table holds a row.
    pub fn is_empty(&self) -> bool {
        self.runs.iter().all(|run| cells(run).next().is_none())
    }

    /// Adds a note about a line.
    pub fn add_remark(&mut self, line: u64, text: &str) {
        self.remarks.push((line, text.to_owned()));
    }

    /// Adds the operation and type of a table's reductions, with a remark if they are unknown.
    pub fn add_operands(&mut self, line: u64, stated: StatedOperands<'_>) {
        let known = stated.known();
        if let Err(why) = &known
            && self.remarks.iter().all(|(_, remark)| remark != why)
        {
            self.add_remark(line, why);
        }
        self.operands.insert(known.ok());
    }

    /// Notes a line that does not become data.
    pub fn leave_out(&mut self, line: u64, reason: &str) {
        let key = reason.to_owned();
        let left_out = self.left_out.entry(key).or_insert(LeftOutLines::at(line));
        left_out.add(line);
    }

    /// Notes a line of another program.
    pub fn leave_out_foreign(&mut self, line: u64, text: &str) {
        let first = || (LeftOutLines::at(line), text.to_owned());
        let (left_out, _) = self.foreign.get_or_insert_with(first);
        left_out.add(line);
    }

    /// Forgets the lines of other programs.
    pub fn forget_foreign(&mut self) {
        self.foreign = None;
    }

    /// Adds a statistic of a cell's repetitions.
    pub fn add_aggregate(
        &mut self,
        cell: &ImportCell,
        statistic: ImportedStatistic,
        averaged: Option<u32>,
        time: Seconds,
    ) {
        if self.is_data(cell, time) {
            let launch_cell = cell.launch_cell.clone();
            self.last_run().aggregates.push(Aggregate {
                cell: launch_cell,
                statistic,
                averaged,
                time,
            });
        }
    }

    /// Adds the statistics of a cell's repetitions, unless one of them is no time.
    pub fn add_aggregates(&mut self, cell: &ImportCell, averaged: Option<u32>, times: &[(ImportedStatistic, Seconds)]) {
        if times.iter().all(|(_, time)| self.is_data(cell, *time)) {
            for (statistic, time) in times {
                self.add_aggregate(cell, *statistic, averaged, *time);
            }
        }
    }

    /// Adds one of a cell's repetitions.
    pub fn add_sample(&mut self, cell: &ImportCell, repetition: u32, time: Seconds) {
        if self.is_data(cell, time) {
            let launch_cell = cell.launch_cell.clone();
            self.last_run().samples.push(launch_cell.sample(repetition, time));
        }
    }

    /// Adds a repetition without a time.
    pub fn add_rejected(&mut self, cell: &ImportCell, repetition: u32, reason: RejectionReason) {
        let launch_cell = cell.launch_cell.clone();
        self.last_run().rejected.push(RejectedRepetition {
            cell: launch_cell,
            repetition,
            reason,
        });
    }

    fn last_run(&mut self) -> &mut Dataset {
        self.runs.last_mut().expect("a table begins before its rows")
    }

    fn is_data(&mut self, cell: &ImportCell, time: Seconds) -> bool {
        let sends_bytes = matches!(
            cell.launch_cell.experiment,
            Experiment::Collective(collective) if collective != Collective::Barrier
        );
        let reason = if sends_bytes && cell.launch_cell.size == Bytes(0) {
            "a collective of 0 bytes sends nothing, so its time means nothing"
        } else if time.0 > 0.0 && time.0.is_finite() {
            return true;
        } else {
            "a time that is no number above 0"
        };
        self.leave_out(cell.line, reason);
        false
    }

    /// Notes with their lines: the lines left out, one per reason, and the remarks.
    pub fn notes(&self) -> Vec<(u64, String)> {
        let foreign = self.foreign.as_ref().map(|(lines, text)| {
            let shown: String = text.chars().take(MOST_SHOWN).collect();
            (format!("no row of a table: {shown:?}"), lines)
        });
        let entries = self.left_out.iter();
        let reasons = entries.map(|(reason, lines)| (reason.clone(), lines));
        let left_out = reasons.chain(foreign).map(|(reason, lines)| {
            let others = match lines.count {
                1 => String::new(),
                count => format!(" ({count} lines)"),
            };
            (lines.first, format!("left out: {reason}{others}"))
        });
        let notes = left_out.chain(self.remarks.iter().cloned());
        notes.sorted_by_key(|(line, _)| *line).collect()
    }
}
