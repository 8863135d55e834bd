//! Predictions of one algorithm by one model, case by case.

use netsig_base::algorithm::PairSizes;
use netsig_base::units::{Bytes, Procs};

use super::basis::PredictionBasis;
use super::modelled_algorithm::ModelledAlgorithm;
use super::outside_domain::OutsideDomain;
use super::{PortOverflow, Prediction};
use crate::model::regimes::TimeDistribution;
use crate::model::segment::Segment;
use crate::model::{Case, Model, ModelError, SegmentChoice};

/// A modelled algorithm that is ready to predict cases.
#[derive(Debug)]
pub struct CasePredictor<'a> {
    pub(super) modelled: ModelledAlgorithm,
    basis: PredictionBasis<'a>,
    /// Segment size; a given one is at most the message.
    segments: SegmentChoice,
}

impl<'a> CasePredictor<'a> {
    /// A segment size in the name of the algorithm takes precedence over `segments`.
    pub(super) fn new(modelled: ModelledAlgorithm, basis: PredictionBasis<'a>, segments: SegmentChoice) -> Self {
        let segment_choice = modelled.segment.map_or(segments, SegmentChoice::Fixed);
        Self {
            modelled,
            basis,
            segments: segment_choice,
        }
    }

    /// The predictor of an exchange with these sizes, if any.
    ///
    /// # Errors
    /// If the model knows pieces of one size only.
    pub(super) fn with_pair_sizes(self, pairs: Option<&'a PairSizes>) -> Result<Self, ModelError> {
        let Some(pairs) = pairs else {
            return Ok(self);
        };
        let basis = self.basis.with_pair_sizes(pairs)?;
        Ok(Self { basis, ..self })
    }

    /// The model.
    pub fn model(&self) -> &'static Model {
        self.modelled.model
    }

    /// Predicts a case, also one that is too far from the measurements.
    ///
    /// # Errors
    /// If the model has no time for the case, or the network has fewer hosts than processes.
    pub fn predict(&self, procs: Procs, size: Bytes) -> Result<Prediction, ModelError> {
        self.basis.predict(self.case(procs, size))
    }

    /// Reason why a case is too far from the measurements, if it is.
    pub fn reason_outside(&self, procs: Procs, size: Bytes) -> Option<OutsideDomain> {
        self.basis.reason_outside(self.case(procs, size))
    }

    /// Distribution of the times of single repetitions; `None` for a model that has none.
    pub fn distribution(&self, procs: Procs, size: Bytes) -> Option<TimeDistribution> {
        self.basis.distribution(self.case(procs, size))
    }

    /// M(n): size from which the messages of a case overflow ports, if it is known.
    pub fn overflow(&self, procs: Procs, size: Bytes) -> Option<PortOverflow> {
        self.basis.overflow(self.case(procs, size))
    }

    /// True if the model takes the signature of an exchange but there is none: its exchange has no contention.
    pub(super) fn lacks_signature(&self) -> bool {
        self.basis.lacks_signature
    }

    /// False for settings that a choice must not try ([`PredictionBasis::is_selectable`]).
    pub(super) fn is_selectable(&self, procs: Procs, size: Bytes) -> bool {
        self.basis.is_selectable(self.case(procs, size))
    }

    fn case(&self, procs: Procs, size: Bytes) -> Case {
        let segments = match self.segments {
            SegmentChoice::Fixed(segment) => {
                let whole = Segment::new(size).unwrap_or(Segment::BYTE);
                SegmentChoice::Fixed(segment.min(whole))
            }
            best @ SegmentChoice::Best(..) => best,
        };
        Case { procs, size, segments }
    }
}
