//! An unfinished output: a temporary file, which at last replaces the file of its destination, or is written
//! through to a pipe or device.

use std::fs::{File, Metadata, Permissions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::NamedTempFile;

use crate::input::destination::Destination;
use crate::input::files::{parent, unwritable};
use crate::input::interrupt::{self, Registration};

/// An unfinished output.
#[derive(Debug)]
pub struct Draft {
    file: BufWriter<Spool>,
    /// The path as given by the user.
    path: PathBuf,
}

/// The temporary file of a draft, and where its content will go.
#[derive(Debug)]
enum Spool {
    /// In the folder of the file that it replaces.
    Beside(NamedTempFile, PathBuf, Registration),
    /// Without a name, for content that is written through.
    Apart(File, Destination),
}

/// The mode of a new file, before the umask takes from it.
const NEW_MODE: u32 = 0o666;

/// The mode of a draft that takes over another one at last: nobody else reads it before.
const OWN_MODE: u32 = 0o600;

impl Draft {
    /// Begins a draft for `destination`, which the user names `path`.
    ///
    /// # Errors
    /// If there is no room for the temporary file.
    pub fn begin(path: &Path, destination: &Destination) -> anyhow::Result<Self> {
        Ok(Self {
            file: BufWriter::new(Spool::new(destination).with_context(|| unwritable(path))?),
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
        let spool = self.file.into_inner();
        let spool = spool.map_err(io::IntoInnerError::into_error);
        let published = spool.and_then(Spool::publish);
        published.with_context(|| unwritable(&self.path))
    }
}

impl Spool {
    fn new(destination: &Destination) -> io::Result<Self> {
        let Destination::Regular(target) = destination else {
            return Ok(Self::Apart(tempfile::tempfile()?, destination.clone()));
        };
        let (file, registration) = interrupt::register(|| {
            let mut builder = tempfile::Builder::new();
            let mode = if target.exists() { OWN_MODE } else { NEW_MODE };
            let builder = builder.permissions(Permissions::from_mode(mode));
            builder.tempfile_in(parent(target))
        })?;
        Ok(Self::Beside(file, target.clone(), registration))
    }

    fn publish(self) -> io::Result<()> {
        match self {
            Self::Beside(file, target, registration) => {
                put(file, &target)?;
                drop(registration);
                Ok(())
            }
            Self::Apart(mut file, destination) => {
                file.rewind()?;
                destination.pour(&mut file)
            }
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Beside(file, ..) => file,
            Self::Apart(file, _) => file,
        }
    }
}

impl Write for Draft {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Write for Spool {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.writer().write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

/// Puts a finished file in the place of `target`, whose owner and mode it takes over, when the disk has it.
fn put(file: NamedTempFile, target: &Path) -> io::Result<()> {
    if let Ok(replaced) = target.metadata() {
        take_over(file.as_file(), &replaced)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    // Not every file system can sync a folder; the file is whole in any case.
    let _ = File::open(parent(target)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Gives a file the owner, as far as the system allows, and the mode of the `replaced` one.
fn take_over(file: &File, replaced: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    let (user, group) = (replaced.uid(), replaced.gid());
    if (own.uid(), own.gid()) != (user, group) && fchown(file, Some(user), Some(group)).is_err() {
        // Only root gives files away; a group of the user's own is kept by others, too.
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
        let spool = Spool::new(&Destination::Regular(target)).unwrap();
        let Spool::Beside(file, ..) = &spool else {
            panic!("{spool:?} is not beside its target");
        };
        let mode = file.as_file().metadata().unwrap().mode();
        assert_eq!(mode & 0o777, OWN_MODE);
    }
}
