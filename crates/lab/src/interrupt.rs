//! Handles Ctrl-C while a command runs. The terminal interrupts the command as well; this process
//! must stay until the command has cleaned up, so it only counts the signal.

use std::sync::atomic::{AtomicU32, Ordering};

use nix::libc::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Number of interrupts during all watches.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);

/// Counts SIGINT while it exists, so that the signal does not end this process. An outer watch also
/// counts the signals of an inner one.
#[derive(Debug)]
pub struct Watch {
    before: SigAction,
    seen: u32,
}

extern "C" fn take_note(_signal: c_int) {
    INTERRUPTS.fetch_add(1, Ordering::Relaxed);
}

impl Watch {
    /// Starts to count.
    pub fn start() -> Self {
        let seen = INTERRUPTS.load(Ordering::Relaxed);
        let handler = SigHandler::Handler(take_note);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        Self {
            before: set(&action),
            seen,
        }
    }

    /// True if SIGINT came since the watch started.
    pub fn saw_interrupt(&self) -> bool {
        INTERRUPTS.load(Ordering::Relaxed) != self.seen
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        set(&self.before);
    }
}

#[expect(unsafe_code, reason = "the only way to handle a signal")]
fn set(action: &SigAction) -> SigAction {
    // SAFETY: the action is either the previous one, or `take_note`, which only increments an
    // atomic and so may run at any time.
    unsafe { sigaction(Signal::SIGINT, action) }.expect("SIGINT may be handled")
}
