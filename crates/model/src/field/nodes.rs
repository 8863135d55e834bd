//! Process counts and sizes at which γ is stored: those that were measured, between them where they are far
//! apart, and beyond them.

use itertools::Itertools as _;
use netsig_base::stats::sample::mean;
use netsig_base::units::{Bytes, Procs};

use crate::regimes::fit::Observation;

/// Process counts and sizes at which γ is stored.
pub(super) struct Nodes {
    pub(super) procs: Vec<Procs>,
    pub(super) sizes: Vec<Bytes>,
    measured: usize,
}

/// Counts beyond the largest measured one, relative to it.
const FURTHER: [u32; 5] = [2, 4, 8, 16, 64];

/// Measured counts and sizes at which γ is stored at most.
const MOST_COUNTS: usize = 12;
const MOST_SIZES: usize = 24;

/// Ratio of neighbours between which another node lies.
const FAR_APART: f64 = 5.0;

impl Nodes {
    pub(super) fn of(cells: &[Observation]) -> Self {
        let counts = cells.iter().map(|own| u64::from(own.procs.get()));
        let counts = between(&few(counts, MOST_COUNTS), 1.9);
        let largest = *counts.last().unwrap_or(&2);
        let further = FURTHER.iter().map(|times| largest.saturating_mul(u64::from(*times)));
        let procs = counts.iter().copied().chain(further);
        let procs = procs
            .filter_map(|own| Procs::new(u32::try_from(own).ok()?).ok())
            .dedup();
        let sizes = few(cells.iter().map(|own| own.size.0.max(1)), MOST_SIZES);
        let ends = [sizes.first(), sizes.last()].map(|own| own.copied().unwrap_or(1));
        let inner = between(&sizes, FAR_APART);
        let sizes = std::iter::once((ends[0] / 4).max(1))
            .chain(inner)
            .chain([ends[1].saturating_mul(4)]);
        Self {
            procs: procs.collect(),
            sizes: sizes.dedup().map(Bytes).collect(),
            measured: counts.len(),
        }
    }

    pub(super) fn all(&self) -> Vec<(Procs, Bytes)> {
        self.procs
            .iter()
            .copied()
            .cartesian_product(self.sizes.iter().copied())
            .collect()
    }

    /// The least ln γ of a measured count, as a mean over the sizes.
    pub(super) fn least_ratio(&self, ratios: &[f64]) -> f64 {
        let by_count = ratios.chunks(self.sizes.len()).take(self.measured);
        by_count.map(mean).fold(f64::INFINITY, f64::min)
    }
}

/// At most so many of the values, ascending, among them the first and the last.
fn few(values: impl Iterator<Item = u64>, most: usize) -> Vec<u64> {
    let all = values.sorted_unstable().dedup().collect_vec();
    if all.len() <= most {
        return all;
    }
    let place = |index: usize| all[index * (all.len() - 1) / (most - 1)];
    (0..most).map(place).dedup().collect()
}

/// The values, and the geometric mean of neighbours that are more than `apart` times apart.
fn between(values: &[u64], apart: f64) -> Vec<u64> {
    let pairs = values.windows(2).filter(|pair| pair[1] as f64 > apart * pair[0] as f64);
    let means = pairs.map(|pair| Bytes::rounded((pair[0] as f64 * pair[1] as f64).sqrt()).0);
    values.iter().copied().chain(means).sorted_unstable().dedup().collect()
}
