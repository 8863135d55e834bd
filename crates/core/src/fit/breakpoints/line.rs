//! A straight line through points with relative errors, by weighted least squares.
//!
//! # Formula
//! t = t̄ + b·(m − m̄) with weights w = 1/(v·t²): b = Σw(m−m̄)(t−t̄)/S, S = Σw(m−m̄)²,
//! var(b) = s²/S and var(t(m)) = s²·(1/Σw + (m−m̄)²/S), where s² = Σw·(t−t(m))²/(N−2) in
//! units of v. Centred, since sizes range over six decades.

use crate::fit::levels::Level;
use crate::fit::{Estimate, Variance};
use crate::units::Bytes;

/// The relative error that no point is without.
const OWN_NOISE: f64 = 1e-3;

/// The relative error that no line is free of, in units of [`OWN_NOISE`].
pub(super) const LEAST_NOISE: f64 = 0.2;

/// With how many degrees of freedom the errors of points are known: the harmonic mean over the
/// points, since launches tell the errors of all of them at once. 0 if any has none.
pub(super) fn known_dof(levels: &[Level]) -> f64 {
    let inverse = levels.iter().map(|level| 1.0 / level.launched_dof);
    levels.len() as f64 / inverse.sum::<f64>()
}

/// A fitted line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    count: usize,
    weight: f64,
    mean_size: f64,
    mean_time: f64,
    spread: f64,
    /// b.
    pub slope: f64,
    /// Weighted residual sum of squares.
    pub rss: f64,
}

impl Line {
    /// The best line through at least two points of different sizes.
    pub fn through(levels: &[Level]) -> Self {
        let points = || {
            levels.iter().map(|level| {
                let time = level.time.0;
                let variance = (OWN_NOISE * time).powi(2) + level.variance.value;
                (level.size.as_f64(), time, 1.0 / variance)
            })
        };
        let weight: f64 = points().map(|(_, _, w)| w).sum();
        let mean_size = points().map(|(m, _, w)| w * m).sum::<f64>() / weight;
        let mean_time = points().map(|(_, t, w)| w * t).sum::<f64>() / weight;
        let spread: f64 = points().map(|(m, _, w)| w * (m - mean_size).powi(2)).sum();
        let product = |(m, t, w): (f64, f64, f64)| w * (m - mean_size) * (t - mean_time);
        let slope = points().map(product).sum::<f64>() / spread;
        let residual = |(m, t, _): (f64, f64, f64)| t - mean_time - slope * (m - mean_size);
        Self {
            count: levels.len(),
            weight,
            mean_size,
            mean_time,
            spread,
            slope,
            rss: points()
                .map(|point| point.2 * residual(point).powi(2))
                .sum(),
        }
    }

    /// What lines of the same times have in common: s² over all of them.
    pub fn pooled_scale(lines: &[Self]) -> Variance {
        let dof: usize = lines.iter().map(Self::dof).sum();
        let rss: f64 = lines.iter().map(|line| line.rss).sum();
        let dof = dof.max(1) as f64;
        Variance {
            value: (rss / dof).max(LEAST_NOISE.powi(2)),
            dof,
        }
    }

    /// The line at `size` in seconds.
    pub fn at(&self, size: Bytes) -> f64 {
        self.mean_time + self.slope * (size.as_f64() - self.mean_size)
    }

    /// The line at `size` with its interval.
    pub fn estimate_at(&self, size: Bytes, pooled: Variance, confidence: f64) -> Estimate {
        let variance = self.variance_at(size, pooled);
        Estimate::around(self.at(size), &[variance], confidence)
    }

    /// The slope with its interval.
    pub fn slope(&self, pooled: Variance, confidence: f64) -> Estimate {
        Estimate::around(self.slope, &[self.slope_variance(pooled)], confidence)
    }

    /// The variance of the line at `size`.
    pub fn variance_at(&self, size: Bytes, pooled: Variance) -> Variance {
        let distance = size.as_f64() - self.mean_size;
        self.scaled(
            pooled,
            1.0 / self.weight + distance * distance / self.spread,
        )
    }

    /// The variance of the slope.
    pub fn slope_variance(&self, pooled: Variance) -> Variance {
        self.scaled(pooled, 1.0 / self.spread)
    }

    /// By how much `other` is above this line if both have the slope that suits them best, and
    /// the variance of that.
    pub fn step_to(&self, other: &Self) -> (f64, Variance) {
        let lines = [self, other];
        let spread = self.spread + other.spread;
        let slope = (self.slope * self.spread + other.slope * other.spread) / spread;
        let [from, to] = lines.map(|line| line.mean_time - slope * line.mean_size);
        let turned = lines.map(|line| line.rss + (line.slope - slope).powi(2) * line.spread);
        let dof = (self.count + other.count - 3) as f64;
        let scale = ((turned[0] + turned[1]) / dof).max(LEAST_NOISE.powi(2));
        let distance = other.mean_size - self.mean_size;
        let factor = 1.0 / self.weight + 1.0 / other.weight + distance * distance / spread;
        let value = scale * factor;
        (to - from, Variance { value, dof })
    }

    /// A variance in units of s²: its own s² where it has at least two degrees of freedom,
    /// else the pooled one.
    fn scaled(&self, pooled: Variance, factor: f64) -> Variance {
        let scale = if self.dof() < 2 {
            pooled
        } else {
            Variance {
                value: (self.rss / self.dof() as f64).max(LEAST_NOISE.powi(2)),
                dof: self.dof() as f64,
            }
        };
        Variance {
            value: scale.value * factor,
            ..scale
        }
    }

    fn dof(&self) -> usize {
        self.count - 2
    }
}
