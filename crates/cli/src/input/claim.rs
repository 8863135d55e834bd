//! The claim of a data file: while it is held, no other netsig writes to the file. It is a lock of the system,
//! which ends with the process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::files::unwritable;
use crate::input::identity::{FileIdentity, identity};
use crate::input::interrupt::{RemovalRegistration, register_created, remove_if_empty};

/// The claim of a file to which this netsig, or the ranks that it starts, append. A file that the claim made
/// is removed at its end if it is still empty.
#[derive(Debug)]
pub struct OutputClaim {
    /// The path as given by the user.
    path: PathBuf,
    identity: FileIdentity,
    /// The file that the claim made, behind symbolic links.
    made: Option<(PathBuf, RemovalRegistration)>,
    /// Held for its lock.
    #[expect(dead_code, reason = "the lock ends when it is dropped")]
    file: File,
}

/// Number of tries for a lock, and the time between them.
const LOCK_TRIES: u32 = 10;
const RETRY_DELAY: Duration = Duration::from_millis(10);

/// The files that this process has claimed.
static CLAIMED: Mutex<Vec<FileIdentity>> = Mutex::new(Vec::new());

fn claimed_files() -> MutexGuard<'static, Vec<FileIdentity>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OutputClaim {
    /// Claims the file at `path`, and makes it if there is none.
    ///
    /// # Errors
    /// If another netsig writes to the file, or it cannot be written.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        let followed = Destination::of(path).map_err(|problem| Failure::usage(problem).about(path));
        let place = match followed? {
            Destination::Regular(file) => file,
            Destination::Standard | Destination::Through(_) => path.to_owned(),
        };
        loop {
            let opened = open(path).with_context(|| unwritable(path));
            let (file, is_new) = opened.map_err(Failure::unusable)?;
            let made = is_new.then(|| (place.clone(), register_created(place.clone())));
            lock(&file).map_err(|failure| failure.about(path))?;
            let found = file.metadata().map(|found| identity(&found));
            let identity = found.with_context(|| unwritable(path))?;
            // The previous writer may have removed the file since it was opened.
            if identity_at(path) == Some(identity) {
                claimed_files().push(identity);
                return Ok(Self {
                    path: path.to_owned(),
                    identity,
                    made,
                    file,
                });
            }
        }
    }
}

impl OutputClaim {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for OutputClaim {
    fn drop(&mut self) {
        claimed_files().retain(|claimed_identity| *claimed_identity != self.identity);
        if let Some((place, _)) = &self.made {
            remove_if_empty(place);
        }
    }
}

/// Refuses a file to which another netsig writes.
///
/// # Errors
/// If another netsig writes to the file.
pub fn refuse_claimed(path: &Path) -> Result<(), Failure> {
    let is_claimed_here = identity_at(path).is_some_and(|found| claimed_files().contains(&found));
    match OpenOptions::new().append(true).open(path) {
        Ok(file) if !is_claimed_here => {
            // A shared lock, so that simultaneous queries do not refuse each other.
            refuse_locked(&file.try_lock_shared()).map_err(|failure| failure.about(path))
        }
        _ => Ok(()),
    }
}

/// Opens a file to append; also returns whether it was made.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.append(true);
    match options.clone().create_new(true).open(path) {
        Ok(file) => Ok((file, true)),
        // Behind a dangling link there may be no file yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_new = !path.exists();
            Ok((options.create(true).open(path)?, is_new))
        }
        Err(error) => Err(error),
    }
}

/// Locks a file. Waits for the short lock of another process's [`refuse_claimed`].
fn lock(file: &File) -> Result<(), Failure> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(RETRY_DELAY),
            tried => return refuse_locked(&tried),
        }
    }
    refuse_locked(&file.try_lock())
}

/// Refuses a file that another netsig has locked; a file system without locks refuses nothing.
fn refuse_locked(tried: &Result<(), TryLockError>) -> Result<(), Failure> {
    match tried {
        Err(TryLockError::WouldBlock) => Err(Failure::usage(
            "another netsig writes to it; wait until that has ended, or choose another path",
        )),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn identity_at(path: &Path) -> Option<FileIdentity> {
    path.metadata().ok().map(|found| identity(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two queries whether a file is claimed do not refuse each other.
    #[test]
    fn askers_do_not_meet() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let other = File::open(file.path()).unwrap();
        other.lock_shared().unwrap();
        refuse_claimed(file.path()).unwrap();
        assert!(OutputClaim::of(file.path()).is_err());
        other.unlock().unwrap();
        other.lock().unwrap();
        assert!(refuse_claimed(file.path()).is_err());
    }
}
