//! The samples that a measurement left in its data file, complete or interrupted.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, Result};
use netsig_core::data::{Dataset, Provenance, Rejection, VOID};

/// How many samples are kept in `data`, in words, and how to measure the rest. A file
/// without data is removed.
pub fn or_removed(data: &Path) -> String {
    let count = samples(data);
    if count == 0 {
        // There may be no file at all.
        let _ = std::fs::remove_file(data);
        return "nothing was measured".to_owned();
    }
    in_words(data, count)
}

/// The same, with the file left as it is.
pub fn so_far(data: &Path) -> String {
    in_words(data, samples(data))
}

fn in_words(data: &Path, count: usize) -> String {
    format!(
        "{count} samples are kept in {}; --resume measures the rest",
        data.display()
    )
}

/// Lines and not samples: what a full disk cut off is not worth the rest.
fn samples(data: &Path) -> usize {
    let Ok(file) = File::open(data) else { return 0 };
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    let mut rows: usize = 0;
    // The last one may be torn.
    while lines.read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
        rows += usize::from(!line.starts_with(b"#"));
        line.clear();
    }
    // The first names the columns.
    rows.saturating_sub(1)
}

/// Marks data that must not be used.
///
/// # Errors
/// If the file cannot be written.
pub fn mark_void(data: &Path, reason: &str) -> Result<()> {
    if !data.exists() {
        return Ok(());
    }
    let what = || format!("{}: cannot be marked as void; delete it", data.display());
    let mut mark = Provenance::default();
    mark.push(VOID, reason);
    let mut file = OpenOptions::new()
        .append(true)
        .open(data)
        .with_context(what)?;
    mark.write(&mut file)
        .and_then(|()| file.flush())
        .with_context(what)
}

/// What there is in `data`, in words: `1980 samples in data.csv; rejected: 10 late, 2 with
/// wrong data`.
pub fn summary(data: &Dataset, name: &Path) -> String {
    let found = format!("{} samples in {}", data.samples.len(), name.display());
    let kinds = [
        (Rejection::Late, "late"),
        (Rejection::WrongData, "with wrong data"),
    ];
    let counts = kinds.map(|(reason, words)| (rejected(data, reason), words));
    let told: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    match told[..] {
        [] => found,
        _ => format!("{found}; rejected: {}", told.join(", ")),
    }
}

/// How many repetitions were rejected for `reason`.
pub fn rejected(data: &Dataset, reason: Rejection) -> usize {
    let all = data.rejected.iter();
    all.filter(|rejected| rejected.reason == reason).count()
}
