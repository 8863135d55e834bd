//! `direct_exchange_sync`: time of direct exchange in synchronous steps.

use super::bounds::{CLAIM_1, uniform_example};
use super::{MessageExchange, MessageTotals};
use crate::model::prelude::*;

impl MessageExchange {
    /// Direct exchange in synchronous steps: Σ over t = 1…n−1 of max over i of α + β·w(i, i+t).
    /// A step costs its start-up even if nobody sends in it.
    pub fn direct_exchange_sync(&self, base: &Hockney) -> Seconds {
        let all_steps = MessageTotals {
            messages: self.procs.get() - 1,
            bytes: self.rotations,
        };
        all_steps.time(base)
    }
}

pub(super) const DIRECT_EXCHANGE_SYNC: Model = Model {
    name: "direct_exchange_sync",
    kind: ModelKind::UpperBound,
    formula: "T = Σ_{t=1…n−1} max_i (α + w_{i,(i+t) mod n}·β)",
    source: "Steffenel 2006, Algorithm 1 in synchronous steps",
    domain: "A time that direct exchange attains without contention.",
    example: uniform_example(0.000_18),
    time: |inputs| {
        inputs.evaluate_hockney(|base, procs, size| MessageExchange::uniform(procs, size).direct_exchange_sync(base))
    },
    ..CLAIM_1
};
