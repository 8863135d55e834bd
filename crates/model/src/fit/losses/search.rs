//! Search for the onset X, and intervals from the profile of the cost D.
//!
//! # Method
//! D is computed on a grid in ln X, from half of the least x to the greatest x. κ is estimated anew at the best X until
//! it settles; then the grid is refined around the best X. If several X are equally good, the middle is taken: between
//! two cells of which only the second lost segments, all X are. The interval of X contains the values with
//! D ≤ D₀ + F(1, N − 3), where D₀ is the least D. The interval of f is its extent in the region of X and f with the
//! same bound; D is quadratic in f.
//!
//! # Source
//! `McCullagh` and Nelder 1989, chapter 9, with F because the dispersion is estimated.

use netsig_base::stats::interval::IntervalEstimate;

use super::likelihood::{LossCounts, OnsetSolution};

/// Number of steps of the grid.
const STEPS: u32 = 64;

/// Largest number of estimates of κ, and the relative change that ends them.
const MOST_ROUNDS: usize = 6;
const SCATTER_LIMIT: f64 = 0.01;

/// Number of refinements around the best X, and of new values on either side in each.
const REFINEMENTS: usize = 3;
const NEW_ONSETS: u32 = 4;

/// Difference of D below which two X are equally good.
const EQUAL_COST: f64 = 1e-3;

/// Number of bisections of an end of an interval.
const BISECTIONS: usize = 20;

/// The best X, and all X that were tried.
pub(super) struct OnsetSearch {
    /// The best.
    pub(super) best: OnsetSolution,
    /// All, ascending in X.
    tried: Vec<OnsetSolution>,
}

/// Searches X, and sets κ.
pub(super) fn search(counts: &mut LossCounts) -> OnsetSearch {
    let (least, greatest) = (counts.least_bytes() / 2.0, counts.greatest_bytes());
    let step = (greatest / least).ln() / f64::from(STEPS);
    let grid = (0..=STEPS).map(|place| least * (step * f64::from(place)).exp());
    let onsets: Vec<f64> = grid.collect();
    let on_grid =
        |counts: &LossCounts| -> Vec<OnsetSolution> { onsets.iter().map(|&onset| counts.solution_at(onset)).collect() };
    for _ in 0..MOST_ROUNDS {
        let scatter = counts.scatter(&best_solution(&on_grid(counts)));
        let change = scatter / counts.dispersion.scatter - 1.0;
        counts.dispersion.scatter = scatter;
        if change.abs() < SCATTER_LIMIT {
            break;
        }
    }
    let mut tried = on_grid(counts);
    for _ in 0..REFINEMENTS {
        refine(counts, &mut tried);
    }
    OnsetSearch {
        best: best_solution(&tried),
        tried,
    }
}

/// Adds values between the best X and its neighbours.
fn refine(counts: &LossCounts, tried: &mut Vec<OnsetSolution>) {
    let best_onset = best_solution(tried).onset;
    let place = tried.partition_point(|one| one.onset < best_onset);
    let places = [place.checked_sub(1), Some(place + 1)];
    let neighbour_places = places.into_iter().flatten();
    let neighbours: Vec<f64> = neighbour_places
        .filter_map(|near| tried.get(near))
        .map(|near| near.onset)
        .collect();
    for near in neighbours {
        let step = (near / best_onset).ln() / f64::from(NEW_ONSETS + 1);
        let onsets = (1..=NEW_ONSETS).map(|place| best_onset * (step * f64::from(place)).exp());
        tried.extend(onsets.map(|onset| counts.solution_at(onset)));
    }
    tried.sort_by(|a, b| a.onset.total_cmp(&b.onset));
}

/// The X with the least D; the middle of equally good ones.
fn best_solution(tried: &[OnsetSolution]) -> OnsetSolution {
    let costs = tried.iter().map(|one| one.cost);
    let least = costs.fold(f64::INFINITY, f64::min);
    let good = || tried.iter().filter(|one| one.cost <= least + EQUAL_COST);
    let ends = good().next().zip(good().next_back());
    let middle = ends.map_or(0.0, |(first, last)| (first.onset * last.onset).sqrt());
    let away = |one: &OnsetSolution| (one.onset - middle).abs();
    let nearest = good().reduce(|a, b| if away(b) < away(a) { b } else { a });
    *nearest.unwrap_or(&tried[0])
}

impl OnsetSearch {
    /// X with its interval; its lower end is 0 if no tried X is too small.
    pub(super) fn onset(&self, counts: &LossCounts, limit: f64) -> IntervalEstimate {
        let is_good = |one: &OnsetSolution| one.cost <= limit;
        let first = self.tried.iter().position(is_good);
        let last = self.tried.iter().rposition(is_good);
        let end = |good_place: usize, bad_place: usize| {
            let [good, bad] = [good_place, bad_place].map(|place| self.tried[place].onset);
            bisect(counts, good, bad, limit)
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
        IntervalEstimate {
            value,
            lower: lower.min(value),
            upper: upper.max(value),
        }
    }

    /// f with its interval, within 0 and 1.
    pub(super) fn share(&self, limit: f64) -> IntervalEstimate {
        let value = self.best.share;
        let (mut lower, mut upper) = (value, value);
        for one in self.tried.iter().filter(|one| one.cost <= limit) {
            let half = (one.share_variance * (limit - one.cost)).sqrt();
            lower = lower.min(one.share - half);
            upper = upper.max(one.share + half);
        }
        IntervalEstimate {
            value,
            lower: lower.max(0.0),
            upper: upper.min(1.0),
        }
    }
}

/// The X between `good` and `bad` from which D exceeds the limit.
fn bisect(counts: &LossCounts, mut good: f64, mut bad: f64, limit: f64) -> f64 {
    for _ in 0..BISECTIONS {
        let middle = (good * bad).sqrt();
        if counts.solution_at(middle).cost <= limit {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}
