//! One predicted cell, and the errors of each contender over many cells.

use std::collections::BTreeMap;

use netsig_core::algorithm::Collective;
use netsig_core::predict::Interval;
use netsig_core::predict::compare::{Errors, Judged};
use netsig_core::units::{Bytes, Procs, Seconds};
use serde::Serialize;

use super::campaign::JUDGED;
use super::split::Trial;

/// Least ratio of a contended cell's time to its contention-free time.
const CONTENDED: f64 = 1.2;

/// The prediction of one held-out cell by one contender: a row of residuals.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) network: &'static str,
    pub(super) trial: Trial,
    pub(super) collective: Collective,
    pub(super) algorithm: String,
    pub(super) contender: &'static str,
    pub(super) procs: Procs,
    pub(super) size_bytes: Bytes,
    /// The median, or the mean in a trial with means.
    pub(super) measured_s: Seconds,
    /// The contention-free time.
    pub(super) free_s: Option<Seconds>,
    pub(super) predicted_s: Seconds,
    /// The ends of the interval, if the contender has one.
    pub(super) lower_s: Option<Seconds>,
    pub(super) upper_s: Option<Seconds>,
}

/// The name of the pooled judged algorithms of a collective.
pub(super) const POOLED: &str = "pooled";

/// A set of cells on which contenders are compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    pub(super) trial: Trial,
    pub(super) network: &'static str,
    pub(super) collective: Collective,
    /// The algorithm; [`POOLED`] for all judged ones.
    pub(super) algorithm: String,
}

/// The errors of one contender.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    pub(super) contender: &'static str,
    pub(super) all: Errors,
    /// Errors of the contended cells, if there are any.
    pub(super) contended: Option<Errors>,
}

/// The errors of all contenders on every subject, the least median first.
pub(super) fn scores(rows: &[Row]) -> BTreeMap<Subject, Vec<Scored>> {
    let mut groups: BTreeMap<(Subject, &'static str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let subject = Subject {
            trial: row.trial,
            network: row.network,
            collective: row.collective,
            algorithm: row.algorithm.clone(),
        };
        let pooled = subject.is_judged().then(|| Subject {
            algorithm: POOLED.to_owned(),
            ..subject.clone()
        });
        for subject in pooled.into_iter().chain([subject]) {
            groups
                .entry((subject, row.contender))
                .or_default()
                .push(row);
        }
    }
    let mut scores: BTreeMap<Subject, Vec<Scored>> = BTreeMap::new();
    for ((subject, contender), rows) in groups {
        let contended = rows.iter().filter(|row| row.is_contended());
        let contended = Errors::of(contended.map(|row| row.judged()));
        let all = Errors::of(rows.iter().map(|row| row.judged()));
        scores.entry(subject).or_default().push(Scored {
            contender,
            all: all.expect("a group has rows"),
            contended,
        });
    }
    for ranked in scores.values_mut() {
        ranked.sort_by(|a, b| a.all.median.total_cmp(&b.all.median));
    }
    scores
}

impl Subject {
    /// True if the algorithm has targets.
    pub(super) fn is_judged(&self) -> bool {
        self.collective != Collective::Alltoall || JUDGED.contains(&self.algorithm.as_str())
    }
}

impl Row {
    fn is_contended(&self) -> bool {
        self.free_s
            .is_some_and(|free| self.measured_s / free >= CONTENDED)
    }

    fn judged(&self) -> Judged {
        let ends = self.lower_s.zip(self.upper_s);
        Judged {
            predicted: self.predicted_s,
            interval: ends.map(|(lower, upper)| Interval { lower, upper }),
            measured: self.measured_s,
        }
    }
}
