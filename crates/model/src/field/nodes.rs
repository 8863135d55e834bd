//! Process counts and sizes at which γ is stored: the measured ones, some between distant neighbours, and some
//! beyond.

use itertools::Itertools as _;
use netsig_base::stats::sample::mean;
use netsig_base::units::{Bytes, Procs};

use crate::regimes::fit::CellObservation;

/// Nodes of the table of γ.
pub(super) struct FieldNodes {
    pub(super) procs: Vec<Procs>,
    pub(super) sizes: Vec<Bytes>,
    measured_counts: usize,
}

/// Counts beyond the largest measured one, relative to it.
const FURTHER_FACTORS: [u32; 5] = [2, 4, 8, 16, 64];

/// Largest numbers of measured counts and sizes among the nodes.
const MOST_COUNTS: usize = 12;
const MOST_SIZES: usize = 24;

/// Ratio of neighbouring sizes beyond which another node lies between them.
const FAR_APART: f64 = 5.0;

impl FieldNodes {
    pub(super) fn of(cells: &[CellObservation]) -> Self {
        let cell_counts = cells.iter().map(|cell| u64::from(cell.procs.get()));
        let counts = with_midpoints(&select_at_most(cell_counts, MOST_COUNTS), 1.9);
        let largest = *counts.last().unwrap_or(&2);
        let further = FURTHER_FACTORS
            .iter()
            .map(|factor| largest.saturating_mul(u64::from(*factor)));
        let node_counts = counts.iter().copied().chain(further);
        let procs = node_counts
            .filter_map(|count| Procs::new(u32::try_from(count).ok()?).ok())
            .dedup();
        let measured_sizes = select_at_most(cells.iter().map(|cell| cell.size.0.max(1)), MOST_SIZES);
        let ends = [measured_sizes.first(), measured_sizes.last()].map(|end| end.copied().unwrap_or(1));
        let inner = with_midpoints(&measured_sizes, FAR_APART);
        let sizes = std::iter::once((ends[0] / 4).max(1))
            .chain(inner)
            .chain([ends[1].saturating_mul(4)]);
        Self {
            procs: procs.collect(),
            sizes: sizes.dedup().map(Bytes).collect(),
            measured_counts: counts.len(),
        }
    }

    pub(super) fn cases(&self) -> Vec<(Procs, Bytes)> {
        self.procs
            .iter()
            .copied()
            .cartesian_product(self.sizes.iter().copied())
            .collect()
    }

    /// Smallest mean of ln γ over the sizes, among the measured counts.
    pub(super) fn least_ratio(&self, ratios: &[f64]) -> f64 {
        let by_count = ratios.chunks(self.sizes.len()).take(self.measured_counts);
        by_count.map(mean).fold(f64::INFINITY, f64::min)
    }
}

/// At most `most` of the values, ascending, including the smallest and the largest.
fn select_at_most(values: impl Iterator<Item = u64>, most: usize) -> Vec<u64> {
    let all = values.sorted_unstable().dedup().collect_vec();
    if all.len() <= most {
        return all;
    }
    let value_at = |index: usize| all[index * (all.len() - 1) / (most - 1)];
    (0..most).map(value_at).dedup().collect()
}

/// The values, and the geometric mean of neighbours whose ratio exceeds `apart`.
fn with_midpoints(values: &[u64], apart: f64) -> Vec<u64> {
    let pairs = values.windows(2).filter(|pair| pair[1] as f64 > apart * pair[0] as f64);
    let means = pairs.map(|pair| Bytes::rounded((pair[0] as f64 * pair[1] as f64).sqrt()).0);
    values.iter().copied().chain(means).sorted_unstable().dedup().collect()
}
