//! Temporary files for the ranks. They lie beside the data, where rank 0 can read and write.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::input::asked::Asked;
use crate::input::files;
use crate::job::launch::absolute;

/// The file that tells the ranks a plan.
pub enum PlanFile {
    /// The user's own.
    Named(PathBuf),
    /// A temporary one, where options changed the plan.
    Temporary(NamedTempFile),
}

impl PlanFile {
    /// A file that says `asked`, beside `output` if it must be written.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn of(asked: &Asked, output: &Path) -> Result<Self, Failure> {
        if asked.is_file {
            return absolute(&asked.file).map(Self::Named);
        }
        let mut file = beside(output, ".toml")?;
        file.write_all(asked.text.as_bytes())
            .with_context(|| format!("{}: cannot be written", file.path().display()))?;
        Ok(Self::Temporary(file))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::Temporary(file) => file.path(),
        }
    }
}

/// An empty file beside `output`.
///
/// # Errors
/// If it cannot be made.
pub fn beside(output: &Path, suffix: &str) -> Result<NamedTempFile, Failure> {
    let output = absolute(output)?;
    let made = tempfile::Builder::new()
        .prefix("netsig-")
        .suffix(suffix)
        .tempfile_in(files::parent(&output));
    Ok(made.with_context(|| files::unwritable(&output))?)
}
