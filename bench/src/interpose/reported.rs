//! The report of the preloaded library, as far as the benchmark needs it.

use std::path::Path;

use anyhow::{Context, Result};
use netsig_core::units::{Bytes, Procs};
use serde::Deserialize;

use crate::cell::Cell;

/// Calls of one of the six collectives, of some processes and one size.
#[derive(Deserialize)]
pub(super) struct Reported {
    pub(super) collective: String,
    pub(super) procs: Option<Procs>,
    #[serde(rename = "size_bytes")]
    pub(super) size: Option<Bytes>,
    pub(super) calls: u64,
    /// Those of the calls that were left to the library to time it; an earlier report has no such column.
    pub(super) library_calls: Option<u64>,
    /// The schedule that ran; none for the library's own choice.
    pub(super) algorithm: Option<String>,
    pub(super) saved_s: Option<f64>,
}

impl Reported {
    /// The cell of the calls.
    pub(super) fn cell(&self) -> Option<Cell> {
        Some(Cell {
            collective: self.collective.parse().ok()?,
            procs: self.procs?,
            size: self.size?,
        })
    }

    /// The calls that a schedule ran.
    pub(super) fn replaced(&self) -> u64 {
        match self.algorithm {
            Some(_) => self.calls.saturating_sub(self.library_calls.unwrap_or(0)),
            None => 0,
        }
    }
}

/// The rows of the six collectives: those that name a number of processes.
pub(super) fn read(path: &Path) -> Result<Vec<Reported>> {
    let shown = path.display().to_string();
    let reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(path);
    let mut reader =
        reader.with_context(|| format!("{shown}: the preloaded library wrote no report"))?;
    let rows: Result<Vec<Reported>, _> = reader.deserialize().collect();
    let mut rows = rows.context(shown)?;
    rows.retain(|row| row.procs.is_some());
    Ok(rows)
}
