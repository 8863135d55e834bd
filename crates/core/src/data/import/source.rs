//! Result of a reader: runs of cells that were measured together, facts for the provenance, and the
//! lines left out.

use std::collections::BTreeMap;

use itertools::Itertools;

use super::table::Cell;
use crate::data::{Aggregate, Dataset, Experiment, Provenance, Rejected, Rejection, StatisticKind};
use crate::units::{Bytes, Seconds};

/// Prefix of the keys of facts that a file states itself.
pub(super) const STATED: &str = "source_";

/// Result of reading a file.
pub(super) struct Source {
    /// `imported_from`, `statistics` and the facts that the file states.
    pub facts: Provenance,
    /// The tables, each as launch 0.
    pub runs: Vec<Dataset>,
    left_out: BTreeMap<String, LeftOut>,
}

/// Lines that were left out for one reason.
struct LeftOut {
    first: u64,
    last: u64,
    count: u64,
}

impl Source {
    /// An empty result; `statistics` describes the program's numbers.
    pub fn new(program: &str, statistics: &str) -> Self {
        let mut facts = Provenance::default();
        facts.push("imported_from", program);
        facts.push("statistics", statistics);
        Self {
            facts,
            runs: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Adds a fact that the file states.
    pub fn fact(&mut self, key: &str, value: &str) {
        let key = key.trim().to_ascii_lowercase();
        let key = key.replace(|sign: char| !sign.is_ascii_alphanumeric(), "_");
        self.facts.push(&format!("{STATED}{key}"), value.trim());
    }

    /// Begins a table.
    pub fn begin_run(&mut self) {
        self.runs.push(Dataset::default());
    }

    /// Notes a line that does not become data.
    pub fn leave_out(&mut self, line: u64, reason: &str) {
        let left_out = self.left_out.entry(reason.to_owned()).or_insert(LeftOut {
            first: line,
            last: 0,
            count: 0,
        });
        left_out.count += u64::from(left_out.last != line);
        left_out.last = line;
    }

    /// Adds a statistic of a cell's repetitions.
    pub fn aggregate(
        &mut self,
        cell: &Cell,
        statistic: StatisticKind,
        averaged: Option<u32>,
        time: Seconds,
    ) {
        if self.is_data(cell, time) {
            let place = cell.place.clone();
            self.run().aggregates.push(Aggregate {
                place,
                statistic,
                averaged,
                time,
            });
        }
    }

    /// Adds one of a cell's repetitions.
    pub fn sample(&mut self, cell: &Cell, repetition: u32, time: Seconds) {
        if self.is_data(cell, time) {
            let place = cell.place.clone();
            self.run().samples.push(place.sample(repetition, time));
        }
    }

    /// Adds a repetition without a time.
    pub fn reject(&mut self, cell: &Cell, repetition: u32, reason: Rejection) {
        let place = cell.place.clone();
        self.run().rejected.push(Rejected {
            place,
            repetition,
            reason,
        });
    }

    fn run(&mut self) -> &mut Dataset {
        self.runs
            .last_mut()
            .expect("a table begins before its rows")
    }

    fn is_data(&mut self, cell: &Cell, time: Seconds) -> bool {
        let is_collective = matches!(cell.place.experiment, Experiment::Collective(_));
        let reason = if is_collective && cell.place.size == Bytes(0) {
            "a collective of 0 bytes sends nothing, so its time means nothing"
        } else if time.0 > 0.0 && time.0.is_finite() {
            return true;
        } else {
            "a time that is not above 0"
        };
        self.leave_out(cell.line, reason);
        false
    }

    /// Notes on the lines left out of the file `name`, one per reason.
    pub fn notes(&self, name: &str) -> Vec<String> {
        let note = |(reason, lines): (&String, &LeftOut)| {
            let LeftOut { first, count, .. } = lines;
            let others = match count {
                1 => String::new(),
                _ => format!(" ({count} lines)"),
            };
            format!("{name}:{first}: left out: {reason}{others}")
        };
        let by_line = self.left_out.iter().sorted_by_key(|(_, lines)| lines.first);
        by_line.map(note).collect()
    }
}
