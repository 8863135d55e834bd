//! An unfinished output: a temporary file, which finally replaces the file of its destination, or is written through to
//! a pipe or device.

use std::fs::{File, Metadata, Permissions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::NamedTempFile;

use crate::input::destination::Destination;
use crate::input::files::{parent, unwritable};
use crate::input::interrupt::{self, RemovalRegistration};

/// An unfinished output.
#[derive(Debug)]
pub struct OutputDraft {
    file: BufWriter<DraftFile>,
    /// The path as given by the user.
    path: PathBuf,
}

/// The temporary file of a draft, and where its content will go.
#[derive(Debug)]
enum DraftFile {
    /// In the folder of the file that it replaces.
    InFolder(NamedTempFile, PathBuf, RemovalRegistration),
    /// Without a name, for content that is written through.
    Unnamed(File, Destination),
}

/// The mode of a new file, before the umask takes from it.
const NEW_MODE: u32 = 0o666;

/// The mode of a draft before it takes over the mode of the replaced file: nobody else can read it.
const PRIVATE_MODE: u32 = 0o600;

impl OutputDraft {
    /// Begins a draft for `destination`, which the user names `path`.
    ///
    /// # Errors
    /// If there is no room for the temporary file.
    pub fn begin(path: &Path, destination: &Destination) -> anyhow::Result<Self> {
        Ok(Self {
            file: BufWriter::new(DraftFile::new(destination).with_context(|| unwritable(path))?),
            path: path.to_owned(),
        })
    }

    /// The message that the draft cannot be written, with a remedy.
    pub fn unwritable(&self) -> String {
        unwritable(&self.path)
    }

    /// Brings the finished draft to its destination.
    ///
    /// # Errors
    /// If the destination cannot be written.
    pub fn publish(self) -> anyhow::Result<()> {
        let flushed = self.file.into_inner();
        let spool = flushed.map_err(io::IntoInnerError::into_error);
        let published = spool.and_then(DraftFile::publish);
        published.with_context(|| unwritable(&self.path))
    }
}

impl DraftFile {
    fn new(destination: &Destination) -> io::Result<Self> {
        let Destination::Regular(target) = destination else {
            return Ok(Self::Unnamed(tempfile::tempfile()?, destination.clone()));
        };
        let (file, registration) = interrupt::register(|| {
            let mut builder = tempfile::Builder::new();
            let mode = if target.exists() { PRIVATE_MODE } else { NEW_MODE };
            let configured_builder = builder.permissions(Permissions::from_mode(mode));
            configured_builder.tempfile_in(parent(target))
        })?;
        Ok(Self::InFolder(file, target.clone(), registration))
    }

    fn publish(self) -> io::Result<()> {
        match self {
            Self::InFolder(file, target, registration) => {
                replace_target(file, &target)?;
                drop(registration);
                Ok(())
            }
            Self::Unnamed(mut file, destination) => {
                file.rewind()?;
                destination.write_through(&mut file)
            }
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::InFolder(file, ..) => file,
            Self::Unnamed(file, _) => file,
        }
    }
}

impl Write for OutputDraft {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Write for DraftFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.writer().write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

/// Replaces `target` by a finished file once the disk has it. The file takes over the owner and mode of `target`.
fn replace_target(file: NamedTempFile, target: &Path) -> io::Result<()> {
    if let Ok(replaced) = target.metadata() {
        take_over(file.as_file(), &replaced)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    // Not every file system can sync a folder; the file is whole in any case.
    let _ = File::open(parent(target)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Sets the mode of a file, and as far as the system allows its owner, to those of the `replaced` file.
fn take_over(file: &File, replaced: &Metadata) -> io::Result<()> {
    let metadata = file.metadata()?;
    let (user, group) = (replaced.uid(), replaced.gid());
    if (metadata.uid(), metadata.gid()) != (user, group) && fchown(file, Some(user), Some(group)).is_err() {
        // Only root can give files away; other users can still keep a group of their own.
        let _ = fchown(file, None, Some(group));
    }
    file.set_permissions(replaced.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_no_more_open_than_what_it_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("own");
        std::fs::write(&target, "").unwrap();
        let spool = DraftFile::new(&Destination::Regular(target)).unwrap();
        let DraftFile::InFolder(file, ..) = &spool else {
            panic!("{spool:?} is not beside its target");
        };
        let mode = file.as_file().metadata().unwrap().mode();
        assert_eq!(mode & 0o777, PRIVATE_MODE);
    }
}
