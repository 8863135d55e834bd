//! A generic performance model in the style of Extra-P (Calotoiu et al. 2013): no knowledge
//! of networks, only products of powers and logarithms.
//!
//! T = c₀ + Σ c·n^a·log2(n)^b·m^d·log2(m)^e with at most two terms, exponents a and d of
//! {0, ½, 1, 3⁄2, 2}, b and e of {0, 1}, and no negative coefficient. Coefficients minimise
//! the squares of the relative errors. Of all choices of terms the one is taken that, with a
//! process count left out of the fit, predicts that count best: the least mean of
//! 2·|T̂−T|/(T̂+T) over all points, each count left out in turn.

use itertools::{Itertools as _, iproduct};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use netsig_core::fit::Point;
use netsig_core::units::{Bytes, Procs, Seconds};

const POWERS: [f64; 5] = [0.0, 0.5, 1.0, 1.5, 2.0];
const LOGARITHMS: [i32; 2] = [0, 1];

/// A determinant of normed columns below this says that they depend on each other.
const SINGULAR: f64 = 1e-10;

/// The chosen terms with their coefficients.
pub(super) struct Regression(Vec<(Term, f64)>);

/// n^a·log2(n)^b·m^d·log2(m)^e.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    procs: (f64, i32),
    size: (f64, i32),
}

impl Term {
    /// All of them; the constant is the first.
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

/// The terms at some points, over the times: what is to be fitted is 1 everywhere.
struct Equations {
    columns: DMatrix<f64>,
    /// Their products with each other, and with 1 everywhere.
    gram: DMatrix<f64>,
    right: DVector<f64>,
}

impl Equations {
    fn of(columns: DMatrix<f64>) -> Self {
        Self {
            gram: columns.tr_mul(&columns),
            right: columns.row_sum_tr(),
            columns,
        }
    }

    /// The coefficients of a choice of at most three terms: of all its parts the one whose
    /// least squares are least and not negative. Nothing if no part has such.
    fn non_negative(&self, choice: &[usize]) -> Option<Vector3<f64>> {
        let whole = (1 << choice.len()) - 1;
        let allowed = |part| {
            let solved = self.solve(choice, part);
            solved.filter(|(_, found)| found.iter().all(|c| *c >= 0.0))
        };
        // No part fits better than the whole.
        let best = allowed(whole).or_else(|| {
            let solved = (1..whole).filter_map(allowed);
            solved.max_by(|(a, _), (b, _)| a.total_cmp(b))
        });
        best.map(|(_, coefficients)| coefficients)
    }

    /// The least squares of the terms whose bits are set in `part`: by how much they are below
    /// those of no term, and the coefficients. Nothing if the terms depend on each other.
    fn solve(&self, choice: &[usize], part: u32) -> Option<(f64, Vector3<f64>)> {
        let is_in = |place: usize| part & (1 << place) != 0;
        let gram = Matrix3::from_fn(|i, j| {
            if is_in(i) && is_in(j) {
                self.gram[(choice[i], choice[j])]
            } else {
                f64::from(i == j)
            }
        });
        let right = Vector3::from_fn(|i, _| if is_in(i) { self.right[choice[i]] } else { 0.0 });
        if gram.determinant() < SINGULAR {
            return None;
        }
        let found = gram.cholesky()?.solve(&right);
        Some((found.dot(&right), found))
    }

    /// Σ 2·|T̂−T|/(T̂+T) over the points.
    fn errors(&self, choice: &[usize], coefficients: &Vector3<f64>) -> f64 {
        let error = |row: usize| {
            let parts = choice.iter().zip(coefficients);
            let ratio: f64 = parts.map(|(term, c)| c * self.columns[(row, *term)]).sum();
            2.0 * (ratio - 1.0).abs() / (ratio + 1.0)
        };
        (0..self.columns.nrows()).map(error).sum()
    }
}

impl Regression {
    /// Nothing if fewer than two process counts were measured.
    pub(super) fn fit(points: &[Point]) -> Option<Self> {
        let is_known = |point: &&Point| point.size.0 > 1 && point.procs.get() > 1;
        let points: Vec<&Point> = points.iter().filter(is_known).collect();
        let counts: Vec<Procs> = points.iter().map(|point| point.procs).unique().collect();
        if counts.len() < 2 {
            return None;
        }
        let terms = Term::all();
        let mut columns = DMatrix::from_fn(points.len(), terms.len(), |row, term| {
            let point = points[row];
            terms[term].at(point.procs, point.size) / point.time.0
        });
        let norms: Vec<f64> = columns.column_iter().map(|column| column.norm()).collect();
        for (mut column, norm) in columns.column_iter_mut().zip(&norms) {
            column /= *norm;
        }
        let rows = |is_wanted: &dyn Fn(Procs) -> bool| {
            let rows = points.iter().positions(|point| is_wanted(point.procs));
            Equations::of(columns.select_rows(&rows.collect_vec()))
        };
        let fold = |out: &Procs| (rows(&|procs| procs != *out), rows(&|procs| procs == *out));
        let folds: Vec<(Equations, Equations)> = counts.iter().map(fold).collect();
        let score = |choice: &[usize]| -> Option<f64> {
            let errors = folds.iter().map(|(seen, unseen)| {
                let coefficients = seen.non_negative(choice)?;
                Some(unseen.errors(choice, &coefficients))
            });
            errors.sum()
        };
        let others = (1..terms.len()).combinations(1);
        let others = others.chain((1..terms.len()).combinations(2));
        let choices = others.map(|others| [vec![0], others].concat());
        let scored = choices.filter_map(|choice| Some((score(&choice)?, choice)));
        let (_, choice) = scored.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        let coefficients = Equations::of(columns).non_negative(&choice)?;
        let own = choice.into_iter().zip(&coefficients);
        let own = own.map(|(term, c)| (terms[term], c / norms[term]));
        Some(Self(own.collect()))
    }

    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        let parts = self.0.iter().map(|(term, c)| c * term.at(procs, size));
        Seconds(parts.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive::tests::points;
    use super::*;

    const PLACES: (&[u32], &[u64]) = (&[4, 6, 8], &[256, 1024, 4096, 16384, 49152, 262_144]);

    /// Truths of one and of two terms are found and hold far beyond the points.
    #[test]
    fn truths_within_the_space_of_terms_are_recovered() {
        let truths: [fn(f64, f64) -> f64; 3] = [
            |n, m| 1e-4 + 3e-9 * n.powf(1.5) * m,
            |n, m| 1e-4 + 2e-5 * n + 5e-8 * n * m,
            |n, m| 1e-6 * n.powi(2) * n.log2() + 1e-7 * m * m.log2(),
        ];
        for (place, truth) in truths.iter().enumerate() {
            let fit = Regression::fit(&points(PLACES, truth)).unwrap();
            for (n, m) in [(10, 512), (16, 98_304), (24, 1 << 20)] {
                let time = fit.time(Procs::new(n).unwrap(), Bytes(m)).0;
                let expected = truth(f64::from(n), m as f64);
                assert!(
                    (time / expected - 1.0).abs() < 1e-4,
                    "{place}: {n} {m} {time}"
                );
            }
        }
    }

    /// A falling truth has no coefficients that are not negative but the constant.
    #[test]
    fn no_coefficient_is_negative() {
        let fit = Regression::fit(&points(PLACES, |n, _| 1.0 - 0.01 * n)).unwrap();
        assert!(fit.0.iter().all(|(_, c)| *c >= 0.0));
        let time = fit.time(Procs::new(12).unwrap(), Bytes(512)).0;
        assert!((time - 0.94).abs() < 0.01, "{time}");
    }

    #[test]
    fn one_process_count_is_not_enough() {
        let one = (&[4][..], PLACES.1);
        assert!(Regression::fit(&points(one, |n, m| n * m)).is_none());
    }
}
