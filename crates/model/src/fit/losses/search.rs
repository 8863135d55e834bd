//! Search for the onset X, and intervals from the profile of the cost D.
//!
//! # Method
//! D is computed on a grid in ln X, from half of the least x to the greatest x, with κ estimated
//! anew at the best X until it settles; then the grid is refined around the best. If several X are
//! equally good, as between two cells of which only the second lost segments, the middle is taken.
//! The interval of X contains the values with D ≤ D₀ + F(1, N − 3), D₀ the least. The interval of
//! f is its extent in the region of X and f with the same bound, D being quadratic in f.
//!
//! # Source
//! `McCullagh` and Nelder 1989, chapter 9, with F because the dispersion is estimated.

use netsig_base::stats::interval::Estimate;

use super::likelihood::{Counts, Solution};

/// Number of steps of the grid.
const STEPS: u32 = 64;

/// Largest number of estimates of κ, and the relative change that ends them.
const ROUNDS: usize = 6;
const SETTLED: f64 = 0.01;

/// Number of refinements around the best X, and of new values on either side in each.
const REFINEMENTS: usize = 3;
const NEW: u32 = 4;

/// Difference of D below which two X are equally good.
const EQUAL: f64 = 1e-3;

/// Number of bisections of an end of an interval.
const BISECTIONS: usize = 20;

/// The best X with the others that were tried.
pub(super) struct Found {
    /// The best.
    pub(super) best: Solution,
    /// All, ascending in X.
    tried: Vec<Solution>,
}

/// Searches X, and sets κ.
pub(super) fn search(counts: &mut Counts) -> Found {
    let (least, greatest) = (counts.least() / 2.0, counts.greatest());
    let step = (greatest / least).ln() / f64::from(STEPS);
    let onsets = (0..=STEPS).map(|place| least * (step * f64::from(place)).exp());
    let onsets: Vec<f64> = onsets.collect();
    let on_grid = |counts: &Counts| -> Vec<Solution> { onsets.iter().map(|&onset| counts.at(onset)).collect() };
    for _ in 0..ROUNDS {
        let scatter = counts.scatter(&best(&on_grid(counts)));
        let change = scatter / counts.dispersion.scatter - 1.0;
        counts.dispersion.scatter = scatter;
        if change.abs() < SETTLED {
            break;
        }
    }
    let mut tried = on_grid(counts);
    for _ in 0..REFINEMENTS {
        refine(counts, &mut tried);
    }
    Found {
        best: best(&tried),
        tried,
    }
}

/// Adds values between the best X and its neighbours.
fn refine(counts: &Counts, tried: &mut Vec<Solution>) {
    let best = best(tried).onset;
    let place = tried.partition_point(|one| one.onset < best);
    let neighbours = [place.checked_sub(1), Some(place + 1)];
    let neighbours = neighbours.into_iter().flatten();
    let neighbours: Vec<f64> = neighbours
        .filter_map(|near| tried.get(near))
        .map(|near| near.onset)
        .collect();
    for near in neighbours {
        let step = (near / best).ln() / f64::from(NEW + 1);
        let onsets = (1..=NEW).map(|place| best * (step * f64::from(place)).exp());
        tried.extend(onsets.map(|onset| counts.at(onset)));
    }
    tried.sort_by(|a, b| a.onset.total_cmp(&b.onset));
}

/// The X with the least D; the middle of equally good ones.
fn best(tried: &[Solution]) -> Solution {
    let costs = tried.iter().map(|one| one.cost);
    let least = costs.fold(f64::INFINITY, f64::min);
    let good = || tried.iter().filter(|one| one.cost <= least + EQUAL);
    let ends = good().next().zip(good().next_back());
    let middle = ends.map_or(0.0, |(first, last)| (first.onset * last.onset).sqrt());
    let away = |one: &Solution| (one.onset - middle).abs();
    let nearest = good().reduce(|a, b| if away(b) < away(a) { b } else { a });
    *nearest.unwrap_or(&tried[0])
}

impl Found {
    /// X with its interval; its lower end is 0 if no tried X is too small.
    pub(super) fn onset(&self, counts: &Counts, limit: f64) -> Estimate {
        let is_good = |one: &Solution| one.cost <= limit;
        let first = self.tried.iter().position(is_good);
        let last = self.tried.iter().rposition(is_good);
        let end = |good: usize, bad: usize| {
            let [good, bad] = [good, bad].map(|place| self.tried[place].onset);
            bisected(counts, (good, bad), limit)
        };
        let value = self.best.onset;
        let lower = first.map_or(value, |first| match first {
            0 => 0.0,
            _ => end(first, first - 1),
        });
        let upper = last.map_or(value, |last| match self.tried.get(last + 1) {
            None => self.tried[last].onset,
            Some(_) => end(last, last + 1),
        });
        Estimate {
            value,
            lower: lower.min(value),
            upper: upper.max(value),
        }
    }

    /// f with its interval, within 0 and 1.
    pub(super) fn share(&self, limit: f64) -> Estimate {
        let value = self.best.share;
        let (mut lower, mut upper) = (value, value);
        for one in self.tried.iter().filter(|one| one.cost <= limit) {
            let half = (one.share_variance * (limit - one.cost)).sqrt();
            lower = lower.min(one.share - half);
            upper = upper.max(one.share + half);
        }
        Estimate {
            value,
            lower: lower.max(0.0),
            upper: upper.min(1.0),
        }
    }
}

/// The X between a good and a bad one from which D exceeds the limit.
fn bisected(counts: &Counts, (mut good, mut bad): (f64, f64), limit: f64) -> f64 {
    for _ in 0..BISECTIONS {
        let middle = (good * bad).sqrt();
        if counts.at(middle).cost <= limit {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}
