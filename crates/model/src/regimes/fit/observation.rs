//! The repetitions of one process count and size, separated into stalled and other ones.
//!
//! # Method
//! A repetition stalled if it took longer than the quickest of its cell by 30 per cent and by 100 ms. Other causes
//! scatter less; 100 ms is half of the least time that Linux waits. A number that another program computed counts as
//! one repetition that did not stall.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, SizePattern};
use netsig_base::data::Experiment;
use netsig_base::data::cells::{CellKey, CellRows, CellSummary, MeasuredCells};
use netsig_base::network::{LINUX_RTO, Network};
use netsig_base::stats::sample::{SortedValues, median, variance};
use netsig_base::units::{Bytes, Procs, Seconds};

use crate::model::regimes::{AlgorithmPatterns, RegimesPoint, TrafficPattern, least_stall_time};

/// Standard deviation of ln T of one repetition if it is unknown.
pub(crate) const UNKNOWN_SPREAD: f64 = 0.1;

/// σ: least relative error of any model of an emulated or real cluster.
pub(crate) const LEAST_RELATIVE_ERROR: f64 = 0.03;

/// Number of repetitions of a mean if its program does not state it.
const USUAL_REPETITIONS: u32 = 20;

/// Largest number of repetitions that counts.
const MOST_REPETITIONS: u32 = 1000;

/// Measurements of one cell.
#[derive(Debug, Clone, PartialEq)]
pub struct CellObservation {
    /// Number of processes n.
    pub procs: Procs,
    /// Size m.
    pub size: Bytes,
    /// Sizes of the pieces, of which m is the mean.
    pub sizes: SizePattern,
    /// The median of the repetitions that did not stall.
    pub typical: Seconds,
    /// The median of all repetitions.
    pub median: Seconds,
    /// The shortest repetition.
    pub quickest: Seconds,
    /// The standard deviation of ln T of one repetition that did not stall.
    pub spread: f64,
    /// Number of repetitions that did not stall.
    pub unstalled: usize,
    /// Excess of each stalled repetition over `typical`.
    pub stall_excesses: Vec<Seconds>,
    /// Number of repetitions behind a number of another program; `None` for single repetitions.
    pub averaged: Option<u32>,
}

impl CellObservation {
    /// Observation of repetitions, at least one, with positive times, of pieces of one size.
    pub fn of(procs: Procs, size: Bytes, times: &[Seconds]) -> Self {
        let mut times: Vec<f64> = times.iter().map(|time| time.0).collect();
        times.sort_unstable_by(f64::total_cmp);
        let all = SortedValues::new(times.clone());
        let quickest = all.quantile(0.0);
        let (plain, stalled): (Vec<f64>, Vec<f64>) = times
            .into_iter()
            .partition(|time| !exceeds(Seconds(*time), Seconds(quickest)));
        let typical = median(plain.iter().copied());
        Self {
            procs,
            size,
            sizes: SizePattern::Equal,
            typical: Seconds(typical),
            median: Seconds(all.median()),
            spread: spread(&plain),
            unstalled: plain.len(),
            stall_excesses: stalled.iter().map(|time| Seconds(time - typical)).collect(),
            quickest: Seconds(quickest),
            averaged: None,
        }
    }

    /// Takes the cell as one number that represents `count` repetitions.
    pub(super) fn into_mean_of(self, count: u32) -> Self {
        let count = count.clamp(1, MOST_REPETITIONS);
        Self {
            unstalled: count as usize,
            averaged: Some(count),
            ..self
        }
    }

    /// The cell as a point of the model, with the links if known.
    pub fn point<'a>(&self, network: Option<&'a Network>) -> RegimesPoint<'a> {
        RegimesPoint {
            procs: self.procs,
            size: self.size,
            network,
            pieces: self.sizes.into(),
        }
    }

    /// Length of the message that carries a byte on average.
    pub fn message(&self) -> Bytes {
        self.point(None).message()
    }

    /// The variance of ln `typical`: that of a median of normal errors, or of a mean if another program computed it. It
    /// is larger if stalled repetitions were separated from the mean, and infinite if all stalled.
    pub fn variance(&self) -> f64 {
        let plain = self.unstalled as f64;
        match self.averaged {
            _ if self.unstalled == 0 => f64::INFINITY,
            Some(_) if self.stall_excesses.is_empty() => self.spread.powi(2) / plain,
            Some(_) => self.spread.powi(2),
            None => std::f64::consts::FRAC_PI_2 * self.spread.powi(2) / plain,
        }
    }

    /// Weight of an error of `median` relative to a cell without noise, from 0 to 1. It is the ratio of the standard
    /// deviations, with a model error of three per cent in any case.
    pub fn weight(&self) -> f64 {
        let repetitions = (self.unstalled + self.stall_excesses.len()) as f64;
        let median_variance = std::f64::consts::FRAC_PI_2 * self.spread.powi(2) / repetitions;
        LEAST_RELATIVE_ERROR / (LEAST_RELATIVE_ERROR.powi(2) + median_variance).sqrt()
    }
}

/// True if a time exceeds another so much that it stalled.
pub(super) fn exceeds(time: Seconds, other: Seconds) -> bool {
    time.0 > (other + least_stall_time(other)).0
}

/// True if enough repetitions among more than two processes stalled to show losses: one may have had any cause.
pub(crate) fn show_stalls<'a>(cells: impl IntoIterator<Item = &'a CellObservation>) -> bool {
    const LEAST_STALLED: usize = 2;
    // The least time-out of Linux is less than 30 % of a longer repetition.
    let is_evident = |cell: &&CellObservation| cell.procs.get() > 2 && least_stall_time(cell.typical).0 < LINUX_RTO.0;
    let evident_cells = cells.into_iter().filter(is_evident);
    evident_cells.map(|cell| cell.stall_excesses.len()).sum::<usize>() >= LEAST_STALLED
}

/// The sample standard deviation of the logarithms.
fn spread(times: &[f64]) -> f64 {
    if times.len() < 2 {
        return UNKNOWN_SPREAD;
    }
    let logs: Vec<f64> = times.iter().map(|time| time.ln()).collect();
    variance(&logs).sqrt()
}

/// A collective, the algorithm that ran it, and its traffic pattern if the regimes describe it. The
/// library's own choice has several patterns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeasuredAlgorithm {
    /// The collective.
    pub collective: Collective,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The pattern.
    pub pattern: Option<TrafficPattern>,
}

/// The observations of every algorithm, with more than one process and positive times, by process
/// count and size.
pub fn observations(cells: &MeasuredCells) -> BTreeMap<MeasuredAlgorithm, Vec<CellObservation>> {
    let mpi = cells.provenance.get("mpi");
    let mut patterns_by_algorithm: BTreeMap<(Collective, &str), AlgorithmPatterns> = BTreeMap::new();
    let mut all: BTreeMap<MeasuredAlgorithm, Vec<CellObservation>> = BTreeMap::new();
    for (key, rows) in cells.iter() {
        let Experiment::Collective(collective) = key.experiment else {
            continue;
        };
        let summary = cells.summaries.get(key);
        let observation = summary.and_then(|summary| of_cell(key, rows, summary));
        if let Some(observation) = observation {
            let algorithm: &str = &key.algorithm;
            let entry = patterns_by_algorithm.entry((collective, algorithm));
            let patterns = entry.or_insert_with(|| AlgorithmPatterns::of(collective, algorithm, mpi));
            let who = MeasuredAlgorithm {
                collective,
                pattern: patterns.at(key.procs, key.size),
                algorithm: algorithm.to_owned(),
            };
            let sizes = collective.size_pattern();
            let algorithm_cells = all.entry(who).or_default();
            algorithm_cells.push(CellObservation { sizes, ..observation });
        }
    }
    all
}

/// The observation of a cell; `None` with one process, or if a time is not positive.
fn of_cell(key: &CellKey, rows: &CellRows, summary: &CellSummary) -> Option<CellObservation> {
    let times = match summary.imported {
        Some(_) => vec![summary.mean],
        None => rows.samples.iter().map(|sample| sample.time).collect(),
    };
    let is_possible = times.iter().all(|time| time.0 > 0.0 && time.0.is_finite());
    if key.procs.get() == 1 || !is_possible {
        return None;
    }
    let observation = CellObservation::of(key.procs, key.size, &times);
    let stated = rows.aggregates.last().map(|aggregate| aggregate.averaged);
    Some(match (summary.imported, stated) {
        (Some(_), Some(count)) => observation.into_mean_of(count.unwrap_or(USUAL_REPETITIONS)),
        _ => observation,
    })
}

/// Largest number of process counts that are kept where there are too many cells.
const MOST_COUNTS: usize = 16;

/// All cells, or about `most` of them if there are more: those of evenly chosen counts and sizes, among them the
/// largest.
pub(crate) fn thinned(cells: &[CellObservation], most: usize) -> Vec<CellObservation> {
    if cells.len() <= most {
        return cells.to_vec();
    }
    let all_counts: BTreeSet<Procs> = cells.iter().map(|cell| cell.procs).collect();
    let count_step = all_counts.len().div_ceil(MOST_COUNTS);
    let counts: BTreeSet<Procs> = all_counts.into_iter().rev().step_by(count_step).collect();
    let of_counts = cells.iter().filter(|cell| counts.contains(&cell.procs)).collect_vec();
    let all_sizes: BTreeSet<Bytes> = of_counts.iter().map(|cell| cell.size).collect();
    let size_step = of_counts.len().div_ceil(most);
    let sizes: BTreeSet<Bytes> = all_sizes.into_iter().rev().step_by(size_step).collect();
    let kept = of_counts.into_iter().filter(|cell| sizes.contains(&cell.size));
    kept.cloned().collect()
}

#[cfg(test)]
mod tests {
    use crate::fit::testing::observed;

    /// A second of noise among ten is no stall, nor are a few milliseconds among short
    /// operations.
    #[test]
    fn time_outs_are_told_from_noise() {
        let observation = observed(4, 1024, &[0.10, 0.11, 0.12, 0.31, 0.33]);
        assert!((observation.typical.0 - 0.11).abs() < 1e-12);
        assert!((observation.median.0 - 0.12).abs() < 1e-12);
        let [first, second] = observation.stall_excesses[..] else {
            panic!("{observation:?}")
        };
        assert!((first.0 - 0.20).abs() < 1e-12 && (second.0 - 0.22).abs() < 1e-12);
        for times in [[10.0, 10.4, 11.0], [1e-3, 5e-3, 9e-3]] {
            assert!(observed(4, 1024, &times).stall_excesses.is_empty());
        }
    }

    /// e^±0.1: a standard deviation of 0.1·√2 of two, by hand.
    #[test]
    fn the_spread_is_that_of_logarithms() {
        let observation = observed(4, 1024, &[0.1f64, -0.1].map(f64::exp));
        assert!((observation.spread - 0.1 * 2f64.sqrt()).abs() < 1e-12);
    }
}
