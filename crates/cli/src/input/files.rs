//! Reads the files that the user names.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use itertools::Itertools as _;
use netsig_core::data::{Dataset, import};
use netsig_core::fit::accepted;
use netsig_core::model::plogp::PLogP;
use netsig_core::network::Grid;
use netsig_core::profile::Profile;
use netsig_core::text::refusal::Refusal;

use crate::input::failure::Failure;
use crate::input::kind::Kind;

/// Reads a file as text.
///
/// # Errors
/// If the file cannot be read as text.
pub fn text(path: &Path) -> Result<String, Failure> {
    read(path, |path| std::fs::read_to_string(path))
}

/// Opens or reads a file with `open`.
///
/// # Errors
/// If the file cannot be read.
pub fn read<T>(path: &Path, open: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, Failure> {
    open(path).map_err(|error| Refusal::unreadable(path.display(), error).into())
}

/// Reads a data file.
///
/// # Errors
/// If the file is no data file.
pub fn dataset(path: &Path) -> Result<Dataset, Failure> {
    let file = read(path, |path| File::open(path))?;
    let name = path.display().to_string();
    Dataset::read(&name, file).map_err(|error| {
        let foreign = text(path).ok().and_then(|text| {
            let other = Kind::TAKEN_FOR_DATA.iter().find(|kind| kind.is_of(&text));
            let other = other.map(|kind| format!("is {kind} and not data; name data files"));
            let other = other.map(|what| Refusal::request(what).about(&name));
            other.or_else(|| import::foreign(&name, &text))
        });
        foreign.map_or_else(|| error.into(), Failure::from)
    })
}

/// Refuses a file that is named twice, also by two paths.
///
/// # Errors
/// Names the file.
pub fn refuse_twice(paths: &[PathBuf]) -> Result<(), Failure> {
    let place = |path: &&PathBuf| path.canonicalize().unwrap_or_else(|_| (*path).clone());
    match paths.iter().duplicates_by(place).next() {
        Some(path) => Err(Refusal::named_twice(path.display()).into()),
        None => Ok(()),
    }
}

/// Reads a data file, and refuses void data.
///
/// # Errors
/// If the file is no data file, or void.
pub fn usable_dataset(path: &Path) -> Result<Dataset, Failure> {
    let data = dataset(path)?;
    refuse_void(&data, path)?;
    Ok(data)
}

/// Refuses data that are marked as void.
///
/// # Errors
/// If the data are void.
pub fn refuse_void(data: &Dataset, path: &Path) -> Result<(), Failure> {
    Ok(accepted::refuse_void(data, &path.display().to_string())?)
}

/// Reads a profile.
///
/// # Errors
/// If the file is no profile.
pub fn profile(path: &Path) -> Result<Profile, Failure> {
    Ok(Profile::parse(&path.display().to_string(), &text(path)?)?)
}

/// Reads the pLogP tables of a profile.
///
/// # Errors
/// If the file is no profile, or has no tables.
pub fn plogp(path: &Path) -> Result<PLogP, Failure> {
    Ok(profile(path)?.tables(&path.display().to_string())?)
}

/// Reads the clusters of hosts, from a file of their own or from a profile.
///
/// # Errors
/// If the file names no clusters.
pub fn grid(path: &Path) -> Result<Grid, Failure> {
    let (name, text) = (path.display().to_string(), text(path)?);
    let found = Grid::parse(&name, &text);
    let of_profile = || Profile::parse(&name, &text).ok()?.grid();
    match found {
        Ok(grid) => Ok(grid),
        Err(error) => of_profile().ok_or_else(|| error.into()),
    }
}

/// The message that a file cannot be written, with a remedy.
pub fn unwritable(path: &Path) -> String {
    format!("{}: cannot be written; choose another path", path.display())
}

/// The directory of a file.
pub fn parent(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}
