//! Ctrl-C and SIGTERM: netsig removes its temporary files, says in a line what it leaves, and ends with
//! code 128 + the number of the signal. While a job runs, its `Watch` takes the signals instead, and
//! the campaign ends in the same way by a `Failure`.

use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, thread};

use netsig_base::text::shown::message;
use netsig_lab::BY_SIGNAL;
use signal_hook::consts::{SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::Signals;

/// State of the work at an interruption.
struct Work {
    /// Temporary files and folders.
    temporary: Vec<PathBuf>,
    /// Files that netsig has made for data, to be removed if they are still empty.
    begun: Vec<PathBuf>,
    /// What stays, and how to go on.
    kept: String,
}

static WORK: Mutex<Work> = Mutex::new(Work {
    temporary: Vec::new(),
    begun: Vec::new(),
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

/// Ends netsig quietly, as the signal of a closed pipe ends other programs: the reader of standard error has gone.
pub fn end_unheard() -> ! {
    let work = work();
    work.remove_unfinished();
    std::process::exit(BY_SIGNAL + SIGPIPE);
}

fn end(signal: i32) {
    // Held to the end, so that no temporary file is made meanwhile.
    let work = work();
    work.remove_unfinished();
    let kept = Some(work.kept.as_str()).filter(|kept| !kept.is_empty());
    let kept = kept.unwrap_or(NOTHING);
    // Whether somebody hears it or not, the signal is the cause.
    let _ = writeln!(io::stderr().lock(), "netsig: interrupted; {}", message(kept));
    std::process::exit(BY_SIGNAL + signal);
}

impl Work {
    fn remove_unfinished(&self) {
        for path in &self.temporary {
            // One of these succeeds, unless the path is gone already.
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        }
        self.begun.iter().for_each(|path| remove_if_empty(path));
    }
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
pub fn register<T: AsRef<Path>>(make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Registration)> {
    let mut work = work();
    let made = make()?;
    let path = made.as_ref().to_owned();
    work.temporary.push(path.clone());
    Ok((made, Registration(path)))
}

/// Registers a file that netsig has made for data; an interruption removes it if it is empty.
pub fn register_begun(path: PathBuf) -> Registration {
    work().begun.push(path.clone());
    Registration(path)
}

/// Removes a file without content.
pub fn remove_if_empty(path: &Path) {
    if path.metadata().is_ok_and(|found| found.len() == 0) {
        // It fails only if the file is gone already.
        let _ = fs::remove_file(path);
    }
}

/// The registration of a file or folder that an interruption removes.
#[derive(Debug)]
pub struct Registration(PathBuf);

impl Drop for Registration {
    fn drop(&mut self) {
        let mut work = work();
        work.temporary.retain(|path| *path != self.0);
        work.begun.retain(|path| *path != self.0);
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
