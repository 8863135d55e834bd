//! The file of a discovery. It is TOML, and grows with each probe: lines `#@key=value`, comments in TOML,
//! say what was done, as in a data file, so that netsig sees that the job is alive and that it ended.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use netsig_core::data::Provenance;
use netsig_core::network::Grid;
use netsig_core::units::Bytes;
use netsig_measure::plan::JobId;

use super::probe::Times;

/// The file, open for writing.
pub struct Report {
    file: File,
    name: String,
}

impl Report {
    /// Creates the file, with the host of each rank.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, hosts: &[String]) -> Result<Self> {
        let name = path.display().to_string();
        let file = File::create(path)
            .with_context(|| format!("{name}: cannot be written; choose another --output"))?;
        let mut report = Self { file, name };
        report.add("hosts", hosts.join(","))?;
        Ok(report)
    }

    /// Adds a probe.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn probed(&mut self, [from, to]: [&str; 2], size: Bytes, times: Times) -> Result<()> {
        let (least, median) = (times.least.0, times.median.0);
        self.add("probe", format!("{from},{to},{},{least},{median}", size.0))
    }

    /// Adds what was found after `wall`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(&mut self, grid: &Grid, wall: Duration) -> Result<()> {
        self.write(grid.to_toml().as_bytes())?;
        let job = JobId {
            launch: 0,
            variant: 0,
        };
        self.add(&job.key("s"), format!("wall {:.6}", wall.as_secs_f64()))
    }

    fn add(&mut self, key: &str, value: String) -> Result<()> {
        let mut facts = Provenance::default();
        facts.push(key, value);
        let mut text = Vec::new();
        facts.write(&mut text)?;
        self.write(&text)
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        let written = self.file.write_all(text);
        written.with_context(|| format!("{}: cannot be written; is the disk full?", self.name))
    }
}
