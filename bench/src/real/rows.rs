//! The scores of methods on sets, and of netsig beside its rivals.

use netsig_base::algorithm::Collective;
use serde::Serialize;

use super::judge::{NETSIG_MODELS, SetScore};
use super::sets::{JudgedSet, SetGroup};
use crate::harness::prediction::OURS;

/// Least error in the denominator of a ratio of errors.
const LEAST_ERROR: f64 = 1e-3;

/// A set: the first columns of sets.csv.
#[derive(Debug, Clone, Serialize)]
pub struct SetLabel {
    pub group: SetGroup,
    pub machine: String,
    pub file: String,
    pub collective: Collective,
    pub algorithm: String,
    /// The fitted process counts or sizes.
    pub fitted: String,
}

/// The score of one method on one set: a row of sets.csv.
#[derive(Debug, Clone)]
pub struct JudgedRow {
    pub set: SetLabel,
    pub score: SetScore,
}

/// The rows of all methods on one set.
pub struct SetRows<'a> {
    pub ours: &'a JudgedRow,
    pub rivals: Vec<&'a JudgedRow>,
}

impl SetLabel {
    /// The name of the group of networks: a machine, or the tables of a machine.
    pub fn networks(&self) -> String {
        match self.group {
            SetGroup::Tables => format!("{} tables", self.machine),
            SetGroup::Reductions => format!("{} {}", self.machine, self.collective),
            _ => self.machine.clone(),
        }
    }
}

impl JudgedRow {
    pub fn of(set: &JudgedSet, score: SetScore) -> Self {
        let label = SetLabel {
            group: set.network.group,
            machine: set.network.machine.clone(),
            file: set.network.file.clone(),
            collective: set.collective,
            algorithm: set.algorithm.clone(),
            fitted: set.split.to_string(),
        };
        Self { set: label, score }
    }

    /// The set in words.
    pub fn title(&self) -> String {
        let SetLabel {
            file,
            collective,
            algorithm,
            fitted,
            ..
        } = &self.set;
        format!("{file} {collective} {algorithm} {fitted}")
    }
}

impl<'a> SetRows<'a> {
    /// The rows of every set, in the order of the sets.
    pub fn all(rows: &'a [JudgedRow]) -> Vec<Self> {
        let sets = rows.chunk_by(|a, b| a.title() == b.title());
        let of_set = |rows: &'a [JudgedRow]| {
            let ours = rows.iter().find(|row| row.score.method == OURS)?;
            let is_rival = |row: &&JudgedRow| row.score.method != OURS && !NETSIG_MODELS.contains(&row.score.method);
            let rivals = rows.iter().filter(is_rival).collect();
            Some(Self { ours, rivals })
        };
        sets.filter_map(of_set).collect()
    }

    /// Ratio of netsig's error to a rival's: the mean of the ratios at the median and at the 90th percentile.
    pub fn ratio(&self, rival: &str) -> Option<f64> {
        let ours = &self.ours.score;
        let rival_score = &self.rivals.iter().find(|row| row.score.method == rival)?.score;
        let ratio = |our_error: f64, rival_error: f64| our_error / rival_error.max(LEAST_ERROR);
        Some(f64::midpoint(
            ratio(ours.median, rival_score.median),
            ratio(ours.p90, rival_score.p90),
        ))
    }

    /// The rival with the smallest sum of errors.
    pub fn best_rival(&self) -> &'a JudgedRow {
        let error = |row: &&&JudgedRow| row.score.median + row.score.p90;
        self.rivals
            .iter()
            .min_by(|a, b| error(a).total_cmp(&error(b)))
            .expect("a set has rivals")
    }

    /// True if netsig's error exceeds 1.25 times the best rival's error plus one percentage point.
    pub fn is_beaten(&self) -> bool {
        let (ours, best) = (&self.ours.score, &self.best_rival().score);
        ours.median > 1.25 * best.median + 0.01 || ours.p90 > 1.25 * best.p90 + 0.01
    }
}

/// The mean over the cells.
pub fn mean_over_cells(rows: &[&JudgedRow], figure: fn(&SetScore) -> f64) -> f64 {
    let cells: f64 = rows.iter().map(|row| row.score.cells as f64).sum();
    let of_cells = rows.iter().map(|row| row.score.cells as f64 * figure(&row.score));
    of_cells.sum::<f64>() / cells
}
