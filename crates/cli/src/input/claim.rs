//! The claim of a data file: while it is held, no other netsig writes to the file. It is a lock of the system,
//! which ends with the process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;

use crate::input::failure::Failure;
use crate::input::files::unwritable;
use crate::input::identity::{FileIdentity, identity};
use crate::input::interrupt::{Registration, register_begun, remove_if_empty};

/// The claim of a file to which this netsig, or the ranks that it starts, append. A file that the claim made
/// is removed at its end if it is still empty.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    identity: FileIdentity,
    made: Option<Registration>,
    /// Held for its lock.
    #[expect(dead_code, reason = "the lock ends when it is dropped")]
    file: File,
}

/// The files that this process has claimed.
static CLAIMED: Mutex<Vec<FileIdentity>> = Mutex::new(Vec::new());

fn claimed() -> MutexGuard<'static, Vec<FileIdentity>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Claim {
    /// Claims the file at `path`, and makes it if there is none.
    ///
    /// # Errors
    /// If another netsig writes to the file, or it cannot be written.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        loop {
            let opened = open(path).with_context(|| unwritable(path));
            let (file, is_new) = opened.map_err(Failure::unusable)?;
            let made = is_new.then(|| register_begun(path.to_owned()));
            lock(&file, path)?;
            let found = file.metadata().map(|found| identity(&found));
            let identity = found.with_context(|| unwritable(path))?;
            // The writer before may have removed the file since it was opened.
            if identity_at(path) == Some(identity) {
                claimed().push(identity);
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

impl Claim {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        claimed().retain(|own| *own != self.identity);
        if self.made.is_some() {
            remove_if_empty(&self.path);
        }
    }
}

/// Refuses a file to which another netsig writes.
///
/// # Errors
/// If there is one.
pub fn refuse_claimed(path: &Path) -> Result<(), Failure> {
    let is_own = identity_at(path).is_some_and(|found| claimed().contains(&found));
    match OpenOptions::new().append(true).open(path) {
        Ok(file) if !is_own => lock(&file, path),
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

/// Locks a file. File systems without locks have none to refuse.
fn lock(file: &File, path: &Path) -> Result<(), Failure> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let problem =
                "another netsig writes to it; wait until that has ended, or choose another path";
            Err(Failure::usage(problem).about(path))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn identity_at(path: &Path) -> Option<FileIdentity> {
    path.metadata().ok().map(|found| identity(&found))
}
