//! Describes the samples in a data file, of a complete or an interrupted measurement.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use itertools::Itertools;
use netsig_base::data::cells::CellKey;
use netsig_base::data::{Dataset, Provenance, RejectionReason, VOID_KEY, processors};
use netsig_base::text::counted;

use crate::input::destination::Destination;
use crate::input::standard::output_name;

/// The bytes of a data file, whose last line may be incomplete.
pub struct DataFileBytes(Vec<u8>);

impl DataFileBytes {
    /// Reads a data file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(data: &Path) -> Result<Self> {
        let message = || format!("{}: cannot be read; check the path", data.display());
        std::fs::read(data).map(Self).with_context(message)
    }

    /// The complete lines.
    pub fn complete_lines(&self) -> &[u8] {
        let last = self.0.iter().rposition(|&byte| byte == b'\n');
        &self.0[..last.map_or(0, |last| last + 1)]
    }

    /// Length of the file in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Number of complete lines that are no provenance, including the header.
    pub fn row_count(&self) -> usize {
        self.lines().filter(|line| !line.starts_with(b"#")).count()
    }

    /// True if the file has provenance lines only, in netsig's form.
    pub fn is_provenance_only(&self) -> bool {
        let may_begin_so = self.0.is_empty() || self.0.starts_with(b"#");
        may_begin_so && self.lines().all(|line| line.starts_with(b"#@"))
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.complete_lines().split_inclusive(|&byte| byte == b'\n')
    }
}

/// The state of a campaign without samples.
pub const NOTHING_MEASURED: &str = "nothing was measured";

/// The state of a failed campaign without samples, with the cure.
pub const NOTHING_MEASURED_WITH_CURE: &str = "nothing was measured; see netsig doctor";

/// States the number of samples in `data`, with advice to measure the rest. `None` if there is none; the
/// file is then removed.
pub fn describe_or_remove(data: &Path) -> Option<String> {
    if sample_count(data) > 0 {
        return Some(describe_kept(data));
    }
    // The file may not exist; a link to it remains.
    if let Ok(Destination::Regular(file)) = Destination::of(data) {
        let _ = std::fs::remove_file(file);
    }
    None
}

/// As [`describe_or_remove`], but never removes the file.
pub fn describe_kept(data: &Path) -> String {
    format!(
        "{} samples are kept in {}; --resume measures the rest",
        sample_count(data),
        data.display()
    )
}

/// Counts lines instead of parsing samples, so that a line truncated by a full disk is no error.
fn sample_count(data: &Path) -> usize {
    DataFileBytes::read(data).map_or(0, |written| written.row_count().saturating_sub(1))
}

/// Appends a mark to data that must not be used.
///
/// # Errors
/// If the file cannot be written.
pub fn mark_void(data: &Path, reason: &str) -> Result<()> {
    if data.metadata().map_or(0, |found| found.len()) == 0 {
        return Ok(());
    }
    let message = || format!("{}: cannot be marked as void; delete it", data.display());
    let mut mark = Provenance::default();
    mark.push(VOID_KEY, reason);
    let mut file = OpenOptions::new().append(true).open(data).with_context(message)?;
    mark.write(&mut file).and_then(|()| file.flush()).with_context(message)
}

/// Describes the samples in `data`: `1980 samples in data.csv; rejected: 10 late, 2 with wrong
/// data`.
pub fn summary(data: &Dataset, name: &Path) -> String {
    let found = format!("{} samples in {}", data.samples.len(), output_name(name));
    let kinds = [
        (RejectionReason::Late, "late"),
        (RejectionReason::WrongData, "with wrong data"),
    ];
    let counts = kinds
        .iter()
        .map(|(reason, words)| (rejected_count(data, *reason), words));
    let nonzero_counts = counts.filter(|(count, _)| *count > 0);
    let rejections = nonzero_counts
        .map(|(count, words)| format!("{count} {words}"))
        .join(", ");
    match rejections.as_str() {
        "" => found,
        _ => format!("{found}; rejected: {rejections}"),
    }
}

/// A warning about cells with busy processors.
pub fn busy_warning(data: &Dataset) -> Option<String> {
    let busy = processors::busy_cells(data);
    let CellKey { procs, size, .. } = busy.first()?;
    let cells = counted(busy.len() as u64, "cell", "cells");
    Some(format!(
        "processes waited for processors half of the time in {cells} (first: {procs} processes, {size}): these times are the machine's, not the network's; give each process a processor, or take fewer processes or a slower emulated network"
    ))
}

/// Number of repetitions rejected for `reason`.
pub fn rejected_count(data: &Dataset, reason: RejectionReason) -> usize {
    let all = data.rejected.iter();
    all.filter(|rejected| rejected.reason == reason).count()
}
