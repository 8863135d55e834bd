//! Regression by a Gaussian process with a linear trend (universal kriging).
//!
//! # Formula
//! y(x) = h(x)ᵀ·b + z(x) + e: h has the trend's columns, cov(z(x), z(x′)) = s²·exp(−½·Σ((xᵢ − x′ᵢ)/ℓᵢ)²) and var(e) =
//! s²·τ²·v. v is the point's relative variance. Generalised least squares estimate b and s². ℓ and τ² are the values
//! of a grid with the largest restricted likelihood:
//!
//! ```text
//! −½·((N − p)·ln s² + ln det K + ln det HᵀK⁻¹H),   s² = rᵀK⁻¹r/(N − p),   r = y − H·b
//! ```
//!
//! # Source
//! Rasmussen and Williams 2006, sections 2.7 and 5.4; Patterson and Thompson 1971 for the
//! restricted likelihood.

use itertools::iproduct;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// A point of D coordinates with its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianPoint<const D: usize> {
    /// Coordinates x.
    pub coordinates: [f64; D],
    /// Value y.
    pub value: f64,
    /// Variance v of the error relative to other points, above 0.
    pub variance: f64,
}

/// Trend of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GaussianTrend {
    /// Zero everywhere: far from all points the process knows nothing.
    Zero,
    /// A constant and a slope in every coordinate.
    Linear,
}

/// Candidates of the search.
#[derive(Debug, Clone)]
pub struct GaussianGrid<'a, const D: usize> {
    /// Lengths ℓ of every coordinate.
    pub lengths: [&'a [f64]; D],
    /// τ²: variance of the errors relative to that of the process.
    pub noise: &'a [f64],
}

/// A fitted process.
#[derive(Debug, Clone)]
pub struct GaussianProcess<const D: usize> {
    places: Vec<[f64; D]>,
    /// Lengths ℓ.
    lengths: [f64; D],
    /// Variance s².
    scale: f64,
    factor: Cholesky<f64, Dyn>,
    /// Coefficients b.
    slopes: DVector<f64>,
    /// K⁻¹·(y − H·b).
    weights: DVector<f64>,
    /// K⁻¹·H and (HᵀK⁻¹H)⁻¹.
    of_trend: (DMatrix<f64>, DMatrix<f64>),
    likelihood: f64,
}

impl<const D: usize> GaussianProcess<D> {
    /// The likeliest process of the grid; `None` with fewer points than the trend needs, or if no
    /// matrix of the grid can be inverted.
    pub fn fit(points: &[GaussianPoint<D>], trend: GaussianTrend, grid: &GaussianGrid<D>) -> Option<Self> {
        if points.len() <= trend.columns::<D>() {
            return None;
        }
        let lengths = combinations(grid.lengths);
        let candidates = iproduct!(&lengths, grid.noise);
        let fitted = candidates.filter_map(|(lengths, noise)| Self::fit_with(points, trend, *lengths, *noise));
        fitted.max_by(|a, b| a.likelihood.total_cmp(&b.likelihood))
    }

    fn fit_with(points: &[GaussianPoint<D>], trend: GaussianTrend, lengths: [f64; D], noise: f64) -> Option<Self> {
        let count = points.len();
        let covariance = DMatrix::from_fn(count, count, |i, j| {
            let noise_variance = if i == j { noise * points[i].variance } else { 0.0 };
            correlation(&lengths, &points[i].coordinates, &points[j].coordinates) + noise_variance
        });
        let factor = Cholesky::new(covariance)?;
        let values = DVector::from_iterator(count, points.iter().map(|point| point.value));
        let columns = DMatrix::from_fn(count, trend.columns::<D>(), |i, j| column(&points[i].coordinates, j));
        let solved = factor.solve(&columns);
        let gram_matrix = columns.tr_mul(&solved);
        let gram = Cholesky::new(gram_matrix)?;
        let slopes = gram.solve(&solved.tr_mul(&values));
        let rest = &values - &columns * &slopes;
        let weights = factor.solve(&rest);
        let free = (count - columns.ncols()) as f64;
        let scale = (rest.dot(&weights) / free).max(f64::MIN_POSITIVE);
        let log = |factor: &Cholesky<f64, Dyn>| {
            let diagonal = factor.l_dirty().diagonal();
            2.0 * diagonal.iter().map(|entry| entry.ln()).sum::<f64>()
        };
        let likelihood = -0.5 * (free * scale.ln() + log(&factor) + log(&gram));
        Some(Self {
            places: points.iter().map(|point| point.coordinates).collect(),
            lengths,
            scale,
            slopes,
            weights,
            of_trend: (solved, gram.inverse()),
            factor,
            likelihood,
        })
    }

    /// Lengths ℓ.
    pub fn lengths(&self) -> [f64; D] {
        self.lengths
    }

    /// Weights K⁻¹·(y − H·b) of the points: the mean without the trend is their sum, each times the
    /// correlation with its point.
    pub fn weights(&self) -> impl Iterator<Item = f64> {
        self.weights.iter().copied()
    }

    /// Mean and variance of y − e at a place.
    pub fn mean_and_variance(&self, place: [f64; D]) -> (f64, f64) {
        let places = self.places.iter();
        let correlations = places.map(|other| correlation(&self.lengths, other, &place));
        let near = DVector::from_iterator(self.places.len(), correlations);
        let indices = 0..self.slopes.len();
        let values = indices.map(|j| column(&place, j));
        let columns = DVector::from_iterator(self.slopes.len(), values);
        let mean = columns.dot(&self.slopes) + near.dot(&self.weights);
        let (solved, inverse) = &self.of_trend;
        let unknown = columns - solved.tr_mul(&near);
        let variance = 1.0 - near.dot(&self.factor.solve(&near)) + unknown.dot(&(inverse * &unknown));
        (mean, self.scale * variance.max(0.0))
    }
}

impl GaussianTrend {
    fn columns<const D: usize>(self) -> usize {
        match self {
            Self::Zero => 0,
            Self::Linear => 1 + D,
        }
    }
}

/// Column j of a linear trend at a place: the constant, then the coordinates.
fn column<const D: usize>(place: &[f64; D], j: usize) -> f64 {
    j.checked_sub(1).map_or(1.0, |coordinate| place[coordinate])
}

/// All choices of one length for every coordinate.
fn combinations<const D: usize>(lengths: [&[f64]; D]) -> Vec<[f64; D]> {
    let mut all = vec![[0.0; D]];
    for (coordinate, choices) in lengths.iter().enumerate() {
        let extended = |chosen: [f64; D]| {
            choices.iter().map(move |length| {
                let mut chosen = chosen;
                chosen[coordinate] = *length;
                chosen
            })
        };
        all = all.into_iter().flat_map(extended).collect();
    }
    all
}

fn correlation<const D: usize>(lengths: &[f64; D], a: &[f64; D], b: &[f64; D]) -> f64 {
    let squares = (0..D).map(|i| ((a[i] - b[i]) / lengths[i]).powi(2));
    (-0.5 * squares.sum::<f64>()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: GaussianGrid<'static, 2> = GaussianGrid {
        lengths: [&[0.5, 1.0, 2.0], &[0.5, 1.0, 2.0]],
        noise: &[1e-6, 1e-3, 1e-1],
    };

    fn points(value: impl Fn(f64, f64) -> f64) -> Vec<GaussianPoint<2>> {
        let grid = iproduct!(0..7, 0..4).map(|(i, j)| [f64::from(i) * 0.5, f64::from(j) * 0.4]);
        let point = |at: [f64; 2]| GaussianPoint {
            coordinates: at,
            value: value(at[0], at[1]),
            variance: 1.0,
        };
        grid.map(point).collect()
    }

    #[test]
    fn a_smooth_surface_is_met_between_its_points_and_a_plane_beyond_them() {
        let truth = |x: f64, y: f64| (1.5 * x).sin() + 0.3 * x * y;
        let process = GaussianProcess::fit(&points(truth), GaussianTrend::Linear, &GRID).unwrap();
        for at in [[0.75, 0.6], [1.3, 0.9], [2.2, 0.2]] {
            let (mean, variance) = process.mean_and_variance(at);
            assert!((mean - truth(at[0], at[1])).abs() < 0.02, "{at:?} {mean}");
            assert!(variance < 1e-2);
        }
        let plane = |x: f64, y: f64| 2.0 - 3.0 * x + y;
        let process = GaussianProcess::fit(&points(plane), GaussianTrend::Linear, &GRID).unwrap();
        assert!((process.mean_and_variance([9.0, 7.0]).0 - plane(9.0, 7.0)).abs() < 1e-6);
    }

    /// Far from its points a process without a trend knows nothing: its mean is 0 and its variance
    /// the greatest.
    #[test]
    fn without_a_trend_the_mean_returns_to_zero() {
        let process = GaussianProcess::fit(&points(|x, _| 1.0 + x.sin()), GaussianTrend::Zero, &GRID).unwrap();
        let (mean, variance) = process.mean_and_variance([100.0, 0.0]);
        assert!(mean.abs() < 1e-12 && variance > process.mean_and_variance([1.0, 0.5]).1);
        assert!(GaussianProcess::fit(&[], GaussianTrend::Zero, &GRID).is_none());
    }

    /// Each value is 0.2 off, to an irregular side: the process does not follow.
    #[test]
    fn an_error_is_smoothed() {
        let mut all = points(|x, y| x + y);
        for (index, point) in all.iter_mut().enumerate() {
            point.value += if index * index % 7 % 2 == 0 { 0.2 } else { -0.2 };
        }
        let process = GaussianProcess::fit(&all, GaussianTrend::Linear, &GRID).unwrap();
        assert!((process.mean_and_variance([1.5, 0.8]).0 - 2.3).abs() < 0.15);
    }
}
