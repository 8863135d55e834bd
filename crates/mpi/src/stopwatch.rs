//! This rank's clock, what reading it costs, and waiting for a moment on it.

use std::hint::{black_box, spin_loop};
use std::time::Instant;

use netsig_core::units::Seconds;

/// How many times a loop runs to find out what a clock costs.
const LOOPS: u32 = 1000;

/// The least of so many attempts stands.
const ATTEMPTS: u32 = 5;

/// A wait that ends further away than this yields to others; a yield may take long.
const FAR: Seconds = Seconds(2e-4);

/// Seconds since this rank began.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    epoch: Instant,
    /// Whether a wait yields all the time, since the ranks on this machine share its
    /// processors; else it spins at the end.
    pub yields: bool,
}

impl Stopwatch {
    /// Begins at zero.
    pub fn start() -> Self {
        Self {
            epoch: Instant::now(),
            yields: false,
        }
    }

    /// The time since the beginning.
    pub fn now(&self) -> Seconds {
        Seconds(self.epoch.elapsed().as_secs_f64())
    }

    /// Returns at `moment` at the earliest.
    pub fn wait_until(&self, moment: Seconds) {
        loop {
            let left = moment - self.now();
            if left <= Seconds(0.0) {
                return;
            }
            if left > FAR || self.yields {
                std::thread::yield_now();
            } else {
                spin_loop();
            }
        }
    }

    /// What it adds to a time that the clock is read twice: the mean of a short loop timed
    /// on its own, less its share of the time of many, each the least of five.
    pub fn overhead(&self) -> Seconds {
        let alone = least(|| {
            let each = (0..LOOPS).map(|_| {
                let start = self.now();
                work();
                (self.now() - start).0
            });
            each.sum()
        });
        let together = least(|| {
            let start = self.now();
            (0..LOOPS).for_each(|_| work());
            (self.now() - start).0
        });
        Seconds(((alone - together) / f64::from(LOOPS)).max(0.0))
    }
}

fn least(attempt: impl Fn() -> f64) -> f64 {
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
            watch.yields = yields;
            let moment = watch.now() + Seconds(1e-3);
            watch.wait_until(moment);
            assert!(watch.now() >= moment);
            let overhead = watch.overhead();
            assert!((0.0..1e-4).contains(&overhead.0), "{overhead}");
        }
    }
}
