//! The samples that a measurement left in its data file, complete or interrupted.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use itertools::Itertools;
use netsig_core::data::{Dataset, Provenance, Rejection, VOID};

/// The bytes of a data file, whose last line may be torn.
pub struct Written(Vec<u8>);

impl Written {
    /// Reads them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(data: &Path) -> Result<Self> {
        let what = || format!("{}: cannot be read; check the path", data.display());
        std::fs::read(data).map(Self).with_context(what)
    }

    /// The whole lines.
    pub fn whole(&self) -> &[u8] {
        let last = self.0.iter().rposition(|&byte| byte == b'\n');
        &self.0[..last.map_or(0, |last| last + 1)]
    }

    /// How much there is altogether.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// How many whole lines are no provenance: the first names the columns.
    pub fn rows(&self) -> usize {
        self.lines().filter(|line| !line.starts_with(b"#")).count()
    }

    /// Whether there is provenance alone, as it stands in data files of netsig.
    pub fn is_provenance(&self) -> bool {
        let may_begin_so = self.0.is_empty() || self.0.starts_with(b"#");
        may_begin_so && self.lines().all(|line| line.starts_with(b"#@"))
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.whole().split_inclusive(|&byte| byte == b'\n')
    }
}

/// How many samples are kept in `data`, in words, and how to measure the rest. A file
/// without data is removed.
pub fn or_removed(data: &Path) -> String {
    if samples(data) > 0 {
        return so_far(data);
    }
    // There may be no file at all.
    let _ = std::fs::remove_file(data);
    "nothing was measured".to_owned()
}

/// The same, with the file left as it is.
pub fn so_far(data: &Path) -> String {
    format!(
        "{} samples are kept in {}; --resume measures the rest",
        samples(data),
        data.display()
    )
}

/// Lines and not samples: what a full disk cut off is not worth the rest.
fn samples(data: &Path) -> usize {
    Written::read(data).map_or(0, |written| written.rows().saturating_sub(1))
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
    let counts = kinds
        .iter()
        .map(|(reason, words)| (rejected(data, *reason), words));
    let told = counts.filter(|(count, _)| *count > 0);
    let told = told
        .map(|(count, words)| format!("{count} {words}"))
        .join(", ");
    match told.as_str() {
        "" => found,
        _ => format!("{found}; rejected: {told}"),
    }
}

/// How many repetitions were rejected for `reason`.
pub fn rejected(data: &Dataset, reason: Rejection) -> usize {
    let all = data.rejected.iter();
    all.filter(|rejected| rejected.reason == reason).count()
}
