//! Ctrl-C while a command runs. The terminal interrupts the command as well; this process
//! must stay until the command has cleaned up, so it only takes note.

use std::sync::atomic::{AtomicU32, Ordering};

use nix::libc::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// How often it came while it was taken note of.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);

/// While it lives, SIGINT does not end this process but is taken note of. A watch within
/// another hides nothing from the outer one.
#[derive(Debug)]
pub struct Watch {
    before: SigAction,
    seen: u32,
}

extern "C" fn take_note(_signal: c_int) {
    INTERRUPTS.fetch_add(1, Ordering::Relaxed);
}

impl Watch {
    /// Starts taking note, from no interrupt seen.
    pub fn start() -> Self {
        let seen = INTERRUPTS.load(Ordering::Relaxed);
        let handler = SigHandler::Handler(take_note);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        Self {
            before: set(&action),
            seen,
        }
    }

    /// Whether SIGINT came since the watch started.
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
    // SAFETY: the action is either the one that was in force before, or `take_note`,
    // which only adds to an atomic and so may run at any point.
    unsafe { sigaction(Signal::SIGINT, action) }.expect("SIGINT may be handled")
}
