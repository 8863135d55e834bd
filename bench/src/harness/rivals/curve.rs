//! A curve through points, linear in the logarithms of both coordinates; beyond the points it continues the last
//! segment.

use netsig_base::units::Seconds;

/// Least time in seconds, so that its logarithm exists.
const LEAST_TIME: f64 = 1e-9;

/// A curve through at least one point.
pub(super) struct LogCurve(Vec<(f64, f64)>);

impl LogCurve {
    /// The curve through points of ascending x, above 0.
    pub(super) fn new(points: impl Iterator<Item = (f64, f64)>) -> Self {
        Self(points.map(|(x, time)| (x.ln(), time.max(LEAST_TIME).ln())).collect())
    }

    /// The time at x; proportional to x if there is a single point.
    pub(super) fn at(&self, x: f64) -> Seconds {
        let log_x = x.ln();
        if let [(only, time)] = self.0[..] {
            return Seconds((time + log_x - only).exp());
        }
        let first_above = self.0.partition_point(|(known, _)| *known < log_x);
        let upper = first_above.clamp(1, self.0.len() - 1);
        let [(x0, y0), (x1, y1)] = [self.0[upper - 1], self.0[upper]];
        Seconds((y0 + (log_x - x0) / (x1 - x0) * (y1 - y0)).exp())
    }
}
