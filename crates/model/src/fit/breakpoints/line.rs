//! A straight line through points with relative errors: [`stats::line`](netsig_base::stats::line) with
//! the weights w = 1/(v·t²), s² in units of v.

use netsig_base::stats::interval::Variance;
use netsig_base::stats::line;
use netsig_base::units::Bytes;

use crate::fit::medians::SizeMedian;

/// Least relative error of every point.
const POINT_NOISE: f64 = 1e-3;

/// Least relative error of every line, in units of [`POINT_NOISE`].
pub(super) const LINE_NOISE: f64 = 0.2;

/// Degrees of freedom of the errors of points: the harmonic mean over the points, because
/// launches determine the errors of all points together. 0 if any point has none.
pub(super) fn known_dof(medians: &[SizeMedian]) -> f64 {
    let inverse = medians.iter().map(|level| 1.0 / level.between_launches_dof);
    medians.len() as f64 / inverse.sum::<f64>()
}

/// A fitted line.
#[derive(Debug, Clone, Copy, derive_more::Deref)]
pub(super) struct WeightedLine(line::FittedLine);

impl WeightedLine {
    /// The best line through at least two points of different sizes.
    pub fn through(medians: &[SizeMedian]) -> Self {
        let point = |level: &SizeMedian| {
            let time = level.time.0;
            let variance = (POINT_NOISE * time).powi(2) + level.variance.value;
            (level.size.as_f64(), time, 1.0 / variance)
        };
        Self(line::FittedLine::through(
            &medians.iter().map(point).collect::<Vec<_>>(),
        ))
    }

    /// s² pooled over several lines through the same experiment.
    pub fn pooled_scale(lines: &[Self]) -> Variance {
        let dof_sum: usize = lines.iter().map(Self::dof).sum();
        let rss: f64 = lines.iter().map(|line| line.0.rss).sum();
        let dof = dof_sum.max(1) as f64;
        Variance {
            value: (rss / dof).max(LINE_NOISE.powi(2)),
            dof,
        }
    }

    /// The line at `size` in seconds.
    pub fn at(&self, size: Bytes) -> f64 {
        self.0.at(size.as_f64())
    }

    /// The variance of the line at `size`.
    pub fn variance_at(&self, size: Bytes, pooled: Variance) -> Variance {
        self.scale(pooled).scaled(self.0.variance_at(size.as_f64()))
    }

    /// The variance of the slope.
    pub fn slope_variance(&self, pooled: Variance) -> Variance {
        self.scale(pooled).scaled(1.0 / self.0.spread)
    }

    /// Height of `other` above this line if both have their best common slope, and its variance.
    pub fn step_to(&self, other: &Self) -> (f64, Variance) {
        let lines = [self.0, other.0];
        let [one, two] = lines;
        let spread = one.spread + two.spread;
        let slope = (one.slope * one.spread + two.slope * two.spread) / spread;
        let [from, to] = lines.map(|line| line.mean_y - slope * line.mean_x);
        let residual_sums = lines.map(|line| line.rss + (line.slope - slope).powi(2) * line.spread);
        let dof = (one.count + two.count - 3) as f64;
        let scale = ((residual_sums[0] + residual_sums[1]) / dof).max(LINE_NOISE.powi(2));
        let distance = two.mean_x - one.mean_x;
        let factor = 1.0 / one.weight + 1.0 / two.weight + distance * distance / spread;
        let value = scale * factor;
        (to - from, Variance { value, dof })
    }

    /// s²: the line's own with at least two degrees of freedom, else the pooled one.
    fn scale(&self, pooled: Variance) -> Variance {
        if self.dof() < 2 {
            return pooled;
        }
        Self::pooled_scale(&[*self])
    }

    fn dof(&self) -> usize {
        self.0.count - 2
    }
}
