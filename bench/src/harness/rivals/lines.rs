//! Rival `line per size`: for each measured size a straight line in n, with the least squares of the relative errors.
//! Between sizes, log T is linear in log m.

use std::collections::BTreeMap;

use itertools::Itertools;
use netsig_base::stats::line::FittedLine;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;

use super::curve::LogCurve;

/// The line of each size.
pub(super) struct SizeLines(Vec<(Bytes, FittedLine)>);

impl SizeLines {
    /// Fits the lines, for sizes with at least two process counts; `None` without any.
    pub(super) fn fit(points: &[MeasuredPoint]) -> Option<Self> {
        let mut by_size: BTreeMap<Bytes, Vec<_>> = BTreeMap::new();
        for point in points.iter().filter(|point| point.size.0 > 0) {
            let size_points = by_size.entry(point.size).or_default();
            let time = point.time.0;
            size_points.push((f64::from(point.procs.get()), time, time.powi(-2)));
        }
        by_size.retain(|_, size_points| !size_points.iter().map(|point| point.0).all_equal());
        let lines = by_size
            .iter()
            .map(|(size, size_points)| (*size, FittedLine::through(size_points)));
        (!by_size.is_empty()).then(|| Self(lines.collect()))
    }

    /// The time; beyond the sizes the last segment is extrapolated.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        let n = f64::from(procs.get());
        let of_size = |(size, line): &(Bytes, FittedLine)| (size.as_f64(), line.at(n));
        LogCurve::new(self.0.iter().map(of_size)).at(size.as_f64())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Points at every process count and size, on `time`.
    pub(in super::super) fn points(procs: &[u32], sizes: &[u64], time: impl Fn(f64, f64) -> f64) -> Vec<MeasuredPoint> {
        let cases = procs.iter().cartesian_product(sizes);
        cases
            .map(|(&procs, &size)| MeasuredPoint {
                procs: Procs::new(procs).unwrap(),
                size: Bytes(size),
                time: Seconds(time(f64::from(procs), size as f64)),
                deviation: Seconds(0.0),
                repetitions: 1,
            })
            .collect()
    }

    /// A line in n times a power of m is the rival's assumption.
    #[test]
    fn lines_in_n_and_powers_of_m_are_recovered() {
        let truth = |n: f64, m: f64| (3.0 * n - 2.0) * m.powf(0.75) * 1e-6;
        let lines = |procs, sizes| SizeLines::fit(&points(procs, sizes, truth));
        let fit = lines(&[4, 6, 8], &[256, 4096, 16384]).unwrap();
        for (n, m) in [(16, 64), (12, 256), (5, 1000), (12, 9000), (10, 1 << 20)] {
            let time = fit.time(Procs::new(n).unwrap(), Bytes(m)).0;
            let expected = truth(f64::from(n), m as f64);
            assert!((time / expected - 1.0).abs() < 1e-9, "{n} {m}");
        }
        assert!(lines(&[4], &[8, 16]).is_none());
    }
}
