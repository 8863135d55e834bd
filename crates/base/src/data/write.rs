//! Writer of data files: one call per line, so that a killed run leaves whole lines.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use super::{
    Aggregate, COLUMNS, DONE, DataRecord, Dataset, LaunchCell, LossCounters, OK_STATUS, Provenance, RejectedRepetition,
    Sample,
};

/// Writes the line of column names.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))
}

impl Dataset {
    /// Writes the file: provenance, header, all rows, the completed cells.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.provenance.write(out)?;
        write_header(out)?;
        let samples = self.samples.iter().map(Sample::line);
        let rejected = self.rejected.iter().map(RejectedRepetition::line);
        let aggregates = self.aggregates.iter().map(Aggregate::line);
        let completed = self.completed.iter().map(LaunchCell::done_line);
        let mut lines = samples.chain(rejected).chain(aggregates).chain(completed);
        lines.try_for_each(|line| out.write_all(line.as_bytes()))
    }
}

impl Provenance {
    /// Writes the facts as `#@key=value` lines.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.iter()
            .try_for_each(|(key, value)| writeln!(out, "#@{key}={value}"))
    }
}

impl DataRecord {
    /// Writes the line.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let line = match self {
            Self::Sample(sample) => sample.line(),
            Self::Rejected(rejected) => rejected.line(),
            Self::Done(cell) => cell.done_line(),
        };
        out.write_all(line.as_bytes())
    }
}

impl Sample {
    /// The sample as one line.
    fn line(&self) -> String {
        let LossCounters {
            retransmits,
            rtos,
            tail_probes,
            softnet_drops,
            longest_processor_wait_us,
        } = self.losses;
        let measured = format_args!(
            "{},{},{},{},{},{},{},,,,{}",
            self.time.0,
            or_empty(retransmits),
            or_empty(rtos),
            or_empty(tail_probes),
            or_empty(softnet_drops),
            or_empty((self.part > 0).then_some(self.part)),
            or_empty(self.sync_error.map(|error| error.0)),
            or_empty(longest_processor_wait_us),
        );
        self.cell.row_line(self.repetition, measured)
    }
}

impl RejectedRepetition {
    /// The repetition as one line without a time.
    fn line(&self) -> String {
        let without_time = format_args!(",,,,,,,{},,,", self.reason);
        self.cell.row_line(self.repetition, without_time)
    }
}

impl Aggregate {
    /// The statistic as one line.
    fn line(&self) -> String {
        let (time, averaged) = (self.time.0, or_empty(self.averaged));
        let computed = format_args!("{time},,,,,,,{OK_STATUS},{},{averaged},", self.statistic);
        self.cell.row_line(0, computed)
    }
}

impl LaunchCell {
    /// Line that marks this cell as completely measured.
    fn done_line(&self) -> String {
        format!("#@{DONE}={},{}\n", self.launch, self.cell_columns())
    }

    /// Line of a repetition of this cell; `rest` are the columns from the time on.
    fn row_line(&self, repetition: u32, rest: fmt::Arguments<'_>) -> String {
        format!("{},{repetition},{},{rest}\n", self.cell_columns(), self.launch)
    }

    /// Columns up to the size.
    fn cell_columns(&self) -> String {
        let (experiment, collective) = self.experiment.column_values();
        format!(
            "{experiment},{collective},{},{},{}",
            quoted(&self.algorithm),
            self.procs,
            self.size.0
        )
    }
}

/// An algorithm as a cell, quoted if it contains commas, which separate several settings.
fn quoted(algorithm: &str) -> Cow<'_, str> {
    if algorithm.contains(',') {
        format!("\"{algorithm}\"").into()
    } else {
        algorithm.into()
    }
}

/// Text of an optional value, empty for `None`.
fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
