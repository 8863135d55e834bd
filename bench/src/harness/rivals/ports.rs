//! Rival `line per x`: for x = (n−1)·m, the bytes that pass a port, a straight line in n through the times at the
//! measured counts. These times are interpolated in x, separately for eager and other messages.

use std::collections::BTreeMap;

use netsig_base::stats::line::FittedLine;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;

use super::curve::LogCurve;
use super::protocol::ProtocolFits;

/// The measured times of each protocol, by process count.
pub(super) struct PortLines(ProtocolFits<BTreeMap<Procs, LogCurve>>);

impl PortLines {
    /// Fits the curves; `None` with fewer than two process counts.
    pub(super) fn fit(points: &[MeasuredPoint], eager_limit: Option<Bytes>) -> Option<Self> {
        let curves = ProtocolFits::fit(points, eager_limit, |points| {
            let mut by_count: BTreeMap<Procs, Vec<(f64, f64)>> = BTreeMap::new();
            for point in points {
                let x = point.procs.partners() * point.size.as_f64();
                if x > 0.0 {
                    by_count.entry(point.procs).or_default().push((x, point.time.0));
                }
            }
            let curve = |(procs, mut curve_points): (Procs, Vec<(f64, f64)>)| {
                curve_points.sort_by(|a, b| a.0.total_cmp(&b.0));
                (procs, LogCurve::new(curve_points.into_iter()))
            };
            by_count.into_iter().map(curve).collect()
        });
        let mut protocol_curves = curves.both().iter();
        let has_lines = protocol_curves.any(|curves: &BTreeMap<_, _>| curves.len() > 1);
        has_lines.then_some(Self(curves))
    }

    /// The time; `None` for a protocol with fewer than two measured counts.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Option<Seconds> {
        let curves = self.0.fit_of(size);
        if curves.len() < 2 {
            return None;
        }
        let x = procs.partners() * size.as_f64();
        let of_count = |(count, curve): (&Procs, &LogCurve)| (f64::from(count.get()), curve.at(x).0, 1.0);
        let points: Vec<_> = curves.iter().map(of_count).collect();
        let time = FittedLine::through(&points).at(f64::from(procs.get()));
        Some(Seconds(time.max(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::points;
    use super::*;

    /// A power of x times a line in n, twice as long from 1000 bytes on.
    #[test]
    fn lines_in_n_at_equal_x_are_recovered() {
        let truth = |n: f64, m: f64| {
            let protocol = if m < 1000.0 { 1.0 } else { 2.0 };
            protocol * (2.0 + n) * ((n - 1.0) * m).powf(0.9)
        };
        let points = points(&[4, 6, 8], &[100, 500, 2000, 9000], truth);
        let fit = PortLines::fit(&points, Some(Bytes(1000))).unwrap();
        for (n, m) in [(12, 200), (16, 999), (16, 1000), (12, 5000)] {
            let time = fit.time(Procs::new(n).unwrap(), Bytes(m)).unwrap().0;
            assert!((time / truth(f64::from(n), m as f64) - 1.0).abs() < 1e-9, "{n} {m}");
        }
    }
}
