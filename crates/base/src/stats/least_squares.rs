//! Generalised least squares.
//!
//! # Formula
//! y = X·θ + ε with cov(ε) = σ²·Ω: θ̂ = (XᵀΩ⁻¹X)⁻¹XᵀΩ⁻¹y and
//! cov(θ̂) = ŝ²·(XᵀΩ⁻¹X)⁻¹, ŝ² = (y−Xθ̂)ᵀΩ⁻¹(y−Xθ̂)/(N−p).
//! X is N×p, y and θ carry the units of the data; N > p.
//!
//! # Method
//! The data are whitened (divided by standard deviations, or by the Cholesky factor of Ω), and the columns scaled to
//! length one. Singular value decomposition solves the least squares; its smallest value shows if the points
//! determine θ.
//!
//! # Source
//! Aitken 1936; Steffenel 2006 §7 prescribes GLS without naming Ω.

use nalgebra::{DMatrix, DVector};

use super::interval::Variance;

/// Ratio of singular values below which the columns count as dependent.
const DEPENDENT: f64 = 1e-10;

/// Ω up to a common factor.
#[derive(Debug, Clone)]
pub enum Omega {
    /// Independent errors with these variances, all positive.
    Diagonal(DVector<f64>),
    /// Any symmetric positive definite matrix.
    Full(DMatrix<f64>),
}

/// Reason why there is no solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsolvableReason {
    /// Too few points: N ≤ p.
    TooFew {
        /// Number of points, N.
        found: usize,
        /// Least number of points, p + 1.
        needed: usize,
    },
    /// Ω is not positive definite.
    NotPositive,
    /// The columns of X depend on each other.
    Singular,
    /// The numbers leave the range of floating point.
    Overflow,
}

/// A solved regression.
#[derive(Debug, Clone)]
pub struct Regression {
    /// θ̂, length p.
    pub theta: DVector<f64>,
    /// cov(θ̂), p×p, with the estimated scale ŝ².
    pub covariance: DMatrix<f64>,
    /// (XᵀΩ⁻¹X)⁻¹: cov(θ̂) where σ² = 1.
    pub unscaled: DMatrix<f64>,
    /// Weighted residual sum of squares, (y−Xθ̂)ᵀΩ⁻¹(y−Xθ̂).
    pub weighted_rss: f64,
    /// Degrees of freedom, N − p.
    pub dof: usize,
}

impl Regression {
    /// The variance of parameter `index`.
    pub fn variance(&self, index: usize) -> Variance {
        Variance {
            value: self.covariance[(index, index)],
            dof: self.dof as f64,
        }
    }
}

impl Omega {
    /// The correlation ρ^|i−j| between errors with the given standard deviations;
    /// ρ is inside (−1, 1).
    pub fn ar1(deviations: &DVector<f64>, rho: f64) -> Self {
        let count = deviations.len();
        Self::Full(DMatrix::from_fn(count, count, |i, j| {
            rho.powf(i.abs_diff(j) as f64) * deviations[i] * deviations[j]
        }))
    }

    /// L⁻¹·(X, y) with Ω = L·Lᵀ.
    fn whiten(&self, x: &DMatrix<f64>, y: &DVector<f64>) -> Option<(DMatrix<f64>, DVector<f64>)> {
        match self {
            Self::Diagonal(variances) => {
                if variances.iter().any(|v| !(v.is_finite() && *v > 0.0)) {
                    return None;
                }
                let deviations = variances.map(f64::sqrt);
                let rows = DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] / deviations[i]);
                Some((rows, y.component_div(&deviations)))
            }
            Self::Full(matrix) => {
                let lower = matrix.clone().cholesky()?.l();
                Some((lower.solve_lower_triangular(x)?, lower.solve_lower_triangular(y)?))
            }
        }
    }
}

/// Fits y = X·θ under Ω.
///
/// # Errors
/// If N ≤ p, Ω is not positive definite, the columns of X depend on each other, or the
/// numbers overflow.
pub fn solve(x: &DMatrix<f64>, y: &DVector<f64>, omega: &Omega) -> Result<Regression, UnsolvableReason> {
    let (count, parameters) = x.shape();
    if count <= parameters {
        return Err(UnsolvableReason::TooFew {
            found: count,
            needed: parameters + 1,
        });
    }
    let (white_x, white_y) = omega.whiten(x, y).ok_or(UnsolvableReason::NotPositive)?;
    let lengths = DVector::from_iterator(parameters, white_x.column_iter().map(|c| c.norm()));
    if lengths.iter().any(|&l| !(l.is_finite() && l > 0.0)) {
        return Err(UnsolvableReason::Singular);
    }
    let scaled = DMatrix::from_fn(count, parameters, |i, j| white_x[(i, j)] / lengths[j]);
    let svd = scaled.svd(true, true);
    if svd.singular_values.min() < DEPENDENT * svd.singular_values.max() {
        return Err(UnsolvableReason::Singular);
    }
    let theta = svd
        .solve(&white_y, 0.0)
        .map_err(|_| UnsolvableReason::Singular)?
        .component_div(&lengths);
    let weighted_rss = (&white_y - &white_x * &theta).norm_squared();
    let dof = count - parameters;
    // (XᵀX)⁻¹ = V·S⁻²·Vᵀ, with the column scaling undone.
    let v = svd.v_t.as_ref().ok_or(UnsolvableReason::Singular)?.transpose();
    let half = DMatrix::from_fn(parameters, parameters, |i, j| {
        v[(i, j)] / svd.singular_values[j] / lengths[i]
    });
    let unscaled = &half * half.transpose();
    let covariance = &unscaled * (weighted_rss / dof as f64);
    let numbers = theta.iter().chain(covariance.iter());
    if !numbers.chain([&weighted_rss]).all(|number| number.is_finite()) {
        return Err(UnsolvableReason::Overflow);
    }
    Ok(Regression {
        theta,
        covariance,
        unscaled,
        weighted_rss,
        dof,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::dvector;

    fn line(xs: &[f64]) -> DMatrix<f64> {
        DMatrix::from_fn(xs.len(), 2, |i, j| if j == 0 { 1.0 } else { xs[i] })
    }

    fn ones(count: usize) -> Omega {
        Omega::Diagonal(DVector::repeat(count, 1.0))
    }

    /// x = 1..5, y = 2, 4, 5, 4, 5 gives 2.2 + 0.6 x, RSS 2.4.
    #[test]
    fn ordinary_least_squares_by_hand() {
        let x = line(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let fit = solve(&x, &dvector![2.0, 4.0, 5.0, 4.0, 5.0], &ones(5)).unwrap();
        assert!((&fit.theta - dvector![2.2, 0.6]).norm() < 1e-12);
        assert!((fit.weighted_rss - 2.4).abs() < 1e-12);
        // s² = 0.8, Sxx = 10: var(slope) = 0.08
        assert!((fit.covariance[(1, 1)] - 0.08).abs() < 1e-12);
        assert!((fit.covariance[(0, 0)] - 0.8 * (0.2 + 0.9)).abs() < 1e-12);
    }

    /// A weight of 1/4 is the same as the variance 4, and a repeated point the same as
    /// a variance of one half.
    #[test]
    fn weights_are_variances() {
        let halved = Omega::Diagonal(dvector![1.0, 0.5, 1.0]);
        let weighted = solve(&line(&[0.0, 1.0, 2.0]), &dvector![1.0, 3.0, 2.0], &halved).unwrap();
        let repeated = line(&[0.0, 1.0, 1.0, 2.0]);
        let plain = solve(&repeated, &dvector![1.0, 3.0, 3.0, 2.0], &ones(4)).unwrap();
        assert!((weighted.theta - plain.theta).norm() < 1e-12);
        assert!((weighted.weighted_rss - plain.weighted_rss).abs() < 1e-12);
    }

    /// An AR(1) covariance is undone by the Prais–Winsten transformation.
    #[test]
    fn ar1_equals_prais_winsten() {
        let rho: f64 = 0.6;
        let x = line(&[0.0, 1.0, 2.0, 3.0, 4.0]);
        let y = dvector![1.0, 2.5, 2.0, 4.5, 4.0];
        let omega = Omega::ar1(&DVector::repeat(5, 1.0), rho);
        let direct = solve(&x, &y, &omega).unwrap();
        let transform = DMatrix::from_fn(5, 5, |i, j| match (i, j) {
            (0, 0) => (1.0 - rho * rho).sqrt(),
            (i, j) if i == j => 1.0,
            (i, j) if i == j + 1 => -rho,
            _ => 0.0,
        });
        let transformed = solve(&(&transform * x), &(&transform * y), &ones(5)).unwrap();
        assert!((direct.theta - transformed.theta).norm() < 1e-12);
    }

    /// The mean of three numbers of variance 1 has the variance 1/3, though they agree.
    #[test]
    fn unscaled_variances_need_no_residuals() {
        let x = DMatrix::repeat(3, 1, 1.0);
        let fit = solve(&x, &DVector::zeros(3), &ones(3)).unwrap();
        assert!(fit.covariance[(0, 0)].abs() < 1e-12);
        assert!((fit.unscaled[(0, 0)] - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_solved_is_refused() {
        let of = |x: &[f64], y: &[f64], variances: &[f64]| {
            let (y, omega) = (DVector::from_row_slice(y), DVector::from_row_slice(variances));
            solve(&line(x), &y, &Omega::Diagonal(omega)).unwrap_err()
        };
        let (numbers, ones) = ([1.0, 2.0, 3.0], [1.0; 3]);
        assert_eq!(of(&[2.0; 3], &numbers, &ones), UnsolvableReason::Singular);
        let too_few = UnsolvableReason::TooFew { found: 2, needed: 3 };
        assert_eq!(of(&numbers[..2], &numbers[..2], &ones[..2]), too_few);
        let flat = of(&numbers, &numbers, &[1.0, 0.0, 1.0]);
        assert_eq!(flat, UnsolvableReason::NotPositive);
        let huge = of(&numbers, &[1.0, 1e300, 3.0], &ones);
        assert_eq!(huge, UnsolvableReason::Overflow);
    }
}
