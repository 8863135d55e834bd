//! `claim1`, `claim2`, `claim3`, `per_vertex`: bounds of an exchange, and the conditions of Claim
//! 3.
//!
//! Processes that forward for others need fewer start-ups, since several messages then travel as
//! one: the two-phase algorithms can beat all bounds but Claim 2, which always holds.
//!
//! # Misprint
//! Claim 3 also requires either the synchronous model or, as printed, "both maxima due to the same process". This is
//! too weak where sending and receiving overlap. A process that sends 5 messages of 1 byte and receives one of 10⁶
//! bytes can be done after max(5·(α + β), α + 10⁶·β). This is less than 5·α + 10⁶·β. The maxima must be due to the
//! same process *and* the same direction: see [`ExchangeBounds::claim3_applies`].

use super::{MessageExchange, MessageTotals, ProcessLoad};
use crate::model::prelude::*;

/// The bounds of an exchange.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExchangeBounds {
    /// Δs: largest number of messages that a process sends.
    pub max_out_degree: u32,
    /// Δr: largest number of messages that a process receives.
    pub max_in_degree: u32,
    /// max(Δs, Δr): number of start-ups in Claims 1 and 3.
    pub startups: u32,
    /// Claim 1: max(Δs, Δr)·α, a bound if nobody forwards.
    pub claim1: Seconds,
    /// `t_s`: longest transmission time of the bytes that one process sends.
    pub send_time: Seconds,
    /// `t_r`: longest transmission time of the bytes that one process receives.
    pub receive_time: Seconds,
    /// Claim 2: `max(t_s, t_r)`, which bounds every algorithm.
    pub claim2: Seconds,
    /// Claim 3: `max(Δs, Δr)·α + max(t_s, t_r)`, computed even where it is no bound.
    pub claim3: Seconds,
    /// True if one process has both maxima of Claim 3.
    pub is_same_process: bool,
    /// True if one process has both maxima of Claim 3 in the same direction.
    pub is_same_process_and_direction: bool,
    /// Longest time of one process in one direction, a bound if nobody forwards.
    pub per_vertex: Seconds,
}

/// Synchrony of the processes' steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepSynchrony {
    /// All processes step together.
    Synchronous,
    /// Each process steps on its own.
    Asynchronous,
}

/// Condition under which Claim 3 is a bound if nobody forwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim3Validity {
    /// A bound, by the synchronous model.
    Synchronous,
    /// A bound: both maxima are due to one process and direction.
    SameProcessSameDirection,
    /// Perhaps no bound: only the printed condition holds (one process).
    PrintedHypothesisOnly,
    /// No bound: not even the printed condition holds.
    No,
}

impl MessageExchange {
    /// The bounds where a message takes the time of `base`.
    pub fn bounds(&self, base: &Hockney) -> ExchangeBounds {
        let sent = maxima(self.loads.iter().map(|load| load.sent));
        let received = maxima(self.loads.iter().map(|load| load.received));
        let either = maxima([sent, received].into_iter());
        let transmission = |traffic: MessageTotals| base.beta().0 * traffic.bytes as f64;
        let directions = self.loads.iter().flat_map(ProcessLoad::directions);
        let times = directions.map(|traffic| traffic.time(base).0);
        ExchangeBounds {
            max_out_degree: sent.messages,
            max_in_degree: received.messages,
            startups: either.messages,
            claim1: base.alpha() * f64::from(either.messages),
            send_time: Seconds(transmission(sent)),
            receive_time: Seconds(transmission(received)),
            claim2: Seconds(transmission(either)),
            claim3: either.time(base),
            is_same_process: self.loads.iter().any(|load| load.reaches(either)),
            is_same_process_and_direction: self.loads.iter().any(|load| load.directions().contains(&either)),
            per_vertex: Seconds(times.fold(0.0, f64::max)),
        }
    }
}

/// Maximum of the messages and maximum of the bytes, each on its own.
fn maxima(traffic: impl Iterator<Item = MessageTotals>) -> MessageTotals {
    traffic.fold(MessageTotals::default(), |a, b| MessageTotals {
        messages: a.messages.max(b.messages),
        bytes: a.bytes.max(b.bytes),
    })
}

impl ProcessLoad {
    /// True if the process has the maximum of messages in one direction and that of bytes in any.
    fn reaches(&self, most: MessageTotals) -> bool {
        let each = self.directions();
        each.iter().any(|traffic| traffic.messages == most.messages)
            && each.iter().any(|traffic| traffic.bytes == most.bytes)
    }
}

impl ExchangeBounds {
    /// Tests whether Claim 3 is a bound for this stepping if nobody forwards.
    pub fn claim3_applies(&self, stepping: StepSynchrony) -> Claim3Validity {
        match (stepping, self.is_same_process_and_direction, self.is_same_process) {
            (StepSynchrony::Synchronous, _, _) => Claim3Validity::Synchronous,
            (StepSynchrony::Asynchronous, true, _) => Claim3Validity::SameProcessSameDirection,
            (StepSynchrony::Asynchronous, false, true) => Claim3Validity::PrintedHypothesisOnly,
            (StepSynchrony::Asynchronous, false, false) => Claim3Validity::No,
        }
    }
}

/// The uniform exchange, whose strongest bound is Proposition 1.
pub(super) const fn uniform_example(expected: f64) -> WorkedExample {
    WorkedExample::on_network(
        ROUND_NUMBERS,
        "4 processes, 1000 B between any two, α = 50 µs, β = 10 ns/B",
        expected,
        (4, 1000),
    )
}

/// Evaluates one of the bounds of the uniform exchange.
fn bound(inputs: &FormulaInputs, bound_of: fn(&ExchangeBounds) -> Seconds) -> Result<ModelTime, ModelError> {
    inputs.evaluate_hockney(|base, procs, size| bound_of(&MessageExchange::uniform(procs, size).bounds(base)))
}

pub(super) const CLAIM_1: Model = Model {
    name: "claim1",
    kind: ModelKind::LowerBound,
    formula: "T ≥ max(Δ_s, Δ_r)·α",
    source: "Steffenel 2006, section 5.1; Steffenel, Martinasso, Trystram 2007, section 4.1",
    domain: "Start-ups: Δ_s and Δ_r are the largest numbers of messages that one process sends \
             and receives. Holds if nobody forwards: algorithms that pack messages for others, such \
             as two-phase, need fewer.",
    example: uniform_example(0.000_15),
    time: |inputs| bound(inputs, |bounds| bounds.claim1),
    ..Model::of_subject(ModelSubject::Exchange)
};

pub(super) const CLAIM_2: Model = Model {
    name: "claim2",
    formula: "T ≥ max(t_s, t_r), t_s = max_i Σ_j w_ij·β, t_r = max_j Σ_i w_ij·β",
    domain: "Bandwidth of the busiest port; no algorithm avoids it.",
    example: uniform_example(0.000_03),
    time: |inputs| bound(inputs, |bounds| bounds.claim2),
    ..CLAIM_1
};

pub(super) const CLAIM_3: Model = Model {
    name: "claim3",
    formula: "T ≥ max(Δ_s, Δ_r)·α + max(t_s, t_r)",
    domain: "Holds if nobody forwards, and the exchange is synchronous or both maxima are of one \
             process in one direction. The print asks for the same process only, which is too \
             weak with full duplex.",
    example: uniform_example(0.000_18),
    time: |inputs| bound(inputs, |bounds| bounds.claim3),
    ..CLAIM_1
};

pub(super) const PER_VERTEX: Model = Model {
    name: "per_vertex",
    formula: "T ≥ max_p max(Δ_s(p)·α + β·Σ_j w_pj, Δ_r(p)·α + β·Σ_i w_ip)",
    source: "netsig; Claim 3 for each process and direction",
    domain: "Holds if nobody forwards: the bound to use where Claim 3 does not apply.",
    example: uniform_example(0.000_18),
    time: |inputs| bound(inputs, |bounds| bounds.per_vertex),
    ..CLAIM_1
};
