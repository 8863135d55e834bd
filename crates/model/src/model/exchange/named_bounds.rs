//! The bounds of an exchange by name, with their applicability and meaning, as every program shows them.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::Seconds;

use super::{Claim3Validity, ExchangeBounds, MessageExchange, StepSynchrony};
use crate::model::hockney::Hockney;
use crate::model::signature::Signature;

/// A request for the bounds of an exchange.
#[derive(Debug, Clone)]
pub struct BoundsRequest<'a> {
    /// The exchange.
    pub exchange: &'a MessageExchange,
    /// Time of a message without contention.
    pub base: Hockney,
    /// Synchrony of the steps, for Claim 3.
    pub stepping: StepSynchrony,
    /// A signature, whose time is listed too.
    pub signature: Option<Signature>,
}

/// A bound, or a time beside the bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedBound {
    /// Name, which is that of the model.
    pub name: &'static str,
    /// The time.
    pub time: Seconds,
    /// `yes`, `no`, or `attainable` for the time of a schedule.
    pub applies: &'static str,
    /// What the time bounds, and when.
    pub meaning: &'static str,
}

impl NamedBound {
    fn new(name: &'static str, time: Seconds, applies: &'static str, meaning: &'static str) -> Self {
        Self {
            name,
            time,
            applies,
            meaning,
        }
    }
}

impl BoundsRequest<'_> {
    /// All bounds, then the time of direct exchange and, if one is given, the time by the signature.
    ///
    /// # Errors
    /// If a time is negative or not finite.
    pub fn rows(&self) -> Result<Vec<NamedBound>, Refusal> {
        let mut rows = self.bounds(&self.exchange.bounds(&self.base));
        rows.extend(self.signature.as_ref().map(|signature| {
            NamedBound::new(
                "exchange_signature",
                self.exchange.signature_time(signature),
                "yes",
                "prediction under contention, from per_vertex",
            )
        }));
        let is_time = |time: Seconds| time.0.is_finite() && time.0 >= 0.0;
        match rows.iter().find(|row| !is_time(row.time)) {
            None => Ok(rows),
            Some(NamedBound { name, time, .. }) => Err(Refusal::request(format!(
                "{name} is {time}, which is no time; choose other parameters"
            ))),
        }
    }

    fn bounds(&self, bounds: &ExchangeBounds) -> Vec<NamedBound> {
        // Claim 3 is not always a valid bound.
        let (applies, meaning) = match bounds.claim3_applies(self.stepping) {
            Claim3Validity::Synchronous => (
                "yes",
                "start-ups and bandwidth, if nobody forwards: the exchange is synchronous",
            ),
            Claim3Validity::SameProcessSameDirection => (
                "yes",
                "start-ups and bandwidth, if nobody forwards: both maxima are of one process in one direction",
            ),
            Claim3Validity::PrintedHypothesisOnly => (
                "no",
                "start-ups and bandwidth: both maxima are of one process, as printed, but in opposite directions",
            ),
            Claim3Validity::No => ("no", "start-ups and bandwidth: the maxima are of different processes"),
        };
        vec![
            NamedBound::new(
                "claim1",
                bounds.claim1,
                "yes",
                "start-ups of the busiest process, if nobody forwards",
            ),
            NamedBound::new("claim2", bounds.claim2, "yes", "bandwidth of the busiest port"),
            NamedBound::new("claim3", bounds.claim3, applies, meaning),
            NamedBound::new(
                "per_vertex",
                bounds.per_vertex,
                "yes",
                "Claim 3 for each process and direction, if nobody forwards",
            ),
            NamedBound::new(
                "direct_exchange_sync",
                self.exchange.direct_exchange_sync(&self.base),
                "attainable",
                "direct exchange in synchronous steps takes so long",
            ),
        ]
    }
}
