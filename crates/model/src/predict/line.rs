//! An algorithm with the model that predicts it.

use netsig_base::algorithm::{ALGORITHMS, Algorithm, Entry};
use netsig_base::units::Bytes;

use crate::model::Model;
use crate::model::closed_form::on_plogp;
use crate::model::segment::Segment;

/// An algorithm with the model that predicts it.
#[derive(Debug, Clone)]
pub struct Line {
    /// Name of the algorithm; a model without an algorithm in the table uses its own name.
    pub algorithm: String,
    /// The model.
    pub model: &'static Model,
    /// Segment size in the algorithm's name.
    pub segment: Option<Segment>,
    /// Reason for the choice of the model.
    pub reason: Reason,
    /// Entry of the algorithm whose segment size, if any, remains to be chosen.
    entry: Option<&'static Entry>,
}

/// Reason for the choice of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The user named the model.
    Asked,
    /// The fit chose the model, for this reason.
    Chosen(String),
    /// The model was fitted to the algorithm, without a choice among models.
    Fitted,
    /// The algorithm was not measured.
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

    /// A pLogP model, for the algorithm of the table that it describes.
    pub(super) fn of_strategy(model: &'static Model) -> Self {
        let mut all = ALGORITHMS.iter().filter_map(Self::of_entry);
        let own = all.find(|line| line.model == model);
        let own = own.unwrap_or_else(|| Self::new(model.name, model, Reason::Asked));
        own.by(model)
    }

    /// The same algorithm with a model that the user named.
    pub(super) fn by(self, model: &'static Model) -> Self {
        Self {
            model,
            reason: Reason::Asked,
            ..self
        }
    }

    /// An algorithm of the table by its pLogP model, with the segment size to be chosen; `None`
    /// without a model, or if it has other settings.
    pub(super) fn of_entry(entry: &'static Entry) -> Option<Self> {
        let model = on_plogp(entry.collective, entry.closed_form()?)?;
        entry.is_chosen_by_size().then(|| Self {
            entry: Some(entry),
            ..Self::new(entry.name, model, Reason::Unmeasured)
        })
    }

    /// An algorithm by its pLogP model, if there is one.
    pub(super) fn of_algorithm(algorithm: &Algorithm) -> Option<Self> {
        let model = on_plogp(algorithm.collective(), algorithm.closed_form()?)?;
        Some(Self {
            segment: algorithm.segment().and_then(|size| Segment::new(size).ok()),
            ..Self::new(&algorithm.to_string(), model, Reason::Unmeasured)
        })
    }

    /// Name of the algorithm without settings: of an algorithm that was not measured, since its
    /// settings are a choice; with them of one that was.
    pub fn family(&self) -> &str {
        match self.reason {
            Reason::Unmeasured => self.algorithm.split(':').next().unwrap_or_default(),
            _ => &self.algorithm,
        }
    }

    /// Name of the algorithm with the segment size of a prediction, in the form that measuring,
    /// predicting and simulating accept.
    pub fn name(&self, segment: Option<Segment>) -> String {
        let bytes = segment.map_or(Bytes(0), Segment::bytes);
        self.entry
            .map_or_else(|| self.algorithm.clone(), |entry| entry.text(|_| bytes.0))
    }
}
