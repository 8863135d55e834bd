//! Writes the data file during the measurement: one write call for each batch as soon as it is
//! measured, so that an abort loses no measured batch. Data are appended to an existing file.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use netsig_base::data::{self, DataRecord, Dataset, Provenance};
use netsig_measure::campaign::SpentTime;
use netsig_measure::plan::JobId;

use crate::provenance;

/// Appends to a data file.
pub struct DataRecorder {
    file: File,
    name: String,
    job: JobId,
    text: Vec<u8>,
}

impl DataRecorder {
    /// Opens the file and returns its data. Writes the facts and the header to a file without data, otherwise the facts
    /// that differ from the file's.
    ///
    /// # Errors
    /// If the file cannot be opened, read or written, or is no data file.
    pub fn open(path: &Path, facts: &Provenance, job: JobId) -> Result<(Self, Dataset)> {
        let name = path.display().to_string();
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("{name}: cannot be written; choose another --output"))?;
        let past = earlier_data(path, &name)?;
        let mut recorder = Self {
            file,
            name,
            job,
            text: Vec::new(),
        };
        if let Some(past) = &past {
            let changes = provenance::changes(&past.provenance, facts, job);
            changes.write(&mut recorder.text)?;
        } else {
            facts.write(&mut recorder.text)?;
            data::write_header(&mut recorder.text)?;
        }
        recorder.flush()?;
        Ok((recorder, past.unwrap_or_default()))
    }

    /// Appends records in one write.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, records: &[DataRecord]) -> Result<()> {
        for record in records {
            record.write(&mut self.text)?;
        }
        self.flush()
    }

    /// Appends the end time of the launch and the durations of its parts.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(&mut self, wall: Duration, spent: SpentTime) -> Result<()> {
        let mut facts = Provenance::default();
        let text = format!(
            "wall {:.6} timed {:.6} barriers {:.6}",
            wall.as_secs_f64(),
            spent.timed.0,
            spent.barriers.0
        );
        facts.push("ended_unix_s", provenance::unix_seconds()?);
        facts.push(&self.job.key("s"), text);
        facts.write(&mut self.text)?;
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.text);
        self.text.clear();
        written.with_context(|| format!("{}: cannot be written", self.name))
    }
}

/// The data in a file; `None` if it has no complete header.
fn earlier_data(path: &Path, name: &str) -> Result<Option<Dataset>> {
    let what = || format!("{name}: cannot be read; choose another --output");
    let file = File::open(path).with_context(what)?;
    let length = file.metadata().with_context(what)?.len();
    let mut lines = BufReader::new(file.take(length)).lines();
    let has_header = lines.any(|line| line.is_ok_and(|line| !line.starts_with('#')));
    if !has_header {
        return Ok(None);
    }
    let file = File::open(path).with_context(what)?;
    Ok(Some(Dataset::read(name, file)?))
}
