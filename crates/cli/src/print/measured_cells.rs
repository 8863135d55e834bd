//! The lines of --verbose: each measured cell with its median time, as soon as a launch has all its repetitions.

use std::collections::BTreeMap;

use netsig_base::data::{DataRecord, LaunchCell};
use netsig_base::stats::sample::median;
use netsig_base::units::Seconds;

use crate::input::verbosity;

/// Times in seconds by repetition; of simultaneous transfers, the slowest one.
type RepetitionTimes = BTreeMap<u32, f64>;

/// The cells that are not complete yet.
#[derive(Debug, Default)]
pub struct OpenCells(BTreeMap<LaunchCell, RepetitionTimes>);

impl OpenCells {
    /// No cells yet; `None` unless measured cells are to be printed.
    pub fn if_wanted() -> Option<Self> {
        verbosity::shows_cells().then(Self::default)
    }

    /// Adds records in the order of their measurement, and returns a line for each cell that they complete.
    pub fn completed_lines<'a>(&mut self, records: impl IntoIterator<Item = &'a DataRecord>) -> Vec<String> {
        let lines = records.into_iter().filter_map(|record| self.completed_line(record));
        lines.collect()
    }

    fn completed_line(&mut self, record: &DataRecord) -> Option<String> {
        match record {
            DataRecord::Sample(sample) => {
                let times = self.0.entry(sample.cell.clone()).or_default();
                let slowest = times.entry(sample.repetition).or_default();
                *slowest = slowest.max(sample.time.0);
                None
            }
            DataRecord::Rejected(_) => None,
            DataRecord::Done(cell) => {
                let times = self.0.remove(cell).unwrap_or_default();
                Some(line(cell, times.into_values().collect()))
            }
        }
    }
}

/// `alltoall direct                 8 processes   64 KiB  1.23 ms    10 repetitions`
fn line(cell: &LaunchCell, times: Vec<f64>) -> String {
    let (experiment, collective) = cell.experiment.column_values();
    let operation = if collective.is_empty() { experiment } else { &collective };
    let name = format!("{operation} {}", cell.algorithm);
    let repetitions = times.len();
    let median_time = match times[..] {
        [] => "no time".to_owned(),
        _ => Seconds(median(times)).to_string(),
    };
    format!(
        "{name:<28} {:>4} processes {:>8} {median_time:>8} {repetitions:>5} repetitions",
        cell.procs.to_string(),
        cell.size.to_string()
    )
}

#[cfg(test)]
mod tests {
    use netsig_base::data::Experiment;
    use netsig_base::units::{Bytes, Procs};

    use super::*;

    #[test]
    fn a_cell_is_printed_once_it_is_complete() {
        let cell = LaunchCell {
            launch: 1,
            experiment: Experiment::Flow,
            algorithm: "".into(),
            procs: Procs::new(4).unwrap(),
            size: Bytes(1024),
        };
        let transfer = |repetition, part, time| {
            let sample = cell.clone().sample(repetition, Seconds(time));
            DataRecord::Sample(netsig_base::data::Sample { part, ..sample })
        };
        let mut open_cells = OpenCells::default();
        let first = [transfer(0, 0, 1e-3), transfer(0, 1, 2e-3), transfer(1, 0, 4e-3)];
        assert!(open_cells.completed_lines(&first).is_empty());
        let rest = [transfer(1, 1, 3e-3), DataRecord::Done(cell.clone())];
        let lines = open_cells.completed_lines(&rest);
        let words: Vec<&str> = lines[0].split_whitespace().collect();
        assert_eq!(words.join(" "), "flow 4 processes 1 KiB 3.00 ms 2 repetitions");
        let without_times = open_cells.completed_lines(&[DataRecord::Done(cell)]);
        assert!(without_times[0].ends_with("no time     0 repetitions"));
    }
}
