//! This rank's clock, the overhead of reading it, and waiting for a given time.

use std::hint::{black_box, spin_loop};
use std::time::Instant;

use netsig_base::units::Seconds;

/// Number of loop iterations to measure the overhead of the clock.
const LOOPS: u32 = 1000;

/// Number of attempts, of which the minimum is used.
const ATTEMPTS: u32 = 5;

/// Remaining wait above which this process yields the processor; a yield may take long.
const LONG_WAIT: Seconds = Seconds(2e-4);

/// Seconds since this rank began.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    epoch: Instant,
    /// True if a wait always yields, because the ranks on this machine share processors; otherwise
    /// it spins at the end.
    pub always_yields: bool,
}

impl Stopwatch {
    /// Starts a clock at zero.
    pub fn start() -> Self {
        Self {
            epoch: Instant::now(),
            always_yields: false,
        }
    }

    /// The time since the start.
    pub fn now(&self) -> Seconds {
        Seconds(self.epoch.elapsed().as_secs_f64())
    }

    /// Waits until `moment`, and possibly longer.
    pub fn wait_until(&self, moment: Seconds) {
        loop {
            let left = moment - self.now();
            if left <= Seconds(0.0) {
                return;
            }
            if left > LONG_WAIT || self.always_yields {
                std::thread::yield_now();
            } else {
                spin_loop();
            }
        }
    }

    /// The time that reading the clock twice adds to a measured time: the mean time of a short loop timed alone, minus
    /// its mean time when many are timed together. Each mean is the minimum of five attempts.
    pub fn overhead(&self) -> Seconds {
        let alone = least_attempt(|| {
            let each = (0..LOOPS).map(|_| {
                let start = self.now();
                work();
                (self.now() - start).0
            });
            each.sum()
        });
        let together = least_attempt(|| {
            let start = self.now();
            (0..LOOPS).for_each(|_| work());
            (self.now() - start).0
        });
        Seconds(((alone - together) / f64::from(LOOPS)).max(0.0))
    }
}

fn least_attempt(attempt: impl Fn() -> f64) -> f64 {
    let attempts = (0..ATTEMPTS).map(|_| attempt());
    attempts.fold(f64::INFINITY, f64::min)
}

/// Some work that the compiler keeps.
fn work() {
    for number in 0..100 {
        black_box(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wait_ends_early_and_a_clock_costs_little() {
        for yields in [false, true] {
            let mut watch = Stopwatch::start();
            watch.always_yields = yields;
            let moment = watch.now() + Seconds(1e-3);
            watch.wait_until(moment);
            assert!(watch.now() >= moment);
            let overhead = watch.overhead();
            assert!((0.0..1e-4).contains(&overhead.0), "{overhead}");
        }
    }
}
