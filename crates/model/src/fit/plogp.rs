//! pLogP parameters from the times of round trips by the method of the MPI `LogP` benchmark, and
//! its search for sizes that a table lacks.
//!
//! # Formula
//! RTT(m) is the time of m bytes there and none back: RTT(m) = L + g(m) + L + g(0), in seconds. So
//!
//! - g(m) = RTT(m) − RTT(0) + g(0), where g(0) comes from sending without a pause,
//! - L = RTT(0)/2 − g(0).
//!
//! The line through the first two of three successive sizes extrapolates to the third. If the relative deviation
//! |measured − expected|/expected is too large, a size is measured next: the middle between the second and the third,
//! rounded down to a multiple of 4.
//!
//! # Domain
//! g(m) is at least 10 ns and L at least zero, despite noise. No size is added between two that
//! are at most 32 bytes or 3 % of the larger apart: a jump of the protocol would otherwise be
//! divided without end.
//!
//! # Source
//! Kielmann, Bal, Verstoep 2000, and their MPI `LogP` benchmark (1999–2003), which
//! Barchet-Steffenel and Mounié 2005 (`RenPar`) used.
//!
//! ```
//! # use netsig_model::fit::plogp::{discontinuity, gap_from_round_trips};
//! # use netsig_base::units::{Bytes, Seconds};
//! let gap = gap_from_round_trips(Seconds(145e-6), Seconds(120e-6), Seconds(10e-6));
//! assert!((gap.0 / 35e-6 - 1.0).abs() < 1e-12);
//! let os = [(1024, 10e-6), (2048, 12e-6), (4096, 20e-6)].map(|(m, t)| (Bytes(m), Seconds(t)));
//! let found = discontinuity(os, 0.2);
//! assert!((found.expected.0 / 16e-6 - 1.0).abs() < 1e-12);
//! assert_eq!(found.insert, Some(Bytes(3072)));
//! ```

mod measured;

use netsig_base::units::{Bytes, Seconds};

pub use self::measured::{EPSILON, MeasuredPLogP, PLogPDoubt, PLogPRow, is_measured, measured_tables};

/// Shortest gap; shorter ones are below the resolution of the clock.
const SHORTEST_GAP: Seconds = Seconds(1e-8);

/// Sizes at most this far apart, in bytes or as a share of the larger, stay neighbours.
const CLOSEST: u64 = 32;
const CLOSEST_SHARE: f64 = 0.03;

/// Deviation of a value from the extrapolation of the two before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discontinuity {
    /// The extrapolated value.
    pub expected: Seconds,
    /// |measured − expected| / expected; 0 if they are equal.
    pub relative_error: f64,
    /// The size to measure next, if the error is too large.
    pub insert: Option<Bytes>,
}

/// g(m) from RTT(m), RTT(0) and g(0).
pub fn gap_from_round_trips(round_trip: Seconds, empty_round_trip: Seconds, empty_gap: Seconds) -> Seconds {
    at_least(SHORTEST_GAP, round_trip - empty_round_trip + empty_gap)
}

/// L from RTT(0) and g(0).
pub fn latency(empty_round_trip: Seconds, empty_gap: Seconds) -> Seconds {
    at_least(Seconds(0.0), empty_round_trip * 0.5 - empty_gap)
}

/// Compares the last of three (size, value) rows of ascending sizes with the line through the
/// others. `most` is the largest relative error that is accepted.
pub fn discontinuity(rows: [(Bytes, Seconds); 3], most: f64) -> Discontinuity {
    let [(size_a, a), (size_b, b), (size, measured)] = rows;
    let steps = (size.as_f64() - size_b.as_f64()) / (size_b.as_f64() - size_a.as_f64());
    let expected = b + (b - a) * steps;
    let deviation = (measured - expected).0.abs();
    let relative_error = if deviation == 0.0 {
        0.0
    } else {
        deviation / expected.0.abs()
    };
    let closest = (size.as_f64() * CLOSEST_SHARE).max(CLOSEST as f64);
    let is_wide = size.as_f64() - size_b.as_f64() > closest;
    let middle = Bytes(size_b.0.midpoint(size.0) & !3);
    Discontinuity {
        expected,
        relative_error,
        insert: (relative_error > most && is_wide).then_some(middle),
    }
}

/// `time`, but at least `least`. NaN stays, so that the table refuses it.
fn at_least(least: Seconds, time: Seconds) -> Seconds {
    if time < least { least } else { time }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: [(u64, f64); 3]) -> [(Bytes, Seconds); 3] {
        rows.map(|(size, time)| (Bytes(size), Seconds(time)))
    }

    #[test]
    fn noise_does_not_make_negative_times() {
        let [short, empty, gap] = [5e-6, 20e-6, 11e-6].map(Seconds);
        assert_eq!(gap_from_round_trips(short, empty, gap), Seconds(1e-8));
        assert_eq!(latency(empty, gap), Seconds(0.0));
        assert!(latency(Seconds(f64::NAN), gap).0.is_nan());
    }

    /// 25 % off, below the line; above it is in `vectors.json`.
    #[test]
    fn a_size_is_added_where_the_line_fails_by_more_than_allowed() {
        let bent = rows([(1024, 10e-6), (2048, 12e-6), (4096, 12e-6)]);
        assert_eq!(discontinuity(bent, 0.2).insert, Some(Bytes(3072)));
        assert_eq!(discontinuity(bent, 0.3).insert, None);
    }

    /// A jump between 8192 and 8193 bytes is closed in on, and then left alone.
    #[test]
    fn a_jump_is_refined_until_its_sides_are_close() {
        let os = |size: u64| if size > 8192 { 2e-5 } else { 1e-5 };
        let (mut low, mut high) = (4096, 16_384);
        let next = |sizes: [u64; 3]| discontinuity(rows(sizes.map(|m| (m, os(m)))), 0.2).insert;
        while let Some(Bytes(middle)) = next([2048, low, high]) {
            assert!(low < middle && middle < high && middle % 4 == 0);
            *if middle > 8192 { &mut high } else { &mut low } = middle;
        }
        assert!(low <= 8192 && 8192 < high && high - low <= 246);
    }

    #[test]
    fn impossible_rows_do_not_panic() {
        let flat = rows([(1, 0.0), (2, 0.0), (100, 0.0)]);
        assert!(discontinuity(flat, 0.0).relative_error <= 0.0);
        let rising = rows([(1, 0.0), (2, 0.0), (100, 1.0)]);
        assert_eq!(discontinuity(rising, 0.2).insert, Some(Bytes(48)));
        for sizes in [[5, 5, 5], [9, 5, 1], [0, 1, u64::MAX], [u64::MAX, 0, 0]] {
            discontinuity(rows(sizes.map(|size| (size, 1.0))), 0.2);
        }
    }
}
