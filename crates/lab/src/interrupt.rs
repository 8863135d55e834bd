//! Handles Ctrl-C and SIGTERM while a command runs. The terminal interrupts the command as well; this
//! process must stay until the command has cleaned up, so it only takes note of the signal.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use nix::libc::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Signals that ask this process to end.
const SIGNALS: [Signal; 2] = [Signal::SIGINT, Signal::SIGTERM];

/// Exit code of a command that a signal ended, minus the number of the signal.
pub const SIGNAL_EXIT_CODE_BASE: i32 = 128;

/// Number of signals during all watches.
static REQUESTS: AtomicU32 = AtomicU32::new(0);

/// The last signal.
static LAST: AtomicI32 = AtomicI32::new(0);

/// Takes note of SIGINT and SIGTERM while it exists, so that they do not end this process. An outer
/// watch also sees the signals of an inner one.
#[derive(Debug)]
pub struct SignalWatch {
    before: [SigAction; SIGNALS.len()],
    seen: u32,
}

extern "C" fn take_note(signal: c_int) {
    LAST.store(signal, Ordering::Relaxed);
    REQUESTS.fetch_add(1, Ordering::Relaxed);
}

impl SignalWatch {
    /// Starts to watch.
    pub fn start() -> Self {
        let seen = REQUESTS.load(Ordering::Relaxed);
        let handler = SigHandler::Handler(take_note);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        Self {
            before: SIGNALS.map(|signal| set(signal, &action)),
            seen,
        }
    }

    /// The exit code of the last signal since the watch started.
    pub fn exit_code(&self) -> Option<i32> {
        self.signal().map(|signal| SIGNAL_EXIT_CODE_BASE + signal as i32)
    }

    /// Ends the watch; returns its final [`Self::exit_code`].
    pub fn end(self) -> Option<i32> {
        self.restore();
        self.exit_code()
    }

    /// The last signal since the watch started.
    pub(crate) fn signal(&self) -> Option<Signal> {
        let came = REQUESTS.load(Ordering::Relaxed) != self.seen;
        let last = Signal::try_from(LAST.load(Ordering::Relaxed)).ok();
        last.filter(|_| came)
    }

    /// Restores the previous handlers of the signals.
    fn restore(&self) {
        for (signal, before) in SIGNALS.into_iter().zip(&self.before) {
            set(signal, before);
        }
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        self.restore();
    }
}

#[expect(unsafe_code, reason = "the only way to handle a signal")]
fn set(signal: Signal, action: &SigAction) -> SigAction {
    // SAFETY: the action is either the previous one, or `take_note`, which only writes atomics and so
    // may run at any time.
    unsafe { sigaction(signal, action) }.expect("these signals may be handled")
}
