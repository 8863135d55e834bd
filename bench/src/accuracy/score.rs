//! One predicted cell, and what many of them make together.

use std::collections::BTreeMap;

use netsig_core::algorithm::Collective;
use netsig_core::stats::sample::Sorted;
use netsig_core::units::{Bytes, Procs, Seconds};
use serde::Serialize;

use super::campaign::JUDGED;
use super::split::Trial;

/// A cell is contended if it takes so many times as long as without contention.
const CONTENDED: f64 = 1.2;

/// What one contender said of one held-out cell: a row of residuals.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) network: &'static str,
    pub(super) trial: Trial,
    pub(super) collective: Collective,
    pub(super) algorithm: String,
    pub(super) contender: &'static str,
    pub(super) procs: Procs,
    pub(super) size_bytes: Bytes,
    /// The median.
    pub(super) measured_s: Seconds,
    /// What it would take without contention.
    pub(super) free_s: Option<Seconds>,
    pub(super) predicted_s: Seconds,
    /// The ends of the interval, if there is one.
    pub(super) lower_s: Option<Seconds>,
    pub(super) upper_s: Option<Seconds>,
}

/// How far a contender was off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Score {
    /// How many cells.
    pub(super) cells: usize,
    /// The median of the absolute relative errors.
    pub(super) median: f64,
    /// Their 90th percentile (nearest rank).
    pub(super) p90: f64,
    /// The share of the medians that lie in their intervals, where all have one.
    pub(super) coverage: Option<f64>,
}

/// What stands for the algorithms of a collective together; of an all-to-all those that are
/// judged.
pub(super) const POOLED: &str = "pooled";

/// What contenders are compared on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    pub(super) trial: Trial,
    pub(super) network: &'static str,
    pub(super) collective: Collective,
    /// [`POOLED`] for all together.
    pub(super) algorithm: String,
}

/// The scores of one contender.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    pub(super) contender: &'static str,
    pub(super) all: Score,
    /// Where any cell is contended.
    pub(super) contended: Option<Score>,
}

/// The scores of all contenders on every subject, best median first.
pub(super) fn scores(rows: &[Row]) -> BTreeMap<Subject, Vec<Scored>> {
    let mut groups: BTreeMap<(Subject, &'static str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let subject = Subject {
            trial: row.trial,
            network: row.network,
            collective: row.collective,
            algorithm: row.algorithm.clone(),
        };
        if subject.is_judged() {
            let pooled = Subject {
                algorithm: POOLED.to_owned(),
                ..subject.clone()
            };
            groups.entry((pooled, row.contender)).or_default().push(row);
        }
        groups
            .entry((subject, row.contender))
            .or_default()
            .push(row);
    }
    let mut scores: BTreeMap<Subject, Vec<Scored>> = BTreeMap::new();
    for ((subject, contender), rows) in groups {
        let contended = rows.iter().filter(|row| row.is_contended());
        let contended: Vec<&Row> = contended.copied().collect();
        scores.entry(subject).or_default().extend(Some(Scored {
            contender,
            all: Score::of(&rows).expect("a group has rows"),
            contended: Score::of(&contended),
        }));
    }
    for ranked in scores.values_mut() {
        ranked.sort_by(|a, b| a.all.median.total_cmp(&b.all.median));
    }
    scores
}

impl Subject {
    /// Whether there are targets for the algorithm.
    pub(super) fn is_judged(&self) -> bool {
        self.collective != Collective::Alltoall || JUDGED.contains(&self.algorithm.as_str())
    }
}

impl Row {
    fn is_contended(&self) -> bool {
        let is_contended = |free: Seconds| self.measured_s / free >= CONTENDED;
        self.free_s.is_some_and(is_contended)
    }

    fn is_covered(&self) -> Option<bool> {
        Some((self.lower_s?..=self.upper_s?).contains(&self.measured_s))
    }
}

impl Score {
    /// Nothing if there are no rows.
    pub(super) fn of(rows: &[&Row]) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let error = |row: &&Row| (row.predicted_s / row.measured_s - 1.0).abs();
        let errors = Sorted::new(rows.iter().map(error).collect());
        let covered: Option<Vec<bool>> = rows.iter().map(|row| row.is_covered()).collect();
        let share = |covered: Vec<bool>| {
            let inside = covered.iter().filter(|is_in| **is_in).count();
            inside as f64 / covered.len() as f64
        };
        Some(Self {
            cells: rows.len(),
            median: errors.median(),
            p90: errors.quantile(0.9),
            coverage: covered.map(share),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A cell of 1 s, predicted `error` too high.
    pub(in super::super) fn row(contender: &'static str, error: f64) -> Row {
        Row {
            network: "toy",
            trial: Trial::Eight,
            collective: Collective::Alltoall,
            algorithm: "direct".to_owned(),
            contender,
            procs: Procs::new(12).unwrap(),
            size_bytes: Bytes(1024),
            measured_s: Seconds(1.0),
            free_s: Some(Seconds(0.5)),
            predicted_s: Seconds(1.0 + error),
            lower_s: None,
            upper_s: None,
        }
    }

    #[test]
    fn percentiles_are_nearest_ranks_of_absolute_errors() {
        let errors = [
            -0.01, 0.02, -0.03, 0.04, 0.05, -0.06, 0.07, 0.08, 0.09, 0.5, 0.6,
        ];
        let rows: Vec<Row> = errors.iter().map(|error| row("x", *error)).collect();
        let all: Vec<&Row> = rows.iter().collect();
        let score = Score::of(&all).unwrap();
        // Of eleven the sixth, and the tenth: the first that nine tenths do not exceed.
        assert!((score.median - 0.06).abs() < 1e-12 && (score.p90 - 0.5).abs() < 1e-12);
        let ten = Score::of(&all[..10]).unwrap();
        assert!((ten.p90 - 0.09).abs() < 1e-12);
        assert_eq!((ten.cells, ten.coverage), (10, None));
    }

    #[test]
    fn contended_cells_and_covered_medians_are_counted() {
        let mut rows = vec![row("x", 0.0); 4];
        let free = [Some(0.5), Some(0.84), Some(0.8), None];
        let ends = [(0.9, 1.1), (0.5, 0.9), (1.0, 1.2), (1.1, 1.2)];
        for (row, (free, (lower, upper))) in rows.iter_mut().zip(free.into_iter().zip(ends)) {
            row.free_s = free.map(Seconds);
            (row.lower_s, row.upper_s) = (Some(Seconds(lower)), Some(Seconds(upper)));
        }
        let scored = scores(&rows)[&Subject {
            trial: Trial::Eight,
            network: "toy",
            collective: Collective::Alltoall,
            algorithm: "direct".to_owned(),
        }][0];
        assert_eq!((scored.all.cells, scored.all.coverage), (4, Some(0.5)));
        let contended = scored.contended.unwrap();
        assert_eq!((contended.cells, contended.coverage), (2, Some(1.0)));
        assert_eq!(
            scores(&rows[3..]).into_values().next().unwrap()[0].contended,
            None
        );
    }
}
