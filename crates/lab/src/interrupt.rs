//! Ctrl-C while a command runs. The terminal interrupts the command as well; this process
//! must stay until the command has cleaned up, so it only takes note.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// While it lives, SIGINT does not end this process but is taken note of.
#[derive(Debug)]
pub struct Watch {
    before: SigAction,
}

extern "C" fn take_note(_signal: c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

impl Watch {
    /// Starts taking note, from no interrupt seen.
    ///
    /// # Errors
    /// If the system refuses, which it does not on any Linux in order.
    pub fn start() -> nix::Result<Self> {
        INTERRUPTED.store(false, Ordering::Relaxed);
        let handler = SigHandler::Handler(take_note);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        Ok(Self {
            before: set(&action)?,
        })
    }

    /// Whether SIGINT came since the watch started.
    pub fn saw_interrupt(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Restoring what the system itself returned cannot fail.
        let _ = set(&self.before);
    }
}

#[expect(unsafe_code, reason = "the only way to handle a signal")]
fn set(action: &SigAction) -> nix::Result<SigAction> {
    // SAFETY: the action is either the one that was in force before, or `take_note`,
    // which only stores to an atomic and so may run at any point.
    unsafe { sigaction(Signal::SIGINT, action) }
}
