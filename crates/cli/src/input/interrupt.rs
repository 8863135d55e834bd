//! Ctrl-C and SIGTERM: netsig removes its temporary files, says in a line what it leaves, and ends with
//! code 128 + the number of the signal. While a job runs, its `Watch` takes the signals instead, and
//! the campaign ends in the same way by a `Failure`.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, thread};

use netsig_lab::BY_SIGNAL;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// State of the work at an interruption.
struct Work {
    /// Temporary files and folders.
    temporary: Vec<PathBuf>,
    /// What stays, and how to go on.
    kept: String,
}

static WORK: Mutex<Work> = Mutex::new(Work {
    temporary: Vec::new(),
    kept: String::new(),
});

/// What stays unless a command says otherwise by [`keeps`].
const NOTHING: &str = "nothing was written; start the command again";

/// Ends netsig at the next of the signals, from now on.
///
/// # Errors
/// If the system has no thread or pipe left for it.
pub fn attend() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || signals.forever().next().map(end);
    thread::Builder::new().spawn(wait).map(drop)
}

fn end(signal: i32) {
    // Held to the end, so that no temporary file is made meanwhile.
    let work = work();
    for path in &work.temporary {
        // One of these succeeds, unless the path is gone already.
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    let kept = Some(work.kept.as_str()).filter(|kept| !kept.is_empty());
    eprintln!("netsig: interrupted; {}", kept.unwrap_or(NOTHING));
    std::process::exit(BY_SIGNAL + signal);
}

fn work() -> MutexGuard<'static, Work> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets what an interruption from now on leaves, and how to go on.
pub fn keeps(what: String) {
    work().kept = what;
}

/// Makes a temporary file or folder, which an interruption removes as long as its registration
/// lives.
///
/// # Errors
/// As `make`.
pub fn register<T: AsRef<Path>>(
    make: impl FnOnce() -> io::Result<T>,
) -> io::Result<(T, Registration)> {
    let mut work = work();
    let made = make()?;
    let path = made.as_ref().to_owned();
    work.temporary.push(path.clone());
    Ok((made, Registration(path)))
}

/// The registration of a temporary file or folder.
#[derive(Debug)]
pub struct Registration(PathBuf);

impl Drop for Registration {
    fn drop(&mut self) {
        work().temporary.retain(|path| *path != self.0);
    }
}

/// A temporary file or folder, which is removed when it is dropped or netsig is interrupted.
#[derive(Debug)]
pub struct Temporary<T> {
    made: T,
    /// Held for its end.
    #[expect(dead_code, reason = "it acts when it is dropped")]
    registration: Registration,
}

impl<T: AsRef<Path>> Temporary<T> {
    /// Makes it.
    ///
    /// # Errors
    /// As `make`.
    pub fn new(make: impl FnOnce() -> io::Result<T>) -> io::Result<Self> {
        let (made, registration) = register(make)?;
        Ok(Self { made, registration })
    }
}

impl<T: AsRef<Path>> Deref for Temporary<T> {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.made.as_ref()
    }
}
