//! The data file as it grows: every line is written in one call as soon as it is known,
//! so that whatever ends the program loses nothing that was measured.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use netsig_core::dataset::{self, Provenance, Record};
use netsig_measure::campaign::Spent;

/// Appends to a data file.
pub struct Recorder {
    file: File,
    name: String,
}

impl Recorder {
    /// Opens the file; an empty one gets the provenance and the header.
    ///
    /// # Errors
    /// If it cannot be opened or written.
    pub fn open(path: &Path, facts: &Provenance) -> Result<Self> {
        let name = path.display().to_string();
        let what = || format!("{name}: cannot be written; choose another --output");
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(what)?;
        if file.metadata().with_context(what)?.len() == 0 {
            facts
                .write(&mut file)
                .and_then(|()| dataset::write_header(&mut file))
                .with_context(what)?;
        }
        Ok(Self { file, name })
    }

    /// Appends records in one write.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, records: &[Record]) -> Result<()> {
        let mut text = Vec::new();
        records
            .iter()
            .try_for_each(|record| record.write(&mut text))
            .and_then(|()| self.file.write_all(&text))
            .with_context(|| format!("{}: cannot be written; is the disk full?", self.name))
    }

    /// Appends how the time of a launch was spent.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(&mut self, launch: u32, wall: Duration, spent: Spent) -> Result<()> {
        let mut facts = Provenance::default();
        let text = format!(
            "wall {:.6} timed {:.6} barriers {:.6}",
            wall.as_secs_f64(),
            spent.timed.0,
            spent.barriers.0
        );
        facts.push(&format!("launch_{launch}_s"), text);
        facts
            .write(&mut self.file)
            .with_context(|| format!("{}: cannot be written; is the disk full?", self.name))
    }
}
