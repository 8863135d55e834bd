//! Replaces two functions of UCX, the transport of MPICH. Only programs that load UCX call them.
//!
//! * `ucp_worker_progress` is called in a loop while a rank waits. After `IDLE` calls without
//!   progress each further call pauses.
//! * `ucp_disconnect_nb` closes a connection in `MPI_Finalize`. UCX completes this when the other
//!   end makes progress; but the other rank may already wait in the barrier of the process
//!   manager without making progress, so that both wait forever. No message is in flight at that
//!   point, so the connection is left open until the process ends.

use std::cell::Cell;
use std::ffi::{CStr, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::pause;

/// Number of idle calls in a row before calls pause: messages often arrive in quick succession.
const IDLE: c_uint = 20;

/// The name of the replaced function.
const PROGRESS: &CStr = c"ucp_worker_progress";

/// The library of the replaced function, by the name under which programs load it.
const LIBRARY: &CStr = c"libucp.so.0";

/// Type of the replaced function: takes a worker and returns the number of completed actions.
type UcxProgressFunction = unsafe extern "C" fn(*mut c_void) -> c_uint;

/// Address of the replaced function after its lookup.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// Number of consecutive idle calls of this thread.
    static IDLE_CALLS: Cell<c_uint> = const { Cell::new(0) };
}

/// Lets UCX make progress, and pauses if the last `IDLE` calls made none.
///
/// # Safety
///
/// `worker` is a valid `ucp_worker_h` of UCX.
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
        pause::pause();
    }
    progress
}

/// Reports by a null pointer, as UCX does, that the connection is already closed.
#[unsafe(no_mangle)]
pub extern "C" fn ucp_disconnect_nb(_endpoint: *mut c_void) -> *mut c_void {
    std::ptr::null_mut()
}

/// UCX's own function; finds its library even if a plugin loaded it.
fn original() -> Option<UcxProgressFunction> {
    let mut found = ORIGINAL.load(Ordering::Relaxed);
    if found.is_null() {
        // SAFETY: the names are NUL-terminated; `RTLD_NOLOAD` returns null or a handle of a loaded
        // library, which `dlsym` accepts. The handle is never closed, so the function stays loaded.
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
    // SAFETY: a null pointer is `None`; any other value is the address of UCX's function of this
    // name, which has this signature.
    unsafe { std::mem::transmute::<*mut c_void, Option<UcxProgressFunction>>(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Without UCX in the process there is nothing to call.
    #[test]
    fn only_calls_after_many_idle_ones_pause() {
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
