//! Reading the files that the user names.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::Context;
use netsig_core::data::{Dataset, import};
use netsig_core::model::plogp::PLogP;
use netsig_core::profile::Profile;

use crate::input::failure::Failure;

/// The text of a file that the user named.
///
/// # Errors
/// If it cannot be read as text.
pub fn text(path: &Path) -> Result<String, Failure> {
    read(path, |path| std::fs::read_to_string(path))
}

/// Opens or reads a file that the user names, with `open`.
///
/// # Errors
/// If it cannot be read.
pub fn read<T>(path: &Path, open: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, Failure> {
    open(path)
        .with_context(|| format!("{}: cannot be read; check the path", path.display()))
        .map_err(Failure::unusable)
}

/// The data of a file that the user named.
///
/// # Errors
/// If it is not a data file.
pub fn dataset(path: &Path) -> Result<Dataset, Failure> {
    let file = read(path, |path| File::open(path))?;
    let data = Dataset::read(&path.display().to_string(), file);
    data.map_err(|error| foreign(path).unwrap_or_else(|| error.into()))
}

/// That a file was printed by another benchmark program, if so.
fn foreign(path: &Path) -> Option<Failure> {
    let program = import::printed_by(&text(path).ok()?)?;
    let shown = path.display();
    Some(Failure::usage(format!(
        "{shown}: was printed by another program; turn it into data with `netsig import {program} {shown} -o DATA`"
    )))
}

/// The same, if the data are not marked as void.
///
/// # Errors
/// If it is not a data file, or void.
pub fn usable_dataset(path: &Path) -> Result<Dataset, Failure> {
    let data = dataset(path)?;
    refuse_void(&data, path)?;
    Ok(data)
}

/// Refuses data that are marked as void.
///
/// # Errors
/// If they are.
pub fn refuse_void(data: &Dataset, path: &Path) -> Result<(), Failure> {
    match data.void() {
        None => Ok(()),
        Some(reason) => {
            Err(Failure::data(format!("the data are void: {reason}; measure again")).about(path))
        }
    }
}

/// The profile of a file that the user named.
///
/// # Errors
/// If it is not a profile.
pub fn profile(path: &Path) -> Result<Profile, Failure> {
    Ok(Profile::parse(&path.display().to_string(), &text(path)?)?)
}

/// The pLogP tables of a profile that the user named.
///
/// # Errors
/// If it is not a profile, or has none.
pub fn plogp(path: &Path) -> Result<PLogP, Failure> {
    let problem = "has no [plogp]; name a profile with its tables";
    let tables = profile(path)?.plogp;
    tables.ok_or_else(|| Failure::data(problem).about(path))
}

/// That a file cannot be written, and what to do.
pub fn unwritable(path: &Path) -> String {
    format!("{}: cannot be written; choose another path", path.display())
}

/// The directory that a file is in.
pub fn parent(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}
