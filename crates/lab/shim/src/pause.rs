//! The sleep of an idle loop.

use std::sync::atomic::{AtomicI64, Ordering};

use libc::{c_long, timespec};

/// Default duration of a sleep.
const DEFAULT_NS: c_long = 20_000;

/// Longest duration for one `nanosleep` without whole seconds.
const LONGEST_NS: c_long = 999_999_999;

/// The sleep in nanoseconds; negative until the environment has been read.
static SLEEP_NS: AtomicI64 = AtomicI64::new(-1);

/// Sleeps for the configured time.
pub fn sleep() {
    let pause = timespec {
        tv_sec: 0,
        tv_nsec: sleep_ns(),
    };
    // SAFETY: `pause` is a valid timespec for the whole call, and a null second
    // argument asks for no remaining time.
    unsafe { libc::nanosleep(&raw const pause, std::ptr::null_mut()) };
}

/// The configured sleep, read from the environment once.
fn sleep_ns() -> c_long {
    let known = SLEEP_NS.load(Ordering::Relaxed);
    if known >= 0 {
        return known;
    }
    let read = configured_ns();
    SLEEP_NS.store(read, Ordering::Relaxed);
    read
}

/// `NETSIG_YIELD_NS` if it is a positive number, limited to the longest sleep. Uses C functions
/// only: the caller may be anywhere, even inside an allocator.
fn configured_ns() -> c_long {
    // SAFETY: the name is NUL-terminated; the result is null or a C string that stays
    // valid while nobody changes the environment, which is read at once.
    let wanted = unsafe {
        let text = libc::getenv(c"NETSIG_YIELD_NS".as_ptr());
        if text.is_null() {
            DEFAULT_NS
        } else {
            libc::atol(text)
        }
    };
    if wanted > 0 {
        wanted.min(LONGEST_NS)
    } else {
        DEFAULT_NS
    }
}
