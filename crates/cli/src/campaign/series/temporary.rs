//! Temporary files for the ranks, in the folder of the data, to which rank 0 has access.

use std::path::{Path, PathBuf};

use anyhow::Context;
use itertools::Either;
use tempfile::TempPath;

use crate::input::asked::Asked;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt::Temporary;
use crate::job::launch::absolute;

/// The plan file for the ranks: the user's own, or, if options changed the plan, a temporary file
/// beside `output`.
///
/// # Errors
/// If the file cannot be written.
pub fn plan_file(asked: &Asked, output: &Path) -> Result<Either<PathBuf, Temporary<TempPath>>, Failure> {
    if asked.is_file {
        return absolute(&asked.file).map(Either::Left);
    }
    let file = beside(output, ".toml")?;
    std::fs::write(&*file, &asked.text).with_context(|| format!("{}: cannot be written", file.display()))?;
    Ok(Either::Right(file))
}

/// Creates an empty file beside `output`, or, where that is no regular file, in the current folder.
///
/// # Errors
/// If the file cannot be created.
pub fn beside(output: &Path, suffix: &str) -> Result<Temporary<TempPath>, Failure> {
    let destination = Destination::of(output).map_err(|what| Failure::usage(what).about(output))?;
    let folder = absolute(destination.folder())?;
    let made = Temporary::new(|| {
        let mut builder = tempfile::Builder::new();
        let file = builder.prefix("netsig-").suffix(suffix);
        let file = file.tempfile_in(folder)?;
        Ok(file.into_temp_path())
    });
    Ok(made.with_context(|| files::unwritable(output))?)
}
