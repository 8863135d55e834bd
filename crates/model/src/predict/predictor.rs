//! One algorithm with the model that predicts it, ready to predict case by case.

use netsig_base::algorithm::PairSizes;
use netsig_base::units::{Bytes, Procs};

use super::basis::Basis;
use super::line::Line;
use super::outside::Outside;
use super::{Overflow, Prediction};
use crate::model::regimes::Times;
use crate::model::segment::Segment;
use crate::model::{Case, Model, ModelError, Segments};

/// One algorithm with the model that predicts it.
#[derive(Debug)]
pub struct CasePredictor<'a> {
    pub(super) line: Line,
    basis: Basis<'a>,
    /// Segment size; a given one is at most the message.
    segments: Segments,
}

impl<'a> CasePredictor<'a> {
    /// A segment size in the name of the algorithm comes before `segments`.
    pub(super) fn new(line: Line, basis: Basis<'a>, segments: Segments) -> Self {
        let segments = line.segment.map_or(segments, Segments::Of);
        Self { line, basis, segments }
    }

    /// The predictor of an exchange with these sizes, if any.
    ///
    /// # Errors
    /// If the model is of pieces of one size.
    pub(super) fn of_pairs(self, pairs: Option<&'a PairSizes>) -> Result<Self, ModelError> {
        let Some(pairs) = pairs else {
            return Ok(self);
        };
        let basis = self.basis.of_pairs(pairs)?;
        Ok(Self { basis, ..self })
    }

    /// The model.
    pub fn model(&self) -> &'static Model {
        self.line.model
    }

    /// Predicts a case, also one that is too far from the measurements.
    ///
    /// # Errors
    /// If the model has no time for the case, or the network has fewer hosts than processes.
    pub fn predict(&self, procs: Procs, size: Bytes) -> Result<Prediction, ModelError> {
        self.basis.predict(self.case(procs, size))
    }

    /// Reason why a case is too far from the measurements, if it is.
    pub fn outside(&self, procs: Procs, size: Bytes) -> Option<Outside> {
        self.basis.outside(self.case(procs, size))
    }

    /// Distribution of the times of single repetitions; `None` for a model that has none.
    pub fn distribution(&self, procs: Procs, size: Bytes) -> Option<Times> {
        self.basis.distribution(self.case(procs, size))
    }

    /// M(n): size from which the messages of a case overflow ports, as far as it is known.
    pub fn overflow(&self, procs: Procs, size: Bytes) -> Option<Overflow> {
        self.basis.overflow(self.case(procs, size))
    }

    /// True if the model takes the signature of an exchange and has none, so that nothing contends in it.
    pub(super) fn lacks_signature(&self) -> bool {
        self.basis.lacks_signature
    }

    /// False for settings that a choice must not try ([`Basis::is_paced`]).
    pub(super) fn is_paced(&self, procs: Procs, size: Bytes) -> bool {
        self.basis.is_paced(self.case(procs, size))
    }

    fn case(&self, procs: Procs, size: Bytes) -> Case {
        let segments = match self.segments {
            Segments::Of(segment) => {
                let whole = Segment::new(size).unwrap_or(Segment::BYTE);
                Segments::Of(segment.min(whole))
            }
            best @ Segments::Best(..) => best,
        };
        Case { procs, size, segments }
    }
}
