//! An algorithm with the model that speaks for it.

use crate::algorithm::{ALGORITHMS, Algorithm, Entry};
use crate::model::Model;
use crate::model::closed_form::on_plogp;
use crate::model::segment::Segment;
use crate::units::Bytes;

/// An algorithm with a model that speaks for it.
#[derive(Debug, Clone)]
pub struct Line {
    /// The algorithm; a model that no algorithm of the table has goes by its own name.
    pub algorithm: String,
    /// The model.
    pub model: &'static Model,
    /// The segments that the algorithm's name sets.
    pub segment: Option<Segment>,
    /// Why this model speaks.
    pub reason: Reason,
    /// The algorithm of the table whose segments, if it has some, are to be chosen.
    entry: Option<&'static Entry>,
}

/// Why a model speaks for an algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It was asked for.
    Asked,
    /// The fit chose it, for the reason that it gives.
    Chosen(String),
    /// It was fitted to the algorithm, and no choice was made.
    Fitted,
    /// The algorithm was not measured: its model on pLogP.
    Unmeasured,
}

impl Line {
    pub(super) fn new(algorithm: &str, model: &'static Model, reason: Reason) -> Self {
        Self {
            algorithm: algorithm.to_owned(),
            model,
            segment: None,
            reason,
            entry: None,
        }
    }

    /// A model on pLogP, for the algorithm of the table that has it.
    pub(super) fn of_strategy(model: &'static Model) -> Self {
        let mut all = ALGORITHMS.iter().filter_map(Self::of_entry);
        let own = all.find(|line| line.model == model);
        let own = own.unwrap_or_else(|| Self::new(model.name, model, Reason::Asked));
        own.by(model)
    }

    /// The same by a model that is asked for.
    pub(super) fn by(self, model: &'static Model) -> Self {
        Self {
            model,
            reason: Reason::Asked,
            ..self
        }
    }

    /// An algorithm of the table, its segments to be chosen, by its model on pLogP; `None` where
    /// there is none or more is to be chosen.
    pub(super) fn of_entry(entry: &'static Entry) -> Option<Self> {
        let model = on_plogp(entry.collective, entry.closed_form()?)?;
        entry.is_chosen_by_size().then(|| Self {
            entry: Some(entry),
            ..Self::new(entry.name, model, Reason::Unmeasured)
        })
    }

    /// An algorithm by its model on pLogP, where there is one.
    pub(super) fn of_algorithm(algorithm: &Algorithm) -> Option<Self> {
        let model = on_plogp(algorithm.collective(), algorithm.closed_form()?)?;
        Some(Self {
            segment: algorithm.segment().and_then(|size| Segment::new(size).ok()),
            ..Self::new(&algorithm.to_string(), model, Reason::Unmeasured)
        })
    }

    /// The algorithm with the segments that a prediction found, as measuring, predicting and
    /// simulating take it.
    pub fn name(&self, segment: Option<Segment>) -> String {
        let bytes = segment.map_or(Bytes(0), Segment::bytes);
        self.entry
            .map_or_else(|| self.algorithm.clone(), |entry| entry.text(|_| bytes.0))
    }
}
