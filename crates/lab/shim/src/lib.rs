//! `libnetsig_yield_shim.so`, preloaded into the processes of emulated hosts.
//!
//! Many MPI processes share few cores in the lab. One that waits polls in a loop and so takes
//! the core from the one that has work. Here an idle loop sleeps a little instead:
//! `NETSIG_YIELD_NS` nanoseconds, 20 µs by default. Open MPI's loop calls `sched_yield`,
//! MPICH's the progress function of UCX (`ucx.rs`). Times of small messages scatter far less
//! with it, and those of MPICH are no longer rounded to the scheduler's time slices.

#![expect(
    unsafe_code,
    reason = "replaces C functions, and calls C to sleep and to find what it replaces"
)]

mod pause;
mod ucx;

use libc::c_int;

/// Sleeps for the configured time; always succeeds, as `sched_yield` does on Linux.
#[unsafe(no_mangle)]
pub extern "C" fn sched_yield() -> c_int {
    pause::sleep();
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_yield_sleeps_for_the_default_time() {
        let start = Instant::now();
        assert_eq!(sched_yield(), 0);
        assert!(start.elapsed() >= Duration::from_micros(20));
    }
}
