//! Rival `Extra-P style`: a generic performance model (Calotoiu et al. 2013), without knowledge of
//! networks.
//!
//! T = c₀ + Σ c·n^a·log2(n)^b·m^d·log2(m)^e has at most two terms and no negative coefficient. Exponents a and d are in
//! {0, ½, 1, 3⁄2, 2}, b and e in {0, 1}. Coefficients minimise the squares of the relative errors. The terms are chosen
//! by cross-validation: the least mean of 2·|T̂−T|/(T̂+T) over all points, where each process count in turn is left out
//! of the fit.

use itertools::{Itertools as _, iproduct};
use nalgebra::{DMatrix, DVector};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;

const POWERS: [f64; 5] = [0.0, 0.5, 1.0, 1.5, 2.0];
const LOGARITHMS: [i32; 2] = [0, 1];

/// Determinant of normalised columns below which they are linearly dependent.
const SINGULAR: f64 = 1e-10;

/// The term n^a·log2(n)^b·m^d·log2(m)^e.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RegressionTerm {
    procs: (f64, i32),
    size: (f64, i32),
}

/// The chosen terms with their coefficients.
pub(super) struct TermRegression(Vec<(RegressionTerm, f64)>);

impl RegressionTerm {
    /// All terms; the constant is the first.
    fn all() -> Vec<Self> {
        let factors = iproduct!(POWERS, LOGARITHMS);
        iproduct!(factors.clone(), factors)
            .map(|(procs, size)| Self { procs, size })
            .collect()
    }

    fn at(&self, procs: Procs, size: Bytes) -> f64 {
        let factor = |(power, log): (f64, i32), x: f64| x.powf(power) * x.log2().powi(log);
        factor(self.procs, f64::from(procs.get())) * factor(self.size, size.as_f64())
    }
}

/// Normal equations for the terms divided by the times, so that all right-hand sides are 1.
struct NormalEquations {
    gram: DMatrix<f64>,
    right: DVector<f64>,
}

/// Indices of terms with their coefficients.
type TermCoefficients = Vec<(usize, f64)>;

impl NormalEquations {
    fn of(columns: &DMatrix<f64>) -> Self {
        Self {
            gram: columns.tr_mul(columns),
            right: columns.row_sum_tr(),
        }
    }

    /// Non-negative least squares for a few terms: with all of them, or with the best subset.
    fn non_negative(&self, terms: &[usize]) -> Option<TermCoefficients> {
        let best = self.solve(terms.to_vec()).or_else(|| {
            let subsets = terms.iter().copied().powerset().skip(1);
            let solved = subsets.filter_map(|subset| self.solve(subset));
            solved.max_by(|(a, _), (b, _)| a.total_cmp(b))
        });
        best.map(|(_, solution)| solution)
    }

    /// The reduction of the sum of squares by these terms, and their coefficients; `None` if a
    /// coefficient is negative or the terms are linearly dependent.
    fn solve(&self, terms: Vec<usize>) -> Option<(f64, TermCoefficients)> {
        let (count, term_at) = (terms.len(), |at: usize| terms[at]);
        let gram = DMatrix::from_fn(count, count, |i, j| self.gram[(term_at(i), term_at(j))]);
        let right = DVector::from_fn(count, |i, _| self.right[term_at(i)]);
        let is_regular = gram.determinant() >= SINGULAR;
        let coefficients = gram.cholesky().filter(|_| is_regular)?.solve(&right);
        let solution = || terms.into_iter().zip(coefficients.iter().copied()).collect();
        let is_allowed = coefficients.iter().all(|c| *c >= 0.0);
        is_allowed.then(|| (coefficients.dot(&right), solution()))
    }
}

/// Σ 2·|T̂−T|/(T̂+T) over the points.
fn error(columns: &DMatrix<f64>, solution: &[(usize, f64)]) -> f64 {
    let row_error = |row| {
        let parts = solution.iter().map(|(at, c)| c * columns[(row, *at)]);
        let ratio: f64 = parts.sum();
        2.0 * (ratio - 1.0).abs() / (ratio + 1.0)
    };
    (0..columns.nrows()).map(row_error).sum()
}

impl TermRegression {
    /// Fits the regression; `None` if fewer than two process counts were measured.
    pub(super) fn fit(points: &[MeasuredPoint]) -> Option<Self> {
        let is_known = |point: &&MeasuredPoint| point.size.0 > 1 && point.procs.get() > 1;
        let known_points: Vec<&MeasuredPoint> = points.iter().filter(is_known).collect();
        let counts: Vec<Procs> = known_points.iter().map(|point| point.procs).unique().collect();
        if counts.len() < 2 {
            return None;
        }
        let terms = RegressionTerm::all();
        let mut columns = DMatrix::from_fn(known_points.len(), terms.len(), |row, term| {
            let point = known_points[row];
            terms[term].at(point.procs, point.size) / point.time.0
        });
        let norms: Vec<f64> = columns.column_iter().map(|column| column.norm()).collect();
        for (mut column, norm) in columns.column_iter_mut().zip(&norms) {
            column /= *norm;
        }
        let splits = counts.iter().map(|left_out| {
            let is_left_out = |point: &&MeasuredPoint| point.procs == *left_out;
            let unseen_rows = known_points.iter().positions(is_left_out).collect_vec();
            let seen_rows = known_points.iter().positions(|point| !is_left_out(point)).collect_vec();
            let seen_equations = NormalEquations::of(&columns.select_rows(&seen_rows));
            (seen_equations, columns.select_rows(&unseen_rows))
        });
        let folds: Vec<_> = splits.collect();
        let score = |choice: &Vec<usize>| -> Option<f64> {
            let errors = folds
                .iter()
                .map(|(seen, unseen)| Some(error(unseen, &seen.non_negative(choice)?)));
            errors.sum()
        };
        let others = [1, 2].map(|count| (1..terms.len()).combinations(count));
        let other_terms = others.into_iter().flatten();
        let choices = other_terms.map(|others| [vec![0], others].concat());
        let scored = choices.filter_map(|choice| Some((score(&choice)?, choice)));
        let (_, choice) = scored.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        let solution = NormalEquations::of(&columns).non_negative(&choice)?;
        let coefficients = solution.into_iter().map(|(at, c)| (terms[at], c / norms[at]));
        Some(Self(coefficients.collect()))
    }

    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        let parts = self.0.iter().map(|(term, c)| c * term.at(procs, size));
        Seconds(parts.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::points;
    use super::*;

    /// Truths within the space of terms are recovered and hold far beyond the points. A falling truth gives the
    /// constant, since no coefficient is negative.
    #[test]
    fn truths_within_the_space_of_terms_are_recovered() {
        let sizes = [256, 1024, 4096, 16384, 49152, 262_144];
        let fit = |truth: fn(f64, f64) -> f64| TermRegression::fit(&points(&[4, 6, 8], &sizes, truth)).unwrap();
        let truths: [fn(f64, f64) -> f64; 3] = [
            |n, m| 1e-4 + 3e-9 * n.powf(1.5) * m,
            |n, m| 1e-4 + 2e-5 * n + 5e-8 * n * m,
            |n, m| 1e-6 * n.powi(2) * n.log2() + 1e-7 * m * m.log2(),
        ];
        for truth in truths {
            let fit = fit(truth);
            for (n, m) in [(10, 512), (16, 98_304), (24, 1 << 20)] {
                let time = fit.time(Procs::new(n).unwrap(), Bytes(m)).0;
                let expected = truth(f64::from(n), m as f64);
                assert!((time / expected - 1.0).abs() < 1e-4, "{n} {m} {time}");
            }
        }
        let time = fit(|n, _| 1.0 - 0.01 * n).time(Procs::new(12).unwrap(), Bytes(512)).0;
        assert!((time - 0.94).abs() < 0.01, "{time}");
    }
}
