//! The plainest rival: for each measured size a straight line in n, between sizes a straight
//! line in (log m, log T).

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_core::fit::Point;
use netsig_core::stats::line::Line;
use netsig_core::units::{Bytes, Procs, Seconds};

/// The least time that a line is taken to give: its logarithm must exist.
const LEAST: f64 = 1e-9;

/// The lines, by size.
pub(super) struct Lines(Vec<(Bytes, Line)>);

impl Lines {
    /// By least squares, from the sizes with at least two process counts; nothing if fewer
    /// than two sizes have them.
    pub(super) fn fit(points: &[Point]) -> Option<Self> {
        let mut by_size: BTreeMap<Bytes, Vec<_>> = BTreeMap::new();
        for point in points.iter().filter(|point| point.size.0 > 0) {
            let own = by_size.entry(point.size).or_default();
            own.push((f64::from(point.procs.get()), point.time.0, 1.0));
        }
        by_size.retain(|_, own| !own.iter().map(|point| point.0).all_equal());
        let lines = by_size
            .iter()
            .map(|(size, own)| (*size, Line::through(own)));
        (by_size.len() >= 2).then(|| Self(lines.collect()))
    }

    /// The time; beyond the sizes the last segment goes on.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        let upper = self.0.partition_point(|(known, _)| *known < size);
        let upper = upper.clamp(1, self.0.len() - 1);
        let end = |(size, line): &(Bytes, Line)| {
            let time = line.at(f64::from(procs.get()));
            (size.as_f64().ln(), time.max(LEAST).ln())
        };
        let [(x, y), (x1, y1)] = [upper - 1, upper].map(|place| end(&self.0[place]));
        let share = (size.as_f64().ln() - x) / (x1 - x);
        Seconds((y + share * (y1 - y)).exp())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Points at every process count and size, on `time`.
    pub(in super::super) fn points(
        (procs, sizes): (&[u32], &[u64]),
        time: impl Fn(f64, f64) -> f64,
    ) -> Vec<Point> {
        let all = procs
            .iter()
            .flat_map(|n| sizes.iter().map(move |m| (*n, *m)));
        all.map(|(procs, size)| Point {
            procs: Procs::new(procs).unwrap(),
            size: Bytes(size),
            time: Seconds(time(f64::from(procs), size as f64)),
            deviation: Seconds(0.0),
            repetitions: 1,
        })
        .collect()
    }

    /// A line in n times a power of m is what the rival holds to be true everywhere.
    #[test]
    fn lines_in_n_and_powers_of_m_are_recovered() {
        let truth = |n: f64, m: f64| (3.0 * n - 2.0) * m.powf(0.75) * 1e-6;
        let known = points((&[4, 6, 8], &[256, 4096, 16384]), truth);
        let lines = Lines::fit(&known).unwrap();
        for (n, m) in [(16, 64), (12, 256), (5, 1000), (12, 9000), (10, 1 << 20)] {
            let time = lines.time(Procs::new(n).unwrap(), Bytes(m)).0;
            let expected = truth(f64::from(n), m as f64);
            assert!((time / expected - 1.0).abs() < 1e-9, "{n} {m}");
        }
    }

    #[test]
    fn least_squares_by_hand_and_too_few_points() {
        // Through (4, 1), (6, 2), (8, 6): slope 5/4, mean 3 at 6.
        let times = |n: f64, _: f64| 1.0 + 0.5 * (n - 4.0) + 0.375 * (n - 4.0) * (n - 6.0);
        let lines = Lines::fit(&points((&[4, 6, 8], &[8, 16]), times)).unwrap();
        let time = lines.time(Procs::new(10).unwrap(), Bytes(8)).0;
        assert!((time - 8.0).abs() < 1e-12);
        assert!(Lines::fit(&points((&[4], &[8, 16]), times)).is_none());
        assert!(Lines::fit(&points((&[4, 6], &[8]), times)).is_none());
    }
}
