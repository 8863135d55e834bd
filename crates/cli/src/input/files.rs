//! Reads the files that the user names.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use itertools::Itertools as _;
use netsig_base::data::{Dataset, import};
use netsig_base::network::ClusterGrid;
use netsig_base::network::named::FileAccess;
use netsig_base::text::decoded;
use netsig_base::text::refusal::Refusal;
use netsig_model::fit::accepted;
use netsig_model::model::plogp::PLogP;
use netsig_model::profile::Profile;

use crate::input::failure::Failure;
use crate::input::file_kind::{FileKind, head_of_file, head_of_text};
use crate::input::identity::identity_of_input;
use crate::input::standard;

/// The files of this machine, for the pure crates.
#[derive(Debug, Clone, Copy)]
pub struct UserFiles;

impl FileAccess for UserFiles {
    fn has(&self, path: &Path) -> bool {
        standard::is_dash(path) || path.is_file()
    }

    fn text(&self, path: &Path) -> io::Result<String> {
        let bytes = bytes(path)?.ok_or_else(|| io::Error::other("it is named twice"))?;
        decoded::text(bytes).map_err(io::Error::other)
    }

    fn name(&self, path: &Path) -> String {
        name(path)
    }
}

/// The name of an input in messages.
pub fn name(path: &Path) -> String {
    standard::input_name(path).to_string()
}

/// Reads a file as text, in any of the encodings that netsig reads; `-` is standard input.
///
/// # Errors
/// If the file cannot be read as text.
pub fn text(path: &Path) -> Result<String, Failure> {
    let bytes = read(path, bytes)?.ok_or_else(|| Refusal::named_twice(name(path)))?;
    decoded::text(bytes).map_err(|error| Failure::unusable(error).about(path))
}

/// The content of a file; `None` for standard input that was read before.
fn bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    if standard::is_dash(path) {
        return standard::read();
    }
    if is_lasting(path) {
        return std::fs::read(path).map(Some);
    }
    standard::until_end(File::open(path)?).map(Some)
}

/// Opens or reads a file with `open`.
///
/// # Errors
/// If the file cannot be read.
pub fn read<T>(path: &Path, open: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, Failure> {
    open(path).map_err(|error| Refusal::unreadable(name(path), error).into())
}

/// True for a file that can be read again; false for standard input by `-`, pipes and devices.
pub fn is_lasting(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !is_stream(&found)) && !standard::is_dash(path)
}

fn is_stream(found: &Metadata) -> bool {
    let kind = found.file_type();
    kind.is_fifo() || kind.is_char_device() || kind.is_socket()
}

/// Reads a data file.
///
/// # Errors
/// If the file is no data file.
pub fn dataset(path: &Path) -> Result<Dataset, Failure> {
    if !is_lasting(path) {
        return dataset_of(path, &text(path)?);
    }
    let file = read(path, |path| File::open(path))?;
    Dataset::read(&name(path), file).map_err(|error| match head_of_file(path) {
        Ok(text) => foreign(FileKind::Data, path, &text).unwrap_or_else(|| error.into()),
        Err(_) => error.into(),
    })
}

/// Reads the text of a data file.
///
/// # Errors
/// If the text is no data file.
pub fn dataset_of(path: &Path, text: &str) -> Result<Dataset, Failure> {
    let data = Dataset::read(&name(path), text.as_bytes());
    data.map_err(|error| foreign(FileKind::Data, path, text).unwrap_or_else(|| error.into()))
}

/// The refusal of a file of another kind or program that the user named as a `wanted` file.
fn foreign(wanted: FileKind, path: &Path, text: &str) -> Option<Failure> {
    let name = name(path);
    let misnamed = wanted.misnamed(&name, text);
    let other = misnamed.or_else(|| import::refuse_other_output(&name, head_of_text(text)));
    other.map(Failure::from)
}

/// Refuses a file that is named twice, also by two paths.
///
/// # Errors
/// If a file is named twice.
pub fn refuse_twice(paths: &[PathBuf]) -> Result<(), Failure> {
    let identity_or_path = |path: &&PathBuf| identity_of_input(path).ok_or((*path).clone());
    match paths.iter().duplicates_by(identity_or_path).next() {
        Some(path) => Err(Refusal::named_twice(name(path)).into()),
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
    Ok(accepted::refuse_void(data, &name(path))?)
}

/// Reads a profile.
///
/// # Errors
/// If the file is no profile.
pub fn profile(path: &Path) -> Result<Profile, Failure> {
    profile_of(path, &text(path)?)
}

/// Reads the text of a profile.
///
/// # Errors
/// If the text is no profile.
pub fn profile_of(path: &Path, text: &str) -> Result<Profile, Failure> {
    Profile::parse(&name(path), text)
        .map_err(|error| foreign(FileKind::Profile, path, text).unwrap_or_else(|| error.into()))
}

/// Reads the pLogP tables of a profile.
///
/// # Errors
/// If the file is no profile, or has no tables.
pub fn plogp(path: &Path) -> Result<PLogP, Failure> {
    Ok(profile(path)?.tables(&name(path))?)
}

/// Reads the clusters of hosts, from a file of their own or from a profile.
///
/// # Errors
/// If the file names no clusters.
pub fn grid(path: &Path) -> Result<ClusterGrid, Failure> {
    let (name, text) = (name(path), text(path)?);
    let found = ClusterGrid::parse(&name, &text);
    let of_profile = || Profile::parse(&name, &text).ok()?.grid();
    match found {
        Ok(grid) => Ok(grid),
        Err(error) => of_profile().ok_or_else(|| error.into()),
    }
}

/// The message that a file cannot be written, with a remedy.
pub fn unwritable(path: &Path) -> String {
    let shown = standard::output_name(path);
    format!("{shown}: cannot be written; choose another path")
}

/// The directory of a file.
pub fn parent(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}
