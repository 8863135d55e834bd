//! Rival `neighbouring sizes`: at each measured process count log T is linear in log m between the sizes.

use std::collections::BTreeMap;

use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;

use super::curve::LogCurve;

/// For each process count the curve of times over sizes.
pub(super) struct SizeCurves(BTreeMap<Procs, LogCurve>);

impl SizeCurves {
    /// Fits the curves; empty messages are left out.
    pub(super) fn fit(points: &[MeasuredPoint]) -> Self {
        let mut by_count: BTreeMap<Procs, BTreeMap<Bytes, Seconds>> = BTreeMap::new();
        for point in points.iter().filter(|point| point.size.0 > 0) {
            let times_by_size = by_count.entry(point.procs).or_default();
            times_by_size.insert(point.size, point.time);
        }
        let curve = |(procs, times_by_size): (Procs, BTreeMap<Bytes, Seconds>)| {
            let points = times_by_size.iter().map(|(size, time)| (size.as_f64(), time.0));
            (procs, LogCurve::new(points))
        };
        Self(by_count.into_iter().map(curve).collect())
    }

    /// The time; `None` for a process count that was not measured.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Option<Seconds> {
        Some(self.0.get(&procs)?.at(size.as_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::points;
    use super::*;

    /// A power of m at each count is the rival's assumption; it tells nothing about other counts.
    #[test]
    fn powers_of_m_are_recovered_at_each_count() {
        let truth = |n: f64, m: f64| n.sqrt() * m.powf(0.2 * n) * 1e-6;
        let fit = SizeCurves::fit(&points(&[3, 5], &[64, 4096, 16384], truth));
        for (n, m) in [(3, 16), (3, 512), (5, 8192), (5, 32768)] {
            let time = fit.time(Procs::new(n).unwrap(), Bytes(m)).unwrap().0;
            let expected = truth(f64::from(n), m as f64);
            assert!((time / expected - 1.0).abs() < 1e-9, "{n} {m}");
        }
        assert!(fit.time(Procs::new(4).unwrap(), Bytes(64)).is_none());
    }
}
