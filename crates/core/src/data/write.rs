//! Data files as they are written: one line, one call, so that a killed run leaves whole
//! lines.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{
    Aggregate, COLUMNS, DONE, Dataset, LossCounters, OK, Place, Provenance, Record, Rejected,
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
        self.samples.iter().try_for_each(|row| row.write(out))?;
        self.rejected.iter().try_for_each(|row| row.write(out))?;
        self.aggregates.iter().try_for_each(|row| row.write(out))?;
        let mut completed = self.completed.iter();
        completed.try_for_each(|place| place.write_done(out))
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

impl Record {
    /// Writes the line.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Sample(sample) => sample.write(out),
            Self::Rejected(rejected) => rejected.write(out),
            Self::Done(place) => place.write_done(out),
        }
    }
}

impl Sample {
    /// Writes the sample as one line.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let LossCounters {
            retransmits,
            rtos,
            tail_probes,
            softnet_drops,
        } = self.losses;
        let line = format!(
            "{},{},{},{},{},{},{},{},{},{},,,\n",
            self.place().head(),
            self.repetition,
            self.launch,
            self.time.0,
            or_empty(retransmits),
            or_empty(rtos),
            or_empty(tail_probes),
            or_empty(softnet_drops),
            or_empty((self.part > 0).then_some(self.part)),
            or_empty(self.sync_error.map(|error| error.0)),
        );
        out.write_all(line.as_bytes())
    }
}

impl Rejected {
    /// Writes the repetition as one line without a time.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let line = format!(
            "{},{},{},,,,,,,,{},,\n",
            self.place.head(),
            self.repetition,
            self.place.launch,
            self.reason
        );
        out.write_all(line.as_bytes())
    }
}

impl Aggregate {
    /// Writes the statistic as one line.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let line = format!(
            "{},0,{},{},,,,,,,{OK},{},{}\n",
            self.place.head(),
            self.place.launch,
            self.time.0,
            self.statistic,
            or_empty(self.averaged)
        );
        out.write_all(line.as_bytes())
    }
}

impl Place {
    /// Writes the line that says that this cell was measured to its end.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_done(&self, out: &mut impl Write) -> io::Result<()> {
        let line = format!("#@{DONE}={},{}\n", self.launch, self.head());
        out.write_all(line.as_bytes())
    }

    /// The columns up to the size.
    fn head(&self) -> String {
        let (experiment, collective) = self.experiment.names();
        format!(
            "{experiment},{collective},{},{},{}",
            quoted(&self.algorithm),
            self.procs,
            self.size.0
        )
    }
}

/// An algorithm as a cell: one with several settings has commas.
fn quoted(algorithm: &str) -> Cow<'_, str> {
    if algorithm.contains(',') {
        format!("\"{algorithm}\"").into()
    } else {
        algorithm.into()
    }
}

/// The text of a value that there may not be.
fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
