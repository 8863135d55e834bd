//! Ctrl-C and SIGTERM: netsig removes its temporary files, states in a line what it leaves, and ends with code 128 +
//! the number of the signal. While a job runs, its `SignalWatch` takes the signals instead, and the campaign ends in
//! the same way by a `Failure`.

use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, thread};

use netsig_base::text::sanitised::printable_message;
use netsig_lab::SIGNAL_EXIT_CODE_BASE;
use signal_hook::consts::{SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::Signals;

/// State of the work at an interruption.
struct InterruptState {
    /// Temporary files and folders.
    temporary: Vec<PathBuf>,
    /// Files that netsig has made for data, to be removed if they are still empty.
    created_files: Vec<PathBuf>,
    /// The message: what remains, and how to continue.
    kept_message: String,
}

static INTERRUPT_STATE: Mutex<InterruptState> = Mutex::new(InterruptState {
    temporary: Vec::new(),
    created_files: Vec::new(),
    kept_message: String::new(),
});

/// The message unless a command sets another by [`set_kept_message`].
const NOTHING_WRITTEN: &str = "nothing was written; start the command again";

/// Ends netsig at the next of the signals, from now on.
///
/// # Errors
/// If the system has no thread or pipe left for it.
pub fn watch_signals() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || signals.forever().next().map(end);
    thread::Builder::new().spawn(wait).map(drop)
}

/// Ends netsig quietly after the reader of standard error has gone, as SIGPIPE ends other programs.
pub fn end_without_reader() -> ! {
    let work = interrupt_state();
    work.remove_unfinished();
    std::process::exit(SIGNAL_EXIT_CODE_BASE + SIGPIPE);
}

fn end(signal: i32) {
    // Held to the end, so that no temporary file is made meanwhile.
    let work = interrupt_state();
    work.remove_unfinished();
    let stated = Some(work.kept_message.as_str()).filter(|kept| !kept.is_empty());
    let kept = stated.unwrap_or(NOTHING_WRITTEN);
    // The signal is the cause even if nobody reads the message.
    let _ = writeln!(io::stderr().lock(), "netsig: interrupted; {}", printable_message(kept));
    std::process::exit(SIGNAL_EXIT_CODE_BASE + signal);
}

impl InterruptState {
    fn remove_unfinished(&self) {
        for path in &self.temporary {
            // One of these succeeds, unless the path is gone already.
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        }
        self.created_files.iter().for_each(|path| remove_if_empty(path));
    }
}

fn interrupt_state() -> MutexGuard<'static, InterruptState> {
    INTERRUPT_STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the message of an interruption: what remains, and how to continue.
pub fn set_kept_message(message: String) {
    interrupt_state().kept_message = message;
}

/// Makes a temporary file or folder, which an interruption removes as long as its registration
/// lives.
///
/// # Errors
/// The errors of `make`.
pub fn register<T: AsRef<Path>>(make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, RemovalRegistration)> {
    let mut work = interrupt_state();
    let made = make()?;
    let path = made.as_ref().to_owned();
    work.temporary.push(path.clone());
    Ok((made, RemovalRegistration(path)))
}

/// Registers a file that netsig has made for data; an interruption removes it if it is empty.
pub fn register_created(path: PathBuf) -> RemovalRegistration {
    interrupt_state().created_files.push(path.clone());
    RemovalRegistration(path)
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
pub struct RemovalRegistration(PathBuf);

impl Drop for RemovalRegistration {
    fn drop(&mut self) {
        let mut work = interrupt_state();
        work.temporary.retain(|path| *path != self.0);
        work.created_files.retain(|path| *path != self.0);
    }
}

/// A temporary file or folder, which is removed when it is dropped or netsig is interrupted.
#[derive(Debug)]
pub struct Temporary<T> {
    created: T,
    /// Ends the registration when it is dropped.
    #[expect(dead_code, reason = "it acts when it is dropped")]
    registration: RemovalRegistration,
}

impl<T: AsRef<Path>> Temporary<T> {
    /// Makes the file or folder with `make`.
    ///
    /// # Errors
    /// The errors of `make`.
    pub fn new(make: impl FnOnce() -> io::Result<T>) -> io::Result<Self> {
        let (made, registration) = register(make)?;
        Ok(Self {
            created: made,
            registration,
        })
    }
}

impl<T: AsRef<Path>> Deref for Temporary<T> {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.created.as_ref()
    }
}
