//! All-to-all in pLogP: the bounds between which contention factors interpolate, and two
//! ways to pace direct exchange.
//!
//! # Formula
//! P processes, m bytes per destination; g, os, or and L in seconds:
//!
//! | function | T(P, m) | meaning |
//! |---|---|---|
//! | [`free`] | (P−1)·g(m) + L | lower bound: sends and receives overlap |
//! | [`contention_001`] | (P−1)·(g(m) + or(m)) + L | upper bound: a node sends, then receives |
//! | [`upper_003`] | (P−1)·(os(m) + or(m)) + L | the same bound, first printing |
//! | [`steps`] A | (P−1)·(g(m) + L) | each step waits for the block of the step |
//! | [`steps`] B | (P−1)·g(m) + L | all receives posted first, no step waits |
//!
//! One process needs no time.
//!
//! # Where the publications disagree
//! The RenPar paper argues that a node which can no longer overlap is busy for os(m) until
//! the message is handed over and for or(m) with the one that comes in. The PPAM paper of
//! the same authors, which is the later one, charges g(m) in place of os(m): the default
//! here. The difference matters, because os(m) + or(m) may be less than g(m). Then the
//! "upper" bound of RenPar lies below the lower one and a factor between the two acts with
//! the wrong sign; [`are_bounds_degenerate`] tells.
//!
//! # Domain
//! Direct exchange in the 1-port full-duplex model. These are bounds of the model and not of
//! measurements: both papers say that real times may exceed the upper one.
//!
//! # Source
//! Barchet-Steffenel and Mounié 2005 (PPAM) Table 1 ("001" in names) and 2005 (RenPar)
//! Table 3 ("003"); the two print the same lower bound. Steps: Nomura, Matsuba, Ishikawa
//! 2007, algorithms A and B under plain pLogP, where B always wins.
//!
//! ```
//! # use netsig_core::{model::{alltoall, plogp::{PLogP, Parameters}}, units::table::Table};
//! # use netsig_core::units::{Bytes, Procs, Seconds};
//! # let line = |at_zero: f64, at_16_mib: f64| {
//! #     Table::new("g", vec![(Bytes(0), Seconds(at_zero)), (Bytes(1 << 24), Seconds(at_16_mib))])
//! # };
//! // g(m) = 10 µs + 10 ns/B, os(m) = 5 µs + 4 ns/B, or(m) = 6 µs + 5 ns/B.
//! let network = PLogP::new(Parameters {
//!     latency: Seconds(5e-5),
//!     gap: line(1e-5, 0.16778216)?,
//!     send_overhead: line(5e-6, 0.06711386400000001)?,
//!     receive_overhead: line(6e-6, 0.08389208000000001)?,
//! })?;
//! let time = alltoall::free(&network, Procs::new(24)?, Bytes(1 << 20));
//! assert!((time.0 / 0.24145248000000002 - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::plogp::PLogP;
use crate::units::{Bytes, Procs, Seconds};

/// How the steps of direct exchange follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// Every step waits until its block has come in.
    A,
    /// All receives are posted first; sends follow each other at the gap.
    B,
}

/// The lower bound: every process sends its P − 1 blocks at the gap.
pub fn free(network: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    exchange(network, procs, network.g(size))
}

/// The upper bound of the PPAM paper: sends and receives do not overlap.
pub fn contention_001(network: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    exchange(network, procs, network.g(size) + network.or(size))
}

/// The upper bound of the RenPar paper: as [`contention_001`] with os(m) for g(m).
pub fn upper_003(network: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    exchange(network, procs, network.os(size) + network.or(size))
}

/// Whether [`upper_003`] lies below [`free`]: os(m) + or(m) < g(m).
pub fn are_bounds_degenerate(network: &PLogP, size: Bytes) -> bool {
    network.os(size) + network.or(size) < network.g(size)
}

/// P − 1 steps of messages with g(m) = `gap` over a network with L = `latency`.
pub fn steps(gap: Seconds, latency: Seconds, procs: Procs, order: Steps) -> Seconds {
    match order {
        Steps::A => (gap + latency) * procs.partners(),
        Steps::B => paced(gap, latency, procs),
    }
}

/// (P−1)·`each` + L.
pub(super) fn exchange(network: &PLogP, procs: Procs, each: Seconds) -> Seconds {
    paced(each, network.latency(), procs)
}

/// (P−1)·`each` + `latency`, or nothing for a lone process.
fn paced(each: Seconds, latency: Seconds, procs: Procs) -> Seconds {
    if procs.get() == 1 {
        return Seconds(0.0);
    }
    each * procs.partners() + latency
}

#[cfg(test)]
mod tests {
    use super::super::samples::{affine, assert_close, procs, stepped};
    use super::*;

    /// Reference values computed outside netsig from the printed formulas.
    #[test]
    fn worked_values_of_the_bounds() {
        let size = Bytes(1 << 20);
        assert_close(free(&affine(), procs(24), size), 0.241_452_480_000_000_02);
        assert_close(
            upper_003(&affine(), procs(24), size),
            0.217_358_232_000_000_04,
        );
        // 23 · (10 495.76 + 5 248.88) µs + 50 µs
        assert_close(contention_001(&affine(), procs(24), size), 0.362_176_72);
        let eight = procs(8);
        assert_close(steps(Seconds(8e-5), Seconds(5e-5), eight, Steps::B), 6.1e-4);
    }

    #[test]
    fn short_overheads_make_the_bounds_degenerate() {
        // 11 µs against 10 µs at first, 9 ns/B against 10 ns/B thereafter.
        assert!(!are_bounds_degenerate(&affine(), Bytes(999)));
        assert!(are_bounds_degenerate(&affine(), Bytes(1001)));
        assert!(are_bounds_degenerate(&stepped(), Bytes(1 << 20)));
    }

    /// When the last of `count` processes holds all blocks: in step t process i sends to
    /// i xor t, and in order A waits for the block of the step.
    fn simulate(gap: f64, latency: f64, count: usize, order: Steps) -> f64 {
        let mut clocks = vec![0.0; count];
        let mut end: f64 = 0.0;
        for step in 1..count {
            let arrivals: Vec<f64> = (0..count)
                .map(|i| clocks[i ^ step] + gap + latency)
                .collect();
            for (clock, arrival) in clocks.iter_mut().zip(arrivals) {
                *clock += gap;
                if order == Steps::A {
                    *clock = arrival.max(*clock);
                }
                end = end.max(arrival);
            }
        }
        end
    }

    #[test]
    fn steps_are_what_a_simulation_of_the_messages_takes() {
        for (count, gap, latency) in [(2, 3.0, 1.0), (8, 2.0, 5.0), (16, 4.0, 0.0)] {
            for order in [Steps::A, Steps::B] {
                let time = steps(Seconds(gap), Seconds(latency), procs(count), order);
                let end = simulate(gap, latency, count as usize, order);
                assert_eq!(time, Seconds(end));
            }
        }
    }

    #[test]
    fn a_lone_process_needs_no_time() {
        let (network, one, size) = (affine(), procs(1), Bytes(1000));
        for bound in [free, contention_001, upper_003] {
            assert_eq!(bound(&network, one, size), Seconds(0.0));
        }
        for order in [Steps::A, Steps::B] {
            assert_eq!(steps(Seconds(1.0), Seconds(1.0), one, order), Seconds(0.0));
        }
    }
}
