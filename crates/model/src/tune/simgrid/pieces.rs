//! The time of a message as linear pieces, from which `SimGrid`'s factors by size follow.
//!
//! SMPI adds [`ENVELOPE`] bytes to every message before it looks for a factor and computes a time.

use itertools::Itertools;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

use super::xml::number;

/// Bytes that SMPI adds to a message for tag, receiver and communicator.
const ENVELOPE: u64 = 16;

/// Largest error that a piece may leave, unless it covers less than [`FINEST`].
const TOLERANCE: f64 = 0.01;

/// Ratio of the last size of a piece to its first below which the piece is not divided.
const FINEST: f64 = 1.5;

/// Relative difference up to which neighbouring pieces are the same.
const SAME: f64 = 1e-6;

/// A time for every size: pieces in the order of sizes, at least one.
pub(super) struct PiecewiseTime {
    pieces: Vec<TimePiece>,
    /// Largest relative error, and its size.
    worst: (f64, Bytes),
}

/// The time `latency` + `gap`·w of messages of w bytes with their envelope, w > `after`.
#[derive(Debug, Clone, Copy)]
struct TimePiece {
    after: u64,
    latency: f64,
    gap: f64,
}

/// The sizes of a piece with their times: first and last.
type PieceEnds = [(Bytes, f64); 2];

impl PiecewiseTime {
    /// Pieces of `time` in seconds, which is linear between the sizes `ends`; the last piece has no end.
    /// Gaps per byte are at least `least`, latencies at least 0.
    ///
    /// # Formula
    /// With the envelope, the piece from size x to size y with times T(x), T(y) has b = (T(y) − T(x))/(y − x) and
    /// a = T(x) − b·x. If b is below the least gap, b is that gap, and a makes the relative errors
    /// at x and y opposite; if a is below 0, a is 0, and b makes them so. Pieces that are more than 1 %
    /// off are divided.
    pub(super) fn of(time: impl Fn(Bytes) -> f64, ends: impl Iterator<Item = Bytes>, least: SecondsPerByte) -> Self {
        let ends: Vec<u64> = ends.map(|size| size.0).sorted().dedup().collect();
        let first = [[Bytes(0), Bytes(0)]].into_iter();
        let neighbours = [0].iter().chain(&ends).tuple_windows();
        let others = neighbours.map(|(before, last)| [Bytes(before + 1), Bytes(*last)]);
        let mut found = Self {
            pieces: Vec::new(),
            worst: (0.0, Bytes(0)),
        };
        for range in first.chain(others.filter(|[first, last]| first <= last)) {
            found.divide(range, &time, least.0);
        }
        found
    }

    /// Adds the pieces from the first to the last size.
    fn divide(&mut self, [first, last]: [Bytes; 2], time: &impl Fn(Bytes) -> f64, least: f64) {
        let ends = [first, last].map(|size| (size, time(size)));
        let piece = TimePiece::through(ends, least);
        let (error, size) = piece.error(ends);
        if error > TOLERANCE && last.as_f64() > FINEST * first.as_f64() && last.0 > first.0 + 1 {
            let middle_size = Bytes::rounded((first.as_f64() * last.as_f64()).sqrt());
            let middle = middle_size.0.clamp(first.0, last.0 - 1);
            self.divide([first, Bytes(middle)], time, least);
            self.divide([Bytes(middle + 1), last], time, least);
            return;
        }
        if error > self.worst.0 {
            self.worst = (error, size);
        }
        if !self.pieces.last().is_some_and(|before| before.is_same_as(&piece)) {
            self.pieces.push(piece);
        }
    }

    /// Latency of the platform: that of the first piece with any.
    pub(super) fn base_latency(&self) -> Seconds {
        let mut latencies = self.pieces.iter().map(|piece| piece.latency);
        Seconds(latencies.find(|latency| *latency > 0.0).unwrap_or(0.0))
    }

    /// `size:factor;…` of the latency: a factor holds for longer messages up to the next size.
    pub(super) fn latency_factors(&self, base: Seconds) -> String {
        let ratio = |latency: f64| if base.0 > 0.0 { latency / base.0 } else { 1.0 };
        self.factors(|piece| ratio(piece.latency))
    }

    /// `size:factor;…` of the bandwidth.
    pub(super) fn bandwidth_factors(&self, base: SecondsPerByte) -> String {
        self.factors(|piece| base.0 / piece.gap)
    }

    fn factors(&self, factor: impl Fn(&TimePiece) -> f64) -> String {
        let pairs = self.pieces.iter().map(|piece| (piece.after, number(factor(piece))));
        let distinct = pairs.dedup_by(|before, next| before.1 == next.1);
        distinct.map(|(after, factor)| format!("{after}:{factor}")).join(";")
    }

    /// A sentence with the largest error.
    pub(super) fn accuracy(&self) -> String {
        let (error, Bytes(size)) = self.worst;
        if error < 1e-3 {
            return "An undisturbed message takes the profile's time at every size.".to_owned();
        }
        format!(
            "An undisturbed message takes the profile's time; the largest difference, at {size} bytes, \
             is {:.1} %.",
            error * 100.0
        )
    }
}

impl TimePiece {
    /// The piece between two sizes, or of one.
    fn through([(first, early), (last, late)]: PieceEnds, least: f64) -> Self {
        let after = if first.0 == 0 { 0 } else { first.0 + ENVELOPE - 1 };
        let [x, y] = [first, last].map(with_envelope);
        let gap = if last > first { (late - early) / (y - x) } else { least };
        let latency = early - gap * x;
        if gap < least {
            let rest = [early - least * x, late - least * y];
            let balanced = (rest[0] * late + rest[1] * early) / (early + late);
            return Self {
                after,
                latency: positive(balanced),
                gap: least,
            };
        }
        if latency < 0.0 {
            let [a, b] = [early / x, late / y];
            return Self {
                after,
                latency: 0.0,
                gap: (2.0 * a * b / (a + b)).max(least),
            };
        }
        Self { after, latency, gap }
    }

    /// The larger of the relative errors at both ends, and its size.
    fn error(&self, ends: PieceEnds) -> (f64, Bytes) {
        let at = |(size, time): (Bytes, f64)| {
            let modelled_time = self.latency + self.gap * with_envelope(size);
            let error = if time > 0.0 {
                (modelled_time / time - 1.0).abs()
            } else {
                0.0
            };
            (error, size)
        };
        let [early, late] = ends.map(at);
        if early.0 < late.0 { late } else { early }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        let same = |a: f64, b: f64| (a - b).abs() <= SAME * a.max(b);
        same(self.latency, other.latency) && same(self.gap, other.gap)
    }
}

fn with_envelope(size: Bytes) -> f64 {
    Bytes(size.0 + ENVELOPE).as_f64()
}

/// The latency, or 0 if it is below 0 or undefined, because both times are 0.
fn positive(latency: f64) -> f64 {
    if latency > 0.0 { latency } else { 0.0 }
}
