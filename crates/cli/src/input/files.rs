//! Reading what the user names, and replacing files whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use netsig_core::data::Dataset;
use netsig_core::model::plogp::PLogP;
use netsig_core::profile::Profile;
use tempfile::NamedTempFile;

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
pub fn read<T>(path: &Path, open: impl Fn(&Path) -> io::Result<T>) -> Result<T, Failure> {
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
    Ok(Dataset::read(&path.display().to_string(), file)?)
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

/// Refuses an output path where there is a file already.
///
/// # Errors
/// If there is one.
pub fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        let problem = "exists already; choose another --output or remove it";
        return Err(Failure::usage(problem).about(path));
    }
    Ok(())
}

/// Refuses an output path in a directory that cannot be written, before any work is done.
///
/// # Errors
/// If it is such a path.
pub fn refuse_unwritable(path: &Path) -> Result<(), Failure> {
    let target = target(path).map_err(Failure::unusable)?;
    tempfile::tempfile_in(parent(&target))
        .map(drop)
        .with_context(|| unwritable(path))
        .map_err(Failure::unusable)
}

/// Puts `content` in the place of the file `path`: all of it, or nothing on failure.
///
/// # Errors
/// If the directory cannot be written.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    write(path, |out| out.write_all(content))
}

/// The same of all that `content` writes.
///
/// # Errors
/// If the directory cannot be written.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::new(draft(path)?);
    let written = content(&mut out).and_then(|()| Ok(out.into_inner()?));
    publish(written.with_context(|| unwritable(path))?, path)
}

/// A file to be written piece by piece that [`publish`] puts in the place of `path`.
///
/// # Errors
/// If the directory cannot be written.
pub fn draft(path: &Path) -> Result<NamedTempFile> {
    NamedTempFile::new_in(parent(&target(path)?)).with_context(|| unwritable(path))
}

/// Puts a finished draft in its place.
///
/// # Errors
/// If the directory cannot be written.
pub fn publish(draft: NamedTempFile, path: &Path) -> Result<()> {
    let what = || unwritable(path);
    let file = draft
        .persist(target(path)?)
        .map_err(|error| error.error)
        .with_context(what)?;
    readable(&file).with_context(what)
}

/// The file that `path` leads to, if there is one, else `path`.
///
/// # Errors
/// If something else is there, such as a device, which no file may take the place of.
fn target(path: &Path) -> Result<PathBuf> {
    let Ok(found) = path.canonicalize() else {
        return Ok(path.to_owned());
    };
    ensure!(
        found.is_file(),
        "{}: is not a regular file; choose another path",
        path.display()
    );
    Ok(found)
}

/// Why and what to do.
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

/// Temporary files are private; what netsig writes is as readable as any file.
fn readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}
