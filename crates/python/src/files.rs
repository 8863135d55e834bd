//! The files of this machine: reads them, and replaces them completely or not at all.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use netsig_core::network::named::Files;
use netsig_core::text::refusal::Refusal;
use pyo3::prelude::*;
use tempfile::NamedTempFile;

use crate::error;

/// The files of this machine, for core.
pub struct Disk;

impl Files for Disk {
    fn has(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn text(&self, path: &Path) -> io::Result<String> {
        std::fs::read_to_string(path)
    }
}

/// A path from a `str` or an object with `__fspath__`, with its text.
///
/// # Errors
/// If the object is no path.
pub fn path(object: &Bound<'_, PyAny>) -> PyResult<(PathBuf, String)> {
    let path: OsString = object.extract().or_else(|_| {
        let path: PathBuf = object.extract()?;
        Ok::<_, PyErr>(path.into_os_string())
    })?;
    let path = PathBuf::from(path);
    let text = path.display().to_string();
    Ok((path, text))
}

/// Opens or reads a file with `open`.
///
/// # Errors
/// If the file cannot be read.
pub fn read<T>(
    py: Python<'_>,
    (path, name): (&Path, &str),
    open: impl FnOnce(&Path) -> io::Result<T> + Send,
) -> PyResult<T>
where
    T: Send,
{
    let opened = py.detach(|| open(path));
    opened.map_err(|error| error::of_file(py, Refusal::unreadable(name, &error), &error))
}

/// Reads a file as text.
///
/// # Errors
/// If the file cannot be read as text.
pub fn text(py: Python<'_>, named: (&Path, &str)) -> PyResult<String> {
    read(py, named, |path| std::fs::read_to_string(path))
}

/// Replaces a file by the output of `content`, completely or not at all.
///
/// # Errors
/// If the directory cannot be written.
pub fn replace(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send,
) -> PyResult<()> {
    let (path, name) = path(object)?;
    let written = py.detach(|| write(&path, content));
    written.map_err(|error| {
        let text = format!("{name}: cannot be written ({error}); choose another path");
        error::of_file(py, text, &error)
    })
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // Behind symbolic links, whose file is replaced and not they.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let parent = target.parent().filter(|own| !own.as_os_str().is_empty());
    let draft = NamedTempFile::new_in(parent.unwrap_or(Path::new(".")))?;
    let mut out = io::BufWriter::new(draft);
    content(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let file = file.persist(target).map_err(|error| error.error)?;
    // Temporary files are private.
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}
