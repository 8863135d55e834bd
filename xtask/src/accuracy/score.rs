//! One predicted cell, and what many of them make together.

use std::collections::BTreeMap;

use netsig_core::algorithm::Collective;
use netsig_core::predict::Interval;
use netsig_core::stats::sample::Sorted;
use netsig_core::units::{Bytes, Procs, Seconds};

use super::campaign::JUDGED;
use super::split::Trial;

/// A cell is contended if it takes so many times as long as without contention.
const CONTENDED: f64 = 1.2;

/// What one contender said of one held-out cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) network: &'static str,
    pub(super) trial: Trial,
    pub(super) collective: Collective,
    pub(super) algorithm: String,
    pub(super) contender: &'static str,
    pub(super) procs: Procs,
    pub(super) size: Bytes,
    /// The median.
    pub(super) measured: Seconds,
    /// What it would take without contention.
    pub(super) free: Option<Seconds>,
    pub(super) predicted: Seconds,
    pub(super) interval: Option<Interval>,
}

/// Which cells count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    Contended,
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
    let mut groups: BTreeMap<Subject, BTreeMap<&'static str, Vec<&Row>>> = BTreeMap::new();
    for row in rows {
        let mut names = vec![row.algorithm.as_str()];
        if row.is_judged() {
            names.push(POOLED);
        }
        for name in names {
            let subject = Subject {
                trial: row.trial,
                network: row.network,
                collective: row.collective,
                algorithm: name.to_owned(),
            };
            let contenders = groups.entry(subject).or_default();
            contenders.entry(row.contender).or_default().push(row);
        }
    }
    let ranked = |contenders: BTreeMap<&'static str, Vec<&Row>>| {
        let scored = contenders.into_iter().filter_map(|(contender, rows)| {
            Some(Scored {
                contender,
                all: Score::of(&rows, Scope::All)?,
                contended: Score::of(&rows, Scope::Contended),
            })
        });
        let mut ranked: Vec<Scored> = scored.collect();
        ranked.sort_by(|a, b| a.all.median.total_cmp(&b.all.median));
        ranked
    };
    groups
        .into_iter()
        .map(|(subject, contenders)| (subject, ranked(contenders)))
        .collect()
}

impl Scored {
    /// The score within `scope`.
    pub(super) fn within(&self, scope: Scope) -> Option<Score> {
        match scope {
            Scope::All => Some(self.all),
            Scope::Contended => self.contended,
        }
    }
}

impl Row {
    /// Whether there are targets for the algorithm.
    fn is_judged(&self) -> bool {
        self.collective != Collective::Alltoall || JUDGED.contains(&self.algorithm.as_str())
    }

    /// |predicted/measured − 1|.
    pub(super) fn error(&self) -> f64 {
        (self.predicted / self.measured - 1.0).abs()
    }

    fn is_in(&self, scope: Scope) -> bool {
        let is_contended = |free: Seconds| self.measured / free >= CONTENDED;
        scope == Scope::All || self.free.is_some_and(is_contended)
    }

    fn is_covered(&self) -> Option<bool> {
        let Interval { lower, upper } = self.interval?;
        Some((lower..=upper).contains(&self.measured))
    }
}

impl Score {
    /// Of the rows within `scope`; nothing if there are none.
    pub(super) fn of(rows: &[&Row], scope: Scope) -> Option<Self> {
        let rows: Vec<&&Row> = rows.iter().filter(|row| row.is_in(scope)).collect();
        if rows.is_empty() {
            return None;
        }
        let errors = Sorted::new(rows.iter().map(|row| row.error()).collect());
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
            size: Bytes(1024),
            measured: Seconds(1.0),
            free: Some(Seconds(0.5)),
            predicted: Seconds(1.0 + error),
            interval: None,
        }
    }

    #[test]
    fn percentiles_are_nearest_ranks_of_absolute_errors() {
        let errors = [
            -0.01, 0.02, -0.03, 0.04, 0.05, -0.06, 0.07, 0.08, 0.09, 0.5, 0.6,
        ];
        let rows: Vec<Row> = errors.iter().map(|error| row("x", *error)).collect();
        let all: Vec<&Row> = rows.iter().collect();
        let score = Score::of(&all, Scope::All).unwrap();
        // Of eleven the sixth, and the tenth: the first that nine tenths do not exceed.
        assert!((score.median - 0.06).abs() < 1e-12 && (score.p90 - 0.5).abs() < 1e-12);
        let ten = Score::of(&all[..10], Scope::All).unwrap();
        assert!((ten.p90 - 0.09).abs() < 1e-12);
        assert_eq!((ten.cells, ten.coverage), (10, None));
    }

    #[test]
    fn contended_cells_and_covered_medians_are_counted() {
        let mut rows = vec![row("x", 0.0); 4];
        let free = [Some(0.5), Some(0.84), Some(0.8), None];
        let ends = [(0.9, 1.1), (0.5, 0.9), (1.0, 1.2), (1.1, 1.2)];
        for (row, (free, (lower, upper))) in rows.iter_mut().zip(free.into_iter().zip(ends)) {
            row.free = free.map(Seconds);
            row.interval = Some(Interval {
                lower: Seconds(lower),
                upper: Seconds(upper),
            });
        }
        let all: Vec<&Row> = rows.iter().collect();
        let cells = |scope| Score::of(&all, scope).map(|score| (score.cells, score.coverage));
        assert_eq!(cells(Scope::All), Some((4, Some(0.5))));
        assert_eq!(cells(Scope::Contended), Some((2, Some(1.0))));
        assert_eq!(Score::of(&all[3..], Scope::Contended), None);
    }
}
