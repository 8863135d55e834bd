//! Pairs of an algorithm and the model that predicts it.

use netsig_base::algorithm::{ALGORITHMS, Algorithm, AlgorithmEntry};
use netsig_base::units::Bytes;

use crate::model::Model;
use crate::model::closed_form::plogp_model;
use crate::model::segment::Segment;

/// An algorithm with the model that predicts it.
#[derive(Debug, Clone)]
pub struct ModelledAlgorithm {
    /// Name of the algorithm; a model without an algorithm in the table uses its own name.
    pub algorithm: String,
    /// The model.
    pub model: &'static Model,
    /// Segment size in the algorithm's name.
    pub segment: Option<Segment>,
    /// Reason for the choice of the model.
    pub reason: ModelReason,
    /// Entry of an algorithm whose segment size, if it has one, is still open.
    entry: Option<&'static AlgorithmEntry>,
}

/// Reason for the choice of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelReason {
    /// The user named the model.
    NamedByUser,
    /// The fit chose the model, for this reason.
    Chosen(String),
    /// The model was fitted to the algorithm, without a choice among models.
    Fitted,
    /// The algorithm was not measured.
    Unmeasured,
}

impl ModelledAlgorithm {
    pub(super) fn new(algorithm: &str, model: &'static Model, reason: ModelReason) -> Self {
        Self {
            algorithm: algorithm.to_owned(),
            model,
            segment: None,
            reason,
            entry: None,
        }
    }

    /// A pLogP model with the algorithm of the table that it describes.
    pub(super) fn of_strategy(model: &'static Model) -> Self {
        let mut all = ALGORITHMS.iter().filter_map(Self::of_entry);
        let described = all.find(|modelled| modelled.model == model);
        let modelled = described.unwrap_or_else(|| Self::new(model.name, model, ModelReason::NamedByUser));
        modelled.with_model(model)
    }

    /// The same algorithm with a model that the user named.
    pub(super) fn with_model(self, model: &'static Model) -> Self {
        Self {
            model,
            reason: ModelReason::NamedByUser,
            ..self
        }
    }

    /// An algorithm of the table with its pLogP model and an open segment size; `None` without a model, or if it
    /// has other settings.
    pub(super) fn of_entry(entry: &'static AlgorithmEntry) -> Option<Self> {
        let model = plogp_model(entry.collective, entry.closed_form()?)?;
        entry.is_chosen_by_size().then(|| Self {
            entry: Some(entry),
            ..Self::new(entry.name, model, ModelReason::Unmeasured)
        })
    }

    /// An algorithm with its pLogP model, if there is one.
    pub(super) fn of_algorithm(algorithm: &Algorithm) -> Option<Self> {
        let model = plogp_model(algorithm.collective(), algorithm.closed_form()?)?;
        Some(Self {
            segment: algorithm.segment().and_then(|size| Segment::new(size).ok()),
            ..Self::new(&algorithm.to_string(), model, ModelReason::Unmeasured)
        })
    }

    /// Name of a measured algorithm; of an unmeasured algorithm without its settings, which are a choice.
    pub fn family(&self) -> &str {
        match self.reason {
            ModelReason::Unmeasured => self.algorithm.split(':').next().unwrap_or_default(),
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
