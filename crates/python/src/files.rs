//! The files of this machine: reads them, and replaces them completely or not at all.

use std::ffi::OsString;
use std::fs::{Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use netsig_base::network::named::FileAccess;
use netsig_base::text::decoded;
use netsig_base::text::refusal::Refusal;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tempfile::NamedTempFile;

use crate::error;
use crate::foreign_frame::conversion;

/// The files of this machine, for the pure crates.
pub struct PyLocalFiles;

impl FileAccess for PyLocalFiles {
    fn has(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn text(&self, path: &Path) -> io::Result<String> {
        decoded::text(std::fs::read(path)?).map_err(io::Error::other)
    }
}

/// The path of a `str` or an object with `__fspath__`, with its text.
///
/// # Errors
/// If the object is no path.
pub fn path(object: &Bound<'_, PyAny>) -> PyResult<(PathBuf, String)> {
    let path: PathBuf = match object.extract::<OsString>() {
        Ok(path) => path.into(),
        Err(_) => object.extract().map_err(|_| no_path(object))?,
    };
    let text = path.display().to_string();
    Ok((path, text))
}

fn no_path(object: &Bound<'_, PyAny>) -> PyErr {
    let remedy = if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        "give its paths one by one: netsig.read_data(*paths)"
    } else if let Some(call) = conversion(object) {
        &format!("give {call}")
    } else {
        "give a str or an os.PathLike"
    };
    error::of_type(object, "a path", remedy)
}

/// Opens or reads a file with `open`; `name` is the file's name in errors.
///
/// # Errors
/// If the file cannot be read.
pub fn read<T>(py: Python<'_>, path: &Path, name: &str, open: impl FnOnce(&Path) -> io::Result<T> + Send) -> PyResult<T>
where
    T: Send,
{
    let opened = py.detach(|| open(path));
    opened.map_err(|error| error::of_file(py, Refusal::unreadable(name, &error), &error))
}

/// Reads a file as text, in any of the encodings that netsig reads.
///
/// # Errors
/// If the file cannot be read as text.
pub fn text(py: Python<'_>, path: &Path, name: &str) -> PyResult<String> {
    read(py, path, name, |path| PyLocalFiles.text(path))
}

/// Replaces a file by the output of `content`, completely or not at all; a pipe or device is written through.
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
    let found = path.metadata().ok();
    let target = follow_links(path);
    match found {
        Some(found) if found.file_type().is_block_device() => Err(io::Error::other("it is a block device")),
        Some(found) if !found.is_file() || is_descriptor(&target) => {
            let file = OpenOptions::new().append(true).open(path)?;
            let mut out = io::BufWriter::new(file);
            content(&mut out)?;
            out.flush()
        }
        found => {
            let draft = draft(&target, found.as_ref(), content)?;
            draft.persist(target).map_err(|error| error.error)?;
            Ok(())
        }
    }
}

/// The finished file beside `target`, on the disk, with the mode of the `replaced` file and, if the system allows,
/// its owner.
fn draft(
    target: &Path,
    replaced: Option<&Metadata>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let parent = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    // The umask applies to the mode of a new file; a replacement is private until it gets the former mode.
    let mode = if replaced.is_some() { 0o600 } else { 0o666 };
    let configured_builder = builder.permissions(Permissions::from_mode(mode));
    let mut out = io::BufWriter::new(configured_builder.tempfile_in(parent.unwrap_or(Path::new(".")))?);
    content(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(replaced) = replaced {
        let _ = fchown(file.as_file(), Some(replaced.uid()), Some(replaced.gid()));
        file.as_file().set_permissions(replaced.permissions())?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// True for an open descriptor of this process, whose file is not replaced.
fn is_descriptor(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.is_some() && folder == Path::new("/proc/self/fd").canonicalize().ok()
}

/// The path behind symbolic links, up to an open descriptor; its file need not exist.
fn follow_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // No more links than the kernel follows.
    for _ in 0..40 {
        if is_descriptor(&path) {
            break;
        }
        match (path.read_link(), path.parent()) {
            (Ok(link), Some(parent)) => path = parent.join(link),
            _ => break,
        }
    }
    path
}
