//! The fitted regimes of an algorithm as predictions need them, and which model was chosen.

use nalgebra::DMatrix;

use super::Domain;
use crate::algorithm::Collective;
use crate::fit::regimes::{Column, Kind};
use crate::model::regimes::{Class, Regimes};
use crate::units::Procs;

/// The regimes of one algorithm at the process counts of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct RegimesEntry {
    /// The collective that was measured.
    pub collective: Collective,
    /// Who ran it.
    pub algorithm: String,
    /// The process counts that the entry is for.
    pub class: Class,
    /// The model.
    pub model: Regimes,
    /// What was estimated, in the order of `covariance`.
    pub columns: Vec<Column>,
    /// Their covariance; b is in seconds, the others are pure numbers.
    pub covariance: DMatrix<f64>,
    /// How far the model is off process counts that were left out.
    pub errors: Vec<KindError>,
    /// The level of the intervals.
    pub confidence: f64,
    /// What was measured.
    pub domain: Domain,
}

/// How far a model is off where one thing takes most of the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KindError {
    /// What does.
    pub kind: Kind,
    /// The scaled median absolute deviation of ln(T/T̂) of cells that were left out.
    pub deviation: f64,
    /// How many cells.
    pub cells: usize,
}

/// The model that a fit chose for an algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The collective that was measured.
    pub collective: Collective,
    /// Who ran it.
    pub algorithm: String,
    /// The name of the model.
    pub model: String,
    /// Why, in a sentence.
    pub reason: String,
}

impl RegimesEntry {
    /// How far the model is off where `kind` takes most of the time; the greatest that is known
    /// where it was not left out.
    pub fn error(&self, kind: Kind) -> Option<KindError> {
        let known = self.errors.iter().find(|error| error.kind == kind);
        let greatest = || {
            self.errors
                .iter()
                .max_by(|a, b| a.deviation.total_cmp(&b.deviation))
        };
        known.or_else(greatest).copied()
    }
}

/// The entry of an algorithm that is for n processes, else the one of another class.
pub(crate) fn find<'a>(
    entries: &'a [RegimesEntry],
    collective: Collective,
    algorithm: &str,
    procs: Procs,
) -> Option<&'a RegimesEntry> {
    let own =
        |entry: &&RegimesEntry| entry.collective == collective && entry.algorithm == algorithm;
    let fits = |entry: &&RegimesEntry| entry.class == entry.model.pattern.class(procs);
    let mut all = entries.iter().filter(own);
    all.clone().find(fits).or_else(|| all.next())
}
