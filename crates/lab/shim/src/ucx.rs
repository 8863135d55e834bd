//! Two functions of UCX, over which MPICH sends. Only programs that load UCX call them.
//!
//! * `ucp_worker_progress` is called in a loop while a rank waits. After some calls without
//!   progress each further one sleeps.
//! * `ucp_disconnect_nb` closes a connection in `MPI_Finalize`. UCX completes it when the other
//!   end makes progress; but the other rank may already wait in the barrier of the process
//!   manager, where it makes none, and then both wait forever. Nothing is in flight by then, so
//!   the connection is left to the end of the process.

use std::cell::Cell;
use std::ffi::{CStr, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::pause;

/// So many calls in a row may be idle before the next sleep: messages often arrive in turn.
const IDLE: c_uint = 20;

/// The name of the replaced function.
const PROGRESS: &CStr = c"ucp_worker_progress";

/// The library that has it, by the name under which programs load it.
const LIBRARY: &CStr = c"libucp.so.0";

/// The replaced function: it takes a worker and gives how much was done.
type Progress = unsafe extern "C" fn(*mut c_void) -> c_uint;

/// The replaced function once it has been looked up.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// How many calls of this thread in a row were idle.
    static IDLE_CALLS: Cell<c_uint> = const { Cell::new(0) };
}

/// Lets UCX make progress, and sleeps if there has been none for some calls.
///
/// # Safety
///
/// As of UCX: `worker` is a valid `ucp_worker_h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ucp_worker_progress(worker: *mut c_void) -> c_uint {
    // SAFETY: the caller promises a valid worker, and the function found is UCX's own.
    let progress = original().map_or(0, |original| unsafe { original(worker) });
    let idle = match progress {
        0 => IDLE_CALLS.get().saturating_add(1),
        _ => 0,
    };
    IDLE_CALLS.set(idle);
    if idle > IDLE {
        pause::sleep();
    }
    progress
}

/// Says at once that the connection is closed, which UCX does with a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn ucp_disconnect_nb(_endpoint: *mut c_void) -> *mut c_void {
    std::ptr::null_mut()
}

/// UCX's own function, in its library even where a plugin has loaded that.
fn original() -> Option<Progress> {
    let mut found = ORIGINAL.load(Ordering::Relaxed);
    if found.is_null() {
        // SAFETY: the names are NUL-terminated; `RTLD_NOLOAD` gives null or a handle of a
        // library that is loaded, which `dlsym` takes. The handle is kept, so that the function
        // stays.
        found = unsafe {
            let library = libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if library.is_null() {
                library
            } else {
                libc::dlsym(library, PROGRESS.as_ptr())
            }
        };
        ORIGINAL.store(found, Ordering::Relaxed);
    }
    // SAFETY: a null pointer is `None`; any other is the address of the function of this name
    // in UCX, which has this signature.
    unsafe { std::mem::transmute::<*mut c_void, Option<Progress>>(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Without UCX in the process there is nothing to call.
    #[test]
    fn only_calls_after_many_idle_ones_sleep() {
        let calls = |count: u32| {
            let start = Instant::now();
            for _ in 0..count {
                // SAFETY: nobody uses the worker.
                assert_eq!(unsafe { ucp_worker_progress(std::ptr::null_mut()) }, 0);
            }
            start.elapsed()
        };
        calls(IDLE);
        assert_eq!(IDLE_CALLS.get(), IDLE);
        assert!(calls(50) >= Duration::from_millis(1));
    }
}
