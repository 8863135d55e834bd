//! A straight line through weighted points.
//!
//! # Formula
//! y = ȳ + b·(x − x̄) with weighted means x̄, ȳ: b = Σw(x−x̄)(y−ȳ)/S, S = Σw(x−x̄)²; with
//! cov(ε) = s²·diag(1/w), var(b) = s²/S and var(y(x)) = s²·(1/Σw + (x−x̄)²/S). The closed form of
//! [`least_squares`](super::least_squares), centred, since message sizes range over six decades;
//! two points are enough. A line through the origin has b = Σwxy/Σwx².
//!
//! # Source
//! Draper and Smith 1998, chapter 1.

/// x, y and w of a point.
pub type WeightedPoint = (f64, f64, f64);

/// A fitted line.
#[derive(Debug, Clone, Copy)]
pub struct FittedLine {
    /// Number of points.
    pub count: usize,
    /// Sum of the weights, Σw.
    pub weight: f64,
    /// Weighted mean x̄.
    pub mean_x: f64,
    /// Weighted mean ȳ.
    pub mean_y: f64,
    /// Weighted sum of squares S of x around x̄.
    pub spread: f64,
    /// Slope b.
    pub slope: f64,
    /// Weighted residual sum of squares.
    pub rss: f64,
}

impl FittedLine {
    /// The best line through at least two points of different x.
    pub fn through(points: &[WeightedPoint]) -> Self {
        let sum = |term: &dyn Fn(&WeightedPoint) -> f64| points.iter().map(term).sum::<f64>();
        let weight = sum(&|(_, _, w)| *w);
        let mean_x = sum(&|(x, _, w)| w * x) / weight;
        let mean_y = sum(&|(_, y, w)| w * y) / weight;
        let spread = sum(&|(x, _, w)| w * (x - mean_x).powi(2));
        let slope = sum(&|(x, y, w)| w * (x - mean_x) * (y - mean_y)) / spread;
        let residual = |(x, y, _): &WeightedPoint| y - mean_y - slope * (x - mean_x);
        Self {
            count: points.len(),
            weight,
            mean_x,
            mean_y,
            spread,
            slope,
            rss: sum(&|point| point.2 * residual(point).powi(2)),
        }
    }

    /// y at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.mean_y + self.slope * (x - self.mean_x)
    }

    /// The variance of y at `x` in units of s².
    pub fn variance_at(&self, x: f64) -> f64 {
        1.0 / self.weight + (x - self.mean_x).powi(2) / self.spread
    }
}

/// The slope of the best line through the origin.
pub fn slope_from_origin(points: &[WeightedPoint]) -> f64 {
    let sum = |term: fn(&WeightedPoint) -> f64| points.iter().map(term).sum::<f64>();
    sum(|(x, y, w)| x * y * w) / sum(|(x, _, w)| x * x * w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::least_squares::{Omega, solve};
    use nalgebra::{DMatrix, DVector};

    /// The closed form agrees with generalised least squares.
    #[test]
    fn closed_form_equals_general_solution() {
        let points = [(1.0, 2.0, 1.0), (2.0, 4.0, 0.5), (3.0, 5.0, 2.0), (5.0, 5.0, 1.0)];
        let line = FittedLine::through(&points);
        let x = DMatrix::from_fn(4, 2, |i, j| if j == 0 { 1.0 } else { points[i].0 });
        let y = DVector::from_fn(4, |i, _| points[i].1);
        let omega = Omega::Diagonal(DVector::from_fn(4, |i, _| 1.0 / points[i].2));
        let general = solve(&x, &y, &omega).unwrap();
        assert!((line.at(0.0) - general.theta[0]).abs() < 1e-12);
        assert!((line.slope - general.theta[1]).abs() < 1e-12);
        assert!((line.rss - general.weighted_rss).abs() < 1e-12);
        assert!((line.variance_at(0.0) - general.unscaled[(0, 0)]).abs() < 1e-12);
        assert!((1.0 / line.spread - general.unscaled[(1, 1)]).abs() < 1e-12);
        let slope = solve(&x.columns(1, 1).into_owned(), &y, &omega).unwrap();
        assert!((slope_from_origin(&points) - slope.theta[0]).abs() < 1e-12);
    }
}
