//! `libnetsig_yield_shim.so`, preloaded into the processes of emulated hosts.
//!
//! Many MPI processes share few cores in the lab. A waiting process polls in a loop and so takes
//! the core from a working one. This library makes an idle loop sleep instead: `NETSIG_YIELD_NS`
//! nanoseconds, 20 µs by default. Open MPI's loop calls `sched_yield`, MPICH's loop calls the
//! progress function of UCX (`ucx.rs`). The sleep makes times of small messages scatter far less,
//! and times of MPICH are no longer rounded to the scheduler's time slices.

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
