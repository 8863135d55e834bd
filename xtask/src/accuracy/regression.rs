//! A generic performance model in the style of Extra-P (Calotoiu et al. 2013): no knowledge
//! of networks, only products of powers and logarithms.
//!
//! T = c₀ + Σ c·n^a·log2(n)^b·m^d·log2(m)^e with at most two terms, exponents a and d of
//! {0, ½, 1, 3⁄2, 2}, b and e of {0, 1}, and no negative coefficient. Coefficients minimise
//! the squares of the relative errors. Of all choices of terms the one is taken that, with a
//! process count left out of the fit, predicts that count best: the least mean of
//! 2·|T̂−T|/(T̂+T) over all points, each count left out in turn.

use std::collections::BTreeSet;

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
        let factors = || {
            POWERS
                .iter()
                .flat_map(|power| LOGARITHMS.iter().map(move |log| (*power, *log)))
        };
        let terms = factors().flat_map(|procs| factors().map(move |size| Self { procs, size }));
        terms.collect()
    }

    fn at(&self, procs: Procs, size: Bytes) -> f64 {
        let factor = |(power, log): (f64, i32), x: f64| x.powf(power) * x.log2().powi(log);
        factor(self.procs, f64::from(procs.get())) * factor(self.size, size.as_f64())
    }
}

impl Regression {
    /// Nothing if fewer than two process counts were measured.
    pub(super) fn fit(points: &[Point]) -> Option<Self> {
        let is_known = |point: &&Point| point.size.0 > 1 && point.procs.get() > 1;
        let points: Vec<Point> = points.iter().filter(is_known).copied().collect();
        let counts: BTreeSet<Procs> = points.iter().map(|point| point.procs).collect();
        if counts.len() < 2 {
            return None;
        }
        let terms = Term::all();
        let columns = Columns::of(&terms, &points);
        let whole = Normal::of(&columns, |_| true);
        let folds: Vec<_> = counts
            .iter()
            .map(|left_out| {
                let seen = Normal::of(&columns, |row| points[row].procs != *left_out);
                let unseen = (0..points.len()).filter(|row| points[*row].procs == *left_out);
                (seen, unseen.collect::<Vec<_>>())
            })
            .collect();
        let mut best: Option<(f64, Vec<usize>)> = None;
        for choice in choices(terms.len()) {
            let Some(score) = cross_validated(&columns, &folds, &choice) else {
                continue;
            };
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, choice));
            }
        }
        let (_, choice) = best?;
        let coefficients = whole.non_negative(&choice)?;
        let own = choice.iter().zip(coefficients);
        let own = own.map(|(place, c)| (terms[*place], c / columns.norms[*place]));
        Some(Self(own.collect()))
    }

    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        let parts = self.0.iter().map(|(term, c)| c * term.at(procs, size));
        Seconds(parts.sum())
    }
}

/// The constant with one other term, then with two.
fn choices(count: usize) -> impl Iterator<Item = Vec<usize>> {
    let single = (1..count).map(|one| vec![0, one]);
    let pairs = (1..count).flat_map(move |one| (one + 1..count).map(move |two| vec![0, one, two]));
    single.chain(pairs)
}

/// The mean symmetric error of the points that were left out.
fn cross_validated(
    columns: &Columns,
    folds: &[(Normal, Vec<usize>)],
    choice: &[usize],
) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for (seen, unseen) in folds {
        let coefficients = seen.non_negative(choice)?;
        for &row in unseen {
            let parts = choice.iter().zip(&coefficients);
            let ratio: f64 = parts.map(|(place, c)| c * columns.rows[row][*place]).sum();
            sum += 2.0 * (ratio - 1.0).abs() / (ratio + 1.0);
            count += 1.0;
        }
    }
    Some(sum / count)
}

/// The terms at the points, over the times: what is to be fitted is 1 everywhere. Each
/// column has norm 1.
struct Columns {
    rows: Vec<Vec<f64>>,
    norms: Vec<f64>,
}

impl Columns {
    fn of(terms: &[Term], points: &[Point]) -> Self {
        let mut rows: Vec<Vec<f64>> = points
            .iter()
            .map(|p| {
                terms
                    .iter()
                    .map(|t| t.at(p.procs, p.size) / p.time.0)
                    .collect()
            })
            .collect();
        let norm = |place: usize| {
            rows.iter()
                .map(|row| row[place].powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let norms: Vec<f64> = (0..terms.len()).map(norm).collect();
        for row in &mut rows {
            for (value, norm) in row.iter_mut().zip(&norms) {
                *value /= norm;
            }
        }
        Self { rows, norms }
    }
}

/// The normal equations of all terms, from which those of a choice are taken.
struct Normal {
    gram: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl Normal {
    fn of(columns: &Columns, is_seen: impl Fn(usize) -> bool) -> Self {
        let count = columns.norms.len();
        let mut gram = vec![vec![0.0; count]; count];
        let mut right = vec![0.0; count];
        let rows = columns.rows.iter().enumerate();
        for (_, row) in rows.filter(|(place, _)| is_seen(*place)) {
            for i in 0..count {
                right[i] += row[i];
                for j in 0..count {
                    gram[i][j] += row[i] * row[j];
                }
            }
        }
        Self { gram, right }
    }

    /// The coefficients of a choice of at most three terms: of all its parts the one whose
    /// least squares are least and not negative. Nothing if no part has such.
    fn non_negative(&self, choice: &[usize]) -> Option<Vec<f64>> {
        let mut best: Option<(f64, Vec<f64>)> = None;
        for part in 1u32..1 << choice.len() {
            let is_in = |place: &usize| part & (1 << place) != 0;
            let places: Vec<usize> = (0..choice.len()).filter(is_in).collect();
            let own: Vec<usize> = places.iter().map(|place| choice[*place]).collect();
            let Some(found) = self.solve(&own) else {
                continue;
            };
            // Least squares leave count − Σ c·right.
            let explained: f64 = own
                .iter()
                .zip(&found)
                .map(|(i, c)| c * self.right[*i])
                .sum();
            let is_better = best.as_ref().is_none_or(|(most, _)| explained > *most);
            if found.iter().all(|c| *c >= 0.0) && is_better {
                let mut all = vec![0.0; choice.len()];
                for (place, c) in places.iter().zip(found) {
                    all[*place] = c;
                }
                best = Some((explained, all));
            }
        }
        best.map(|(_, coefficients)| coefficients)
    }

    /// Gauss's elimination; nothing if the terms depend on each other.
    fn solve(&self, own: &[usize]) -> Option<Vec<f64>> {
        let count = own.len();
        let mut system: Vec<Vec<f64>> = own
            .iter()
            .map(|i| {
                let row = own.iter().map(|j| self.gram[*i][*j]);
                row.chain([self.right[*i]]).collect()
            })
            .collect();
        let mut determinant = 1.0;
        for pivot in 0..count {
            determinant *= system[pivot][pivot];
            if determinant < SINGULAR {
                return None;
            }
            let (above, below) = system.split_at_mut(pivot + 1);
            let from = &above[pivot];
            for row in below {
                let factor = row[pivot] / from[pivot];
                for (value, other) in row.iter_mut().zip(from).skip(pivot) {
                    *value -= factor * other;
                }
            }
        }
        let mut found = vec![0.0; count];
        for place in (0..count).rev() {
            let known: f64 = (place + 1..count)
                .map(|j| system[place][j] * found[j])
                .sum();
            found[place] = (system[place][count] - known) / system[place][place];
        }
        Some(found)
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
