//! The report of the preloaded library, with the fields that the benchmark needs.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use netsig_base::units::{Bytes, Procs};
use serde::Deserialize;

use crate::harness::cell::BenchCell;

/// Calls of one of the collectives that a schedule may run, with one process count and one size.
#[derive(Deserialize)]
pub(super) struct ReportedCalls {
    pub(super) collective: String,
    pub(super) procs: Option<Procs>,
    #[serde(rename = "size_bytes")]
    pub(super) size: Option<Bytes>,
    pub(super) calls: u64,
    /// Calls that the library ran to be timed; an earlier report has no such column.
    pub(super) library_calls: Option<u64>,
    /// The schedule that ran; `None` for the library's own choice.
    pub(super) algorithm: Option<String>,
    pub(super) saved_s: Option<f64>,
    /// Seconds that a schedule which could change the results would save; an earlier report has no such column.
    pub(super) left_gain_s: Option<f64>,
    /// Reason for running the library's own choice.
    #[serde(default)]
    pub(super) reason: String,
}

impl ReportedCalls {
    /// The cell of the calls.
    pub(super) fn cell(&self) -> Option<BenchCell> {
        Some(BenchCell {
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

/// The rows of the collectives that a schedule may run, recognised by their number of processes.
pub(super) fn read(path: &Path) -> Result<Vec<ReportedCalls>> {
    let shown = || path.display().to_string();
    let opened = File::open(path);
    let file = opened.with_context(|| format!("{}: the preloaded library wrote no report", shown()))?;
    parse_rows(file).with_context(shown)
}

fn parse_rows(text: impl Read) -> csv::Result<Vec<ReportedCalls>> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.comment(Some(b'#')).from_reader(text);
    let read_rows: csv::Result<Vec<ReportedCalls>> = reader.deserialize().collect();
    let mut rows = read_rows?;
    rows.retain(|row| row.procs.is_some());
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The library ran three of 100 calls; an earlier report does not tell. Other calls have no number of processes.
    #[test]
    fn reports_tell_which_calls_a_schedule_ran() {
        let present = "# netsig interposer report\n\
             collective,procs,size_bytes,calls,time_s,library_calls,library_s,algorithm,saved_s\n\
             allreduce,,,3,0,,,,\n\
             alltoall,8,65536,100,9.7,3,0.6,\"windowed:segment=4096,window=4\",9.7\n\
             alltoall,8,4,100,0.1,,,,\n";
        let earlier = "collective,procs,size_bytes,calls,time_s,algorithm,saved_s\n\
             alltoall,8,65536,100,10,pairwise,10\n";
        let replaced = |text: &str| -> Vec<u64> {
            let rows = parse_rows(text.as_bytes()).unwrap();
            rows.iter().map(ReportedCalls::replaced).collect()
        };
        assert_eq!(replaced(present), [97, 0]);
        assert_eq!(replaced(earlier), [100]);
    }
}
