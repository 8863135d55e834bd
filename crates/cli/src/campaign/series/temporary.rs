//! Temporary files for the ranks, in the folder of the data, to which rank 0 has access.

use std::path::{Path, PathBuf};

use anyhow::Context;
use itertools::Either;
use tempfile::TempPath;

use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt::Temporary;
use crate::input::loaded_plan::LoadedPlan;
use crate::job::launch::absolute_path;

/// The plan file for the ranks: the user's own, or, if options changed the plan, a temporary file
/// beside `output`.
///
/// # Errors
/// If the file cannot be written.
pub fn plan_file(loaded_plan: &LoadedPlan, output: &Path) -> Result<Either<PathBuf, Temporary<TempPath>>, Failure> {
    if loaded_plan.is_text_of_file {
        return absolute_path(&loaded_plan.file).map(Either::Left);
    }
    let file = create_beside(output, ".toml")?;
    std::fs::write(&*file, &loaded_plan.text).with_context(|| format!("{}: cannot be written", file.display()))?;
    Ok(Either::Right(file))
}

/// Creates an empty file beside `output`, or in the current folder if `output` is no regular file.
///
/// # Errors
/// If the file cannot be created.
pub fn create_beside(output: &Path, suffix: &str) -> Result<Temporary<TempPath>, Failure> {
    let destination = Destination::of(output).map_err(|problem| Failure::usage(problem).about(output))?;
    let folder = absolute_path(destination.folder())?;
    let made = Temporary::new(|| {
        let mut builder = tempfile::Builder::new();
        let file_builder = builder.prefix("netsig-").suffix(suffix);
        let file = file_builder.tempfile_in(folder)?;
        Ok(file.into_temp_path())
    });
    Ok(made.with_context(|| files::unwritable(output))?)
}
