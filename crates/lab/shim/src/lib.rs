//! `libnetsig_yield_shim.so`, preloaded into the processes of emulated hosts.
//!
//! Many MPI processes share few cores in the lab. A waiting process polls in a loop and so takes
//! the core from a working one. This library makes an idle loop wait for its sockets instead
//! (`pause.rs`), as if each process had a core. Open MPI's loop calls `sched_yield`, MPICH's loop
//! calls the progress function of UCX (`ucx.rs`). Times of small messages scatter far less and hardly
//! contain waits for cores, and times of MPICH are not rounded to the scheduler's time slices.

#![expect(
    unsafe_code,
    reason = "replaces C functions, and calls C to wait and to find what it replaces"
)]

mod pause;
mod ucx;

use libc::c_int;

/// Pauses; always succeeds, as `sched_yield` does on Linux.
#[unsafe(no_mangle)]
pub extern "C" fn sched_yield() -> c_int {
    pause::pause();
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_yield_of_a_thread_that_asked_nothing_sleeps_for_the_default_time() {
        let start = Instant::now();
        assert_eq!(sched_yield(), 0);
        assert!(start.elapsed() >= Duration::from_micros(20));
    }
}
