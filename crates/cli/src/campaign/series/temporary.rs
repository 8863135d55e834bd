//! Temporary files for the ranks. They lie beside the data, where rank 0 can read and write.

use std::path::{Path, PathBuf};

use anyhow::Context;
use itertools::Either;
use tempfile::{NamedTempFile, TempPath};

use crate::input::asked::Asked;
use crate::input::failure::Failure;
use crate::input::files;
use crate::job::launch::absolute;

/// A file that tells the ranks what `asked` says: the user's own, or where options changed the
/// plan, a temporary one beside `output`.
///
/// # Errors
/// If it cannot be written.
pub fn plan_file(asked: &Asked, output: &Path) -> Result<Either<PathBuf, TempPath>, Failure> {
    if asked.is_file {
        return absolute(&asked.file).map(Either::Left);
    }
    let file = beside(output, ".toml")?.into_temp_path();
    std::fs::write(&file, &asked.text)
        .with_context(|| format!("{}: cannot be written", file.display()))?;
    Ok(Either::Right(file))
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
