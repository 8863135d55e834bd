//! The eager limit: the largest size that an MPI library sends without waiting for the receiver.
//!
//! # Formula
//! Beyond the limit the send call waits for the answer of the receiver, so os jumps by the time of a round trip. It
//! jumps between the neighbours m₁ < m₂ under three conditions:
//! - Height: os(m₂) is at least 2·os(m₁), and twice the value at m₂ of the straight line through the smaller sizes. The
//!   cost of copying a longer message is no jump.
//! - Significance: the rise above the greater of the two exceeds the errors of os(m₁) and os(m₂) at all N sizes
//!   together, each at the level 1 − (1 − confidence)/N.
//! - Duration: let o be the median of os at the three sizes from m₂ on. Every size from m₂ on has os ≥ 0.7·o, and every
//!   size up to m₁ os ≤ 0.7·o.
//!
//! The greatest jump is taken. A break of the ping-pong whose interval overlaps is the same finding, and narrows the
//! interval to the common part. Without a jump of os, the greatest step of the ping-pong that looks like a rendezvous
//! is taken.
//!
//! # Domain
//! Three sizes up to the limit and two beyond it, whose medians scatter by 10 % at most. The sizes
//! are those of the data; the limit of a library that counts a header is greater by the header.
//!
//! # Source
//! netsig.

use netsig_base::stats::interval::{IntervalEstimate, Variance};
use netsig_base::stats::sample::median;
use netsig_base::units::{Bytes, Seconds};

use super::line::WeightedLine;
use super::{PiecewisePingPong, PingPongBreak};
use crate::fit::medians::SizeMedian;

/// Least numbers of sizes on either side of a jump.
const LEAST_BELOW: usize = 3;
const LEAST_BEYOND: usize = 2;

/// Least ratio of os after a jump to os before it.
const LEAST_JUMP_RATIO: f64 = 2.0;

/// Share of the level after a jump that the larger sizes exceed and the smaller ones do not.
const LEVEL_SHARE: f64 = 0.7;

/// Number of sizes whose median is the level after a jump.
const LEVEL_SIZES: usize = 3;

/// Sizes between which the eager limit lies, and the evidence: os, the ping-pong or both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EagerLimit {
    /// A message of this size is still eager.
    pub above: Bytes,
    /// A message of this size is no longer eager.
    pub up_to: Bytes,
    /// The jump of os.
    pub send_overhead: Option<SendOverheadStep>,
    /// The break of the ping-pong.
    pub ping_pong: Option<PingPongBreak>,
}

/// Two sizes between which os jumps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SendOverheadStep {
    /// The last size before the jump.
    pub below: Bytes,
    /// The first size after the jump.
    pub from: Bytes,
    /// os before the jump.
    pub before: Seconds,
    /// os after the jump.
    pub after: Seconds,
}

/// Finds the eager limit from os, ascending in size, and from the pieces of the ping-pong; tests
/// have the level `confidence`.
pub fn eager_limit(sends: &[SizeMedian], pieces: Option<&PiecewisePingPong>, confidence: f64) -> Option<EagerLimit> {
    let breaks = pieces.map_or(&[][..], |pieces| &pieces.breaks);
    let Some(step) = greatest_jump(sends, confidence) else {
        return limit_by_ping_pong(breaks);
    };
    let overlaps =
        |ping_pong_break: &&PingPongBreak| ping_pong_break.below.max(step.below) < ping_pong_break.from.min(step.from);
    let ping_pong = breaks.iter().find(overlaps).copied();
    let [below, from] = ping_pong.map_or([step.below, step.from], |ping_pong_break| {
        [ping_pong_break.below, ping_pong_break.from]
    });
    Some(EagerLimit {
        above: step.below.max(below),
        up_to: step.from.min(from),
        send_overhead: Some(step),
        ping_pong,
    })
}

/// The greatest step of the ping-pong that looks like a rendezvous.
fn limit_by_ping_pong(breaks: &[PingPongBreak]) -> Option<EagerLimit> {
    let steps = breaks.iter().filter(|ping_pong_break| ping_pong_break.is_rendezvous());
    let greatest = steps.max_by(|a, b| a.jump.value.total_cmp(&b.jump.value))?;
    Some(EagerLimit {
        above: greatest.below,
        up_to: greatest.from,
        send_overhead: None,
        ping_pong: Some(*greatest),
    })
}

/// The greatest jump of os.
fn greatest_jump(sends: &[SizeMedian], confidence: f64) -> Option<SendOverheadStep> {
    let places = LEAST_BELOW..(sends.len() + 1).saturating_sub(LEAST_BEYOND);
    let each = 1.0 - (1.0 - confidence) / sends.len() as f64;
    let jumps = places.filter_map(|place| {
        let (smaller, larger) = sends.split_at(place);
        step_at(smaller, larger, each)
    });
    jumps.max_by(|a, b| (a.after - a.before).0.total_cmp(&(b.after - b.before).0))
}

/// The jump between the smaller and the larger sizes, if there is one.
fn step_at(smaller: &[SizeMedian], larger: &[SizeMedian], confidence: f64) -> Option<SendOverheadStep> {
    let (before, after) = (smaller[smaller.len() - 1], larger[0]);
    let extrapolated = WeightedLine::through(smaller).at(after.size).max(before.time.0);
    let level = LEVEL_SHARE * median(larger.iter().take(LEVEL_SIZES).map(|overhead| overhead.time.0));
    let parts: [Variance; 2] = [before.variance, after.variance];
    let rise = IntervalEstimate::around(after.time.0 - extrapolated, &parts, confidence);
    let is_jump = after.time.0 >= LEAST_JUMP_RATIO * extrapolated
        && rise.lower > 0.0
        && larger.iter().all(|overhead| overhead.time.0 >= level)
        && smaller.iter().all(|overhead| overhead.time.0 <= level);
    is_jump.then_some(SendOverheadStep {
        below: before.size,
        from: after.size,
        before: before.time,
        after: after.time,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::breakpoints::find;
    use crate::fit::testing::{doubling, noisy_medians};

    /// Times in microseconds, without noise.
    fn exact(times: impl IntoIterator<Item = (u64, f64)>) -> Vec<SizeMedian> {
        let in_micros = times.into_iter();
        noisy_medians(in_micros.map(|(size, micros)| (size, micros * 1e-6)), 0.0, 0)
    }

    /// os of Open MPI over TCP in an emulated cluster, in microseconds: it sends up to 64512
    /// bytes at once, and has small steps at a packet and at two.
    #[rustfmt::skip]
    const REAL: [(u64, f64); 25] = [
        (0, 6.9), (1, 6.6), (16, 7.2), (256, 7.3), (704, 7.4), (736, 6.6), (1024, 7.0),
        (1408, 6.9), (1440, 10.5), (2048, 10.5), (2816, 9.4), (3072, 14.8), (4096, 15.7),
        (16384, 20.5), (32768, 29.8), (49152, 34.8), (57344, 50.0), (61440, 42.4),
        (64512, 42.5), (65536, 263.9), (66560, 262.7), (69632, 321.8), (73728, 269.8),
        (98304, 270.0), (262_144, 318.0),
    ];

    #[test]
    fn a_real_send_overhead_shows_the_limit_and_no_small_step() {
        let found = eager_limit(&exact(REAL), None, 0.95).unwrap();
        assert_eq!((found.above, found.up_to), (Bytes(64512), Bytes(65536)));
        let step = found.send_overhead.unwrap();
        let [before, after] = [step.before, step.after].map(|time| time.0 * 1e6);
        assert!((before - 43.0).abs() < 1.0 && (after - 264.0).abs() < 1.0);
        let eager = REAL.into_iter().filter(|(size, _)| *size < 65536);
        assert_eq!(eager_limit(&exact(eager), None, 0.95), None);
    }

    /// The real times with 10 % noise, and steady rises with more.
    #[test]
    fn noise_hides_no_limit_and_makes_none() {
        let count = |times: &[(u64, f64)], noise, wanted: fn(&EagerLimit) -> bool| {
            let found = (0..200).filter_map(|seed| {
                let medians = noisy_medians(times.iter().copied(), noise, seed);
                eager_limit(&medians, None, 0.95)
            });
            found.filter(wanted).count()
        };
        let is_it = |one: &EagerLimit| (one.above.0, one.up_to.0) == (64512, 65536);
        let found = count(&REAL, 0.1, is_it);
        assert!(found >= 190, "{found} of 200");
        for (noise, slope, most) in [(0.2, 1e-3, 0), (0.2, 0.0, 0), (0.3, 1e-3, 4), (0.3, 0.0, 4)] {
            let time = |m: u64| (m, 5.0 + slope * m as f64);
            let times: Vec<_> = doubling(20).into_iter().map(time).collect();
            let made = count(&times, noise, |_| true);
            assert!(made <= most, "{made} of 200 at {noise}");
        }
    }

    /// Copies that cost twice as much per byte from 256 KiB on, and one size that is off.
    #[test]
    fn neither_copies_nor_a_single_size_are_a_limit() {
        let truths: [fn(u64) -> f64; 3] = [
            |m| 5.0 + 1e-3 * (m + m.saturating_sub(1 << 18)) as f64,
            |m| if m == 4096 { 50.0 } else { 5.0 },
            |m| if m == 1 << 20 { 50.0 } else { 5.0 },
        ];
        for truth in truths {
            let times = doubling(20).into_iter().map(|m| (m, truth(m)));
            assert_eq!(eager_limit(&exact(times), None, 0.95), None);
        }
        assert_eq!(eager_limit(&[], None, 0.95), None);
    }

    /// A break among doubling sizes of the ping-pong and a jump among finer sizes of os are one finding. Without os the
    /// ping-pong gives a wider interval.
    #[test]
    fn both_are_one_finding() {
        let late = |m: u64| if m >= 65536 { 1.8e-4 } else { 0.0 };
        let sizes = doubling(20).into_iter();
        let times = sizes.map(|m| (m, 5e-5 + 1e-8 * m as f64 + late(m)));
        let pieces = find(&noisy_medians(times, 1e-3, 1), 0.95).unwrap();
        let both = eager_limit(&exact(REAL), Some(&pieces), 0.95).unwrap();
        assert_eq!((both.above, both.up_to), (Bytes(64512), Bytes(65536)));
        let jump = both.ping_pong.unwrap().jump.value;
        assert!((jump / 1.8e-4 - 1.0).abs() < 0.1, "{jump}");
        let alone = eager_limit(&[], Some(&pieces), 0.95).unwrap();
        assert_eq!((alone.above, alone.up_to), (Bytes(32768), Bytes(65536)));
        assert_eq!(alone.send_overhead, None);
    }
}
