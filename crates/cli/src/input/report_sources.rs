//! The files of a report: profiles and data.

use std::path::{Path, PathBuf};

use netsig_render::report::NamedSources;

use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;

/// Reads the files of a page.
///
/// # Errors
/// If a file is named twice, is neither data nor a profile, is void, or has no repetition.
pub fn read(paths: &[PathBuf]) -> Result<NamedSources, Failure> {
    files::refuse_twice(paths)?;
    let mut sources = NamedSources::default();
    for path in paths {
        read_into(&mut sources, path)?;
    }
    Ok(sources)
}

/// Reads a profile or data. A pipe is read once.
fn read_into(sources: &mut NamedSources, path: &Path) -> Result<(), Failure> {
    let name = files::name(path);
    let text = if files::is_lasting(path) {
        None
    } else {
        Some(files::text(path)?)
    };
    let is_profile = match &text {
        None => FileKind::Profile.is_kind_of_file(path)?,
        Some(text) => FileKind::Profile.is_kind_of_text(text),
    };
    if is_profile {
        let profile = match &text {
            None => files::profile(path)?,
            Some(text) => files::profile_of(path, text)?,
        };
        sources.profiles.push((name, profile));
        return Ok(());
    }
    let data = match &text {
        None => files::dataset(path)?,
        Some(text) => files::dataset_of(path, text)?,
    };
    files::refuse_void(&data, path)?;
    Ok(sources.add_data(name, data)?)
}
