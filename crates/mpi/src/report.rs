//! The report of a job without a plan (`discover`, `examine`). It is TOML and grows with the work. Lines `#@key=value`,
//! comments in TOML, tell of the work done, as in a data file: netsig sees from them that the job is alive or has
//! ended.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use netsig_base::data::Provenance;
use netsig_measure::plan::JobId;

/// The file, open for writing.
pub struct RankReport {
    file: File,
    name: String,
}

impl RankReport {
    /// Creates the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let file = File::create(path).with_context(|| format!("{name}: cannot be written; choose another --output"))?;
        Ok(Self { file, name })
    }

    /// Adds the host of each rank.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_hosts(&mut self, names: &[&str]) -> Result<()> {
        self.add_fact("hosts", names.join(","))
    }

    /// Adds a fact.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_fact(&mut self, key: &str, value: String) -> Result<()> {
        let mut facts = Provenance::default();
        facts.push(key, value);
        let mut text = Vec::new();
        facts.write(&mut text)?;
        self.write(&text)
    }

    /// Adds TOML.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_toml(&mut self, text: &str) -> Result<()> {
        self.write(text.as_bytes())
    }

    /// Marks the end of the job, after `wall`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_end(&mut self, wall: Duration) -> Result<()> {
        let job = JobId { launch: 0, variant: 0 };
        self.add_fact(&job.key("s"), format!("wall {:.6}", wall.as_secs_f64()))
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        let written = self.file.write_all(text);
        written.with_context(|| format!("{}: cannot be written; is the disk full?", self.name))
    }
}
