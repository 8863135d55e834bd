//! Broadcast in pLogP: ten strategies as printed, one file per tree, and the binomial ones with
//! floor and ceiling in the right places.
//!
//! # Symbols
//! P processes, a message of m bytes, in segmented strategies in k = ⌈m/s⌉ segments of s bytes; g(m) and L in
//! seconds. `_rdv`: a request and its answer, g(1) + L each, precede the data (rendezvous). `_seg`: in segments,
//! whose g(s) is at least the time that the wire needs ([`PLogP::gap_of_segment`]). No contention.

mod binary;
mod binomial;
mod chain;
mod flat;

use super::case::SegmentChoice;
use super::clusters::BCAST as LEVELS;
use super::field::BCAST as FIELD;
use super::prelude::*;
use super::regimes::entry::BCAST as REGIMES;
use super::segment::{BestSegment, Segment, find_best_segment};

pub(super) const MODELS: &[Model] = &[
    flat::FLAT,
    flat::RENDEZVOUS,
    flat::SEGMENTED,
    chain::CHAIN,
    chain::RENDEZVOUS,
    chain::SEGMENTED,
    binary::BINARY,
    binomial::BINOMIAL,
    binomial::RENDEZVOUS,
    binomial::SEGMENTED,
    binomial::BINOMIAL_EXACT,
    binomial::RENDEZVOUS_EXACT,
    binomial::SEGMENTED_EXACT,
    LEVELS,
    FIELD,
    REGIMES,
];

/// Fields that all broadcasts share.
const BASE: Model = Model {
    source: "Barchet-Steffenel and Mounié 2005 (RenPar), Table 1",
    needs: &[ModelInput::PLogP],
    ..Model::of_subject(ModelSubject::Collective(Collective::Bcast))
};

/// Time of request, answer and message beyond the gap of the message: 2·g(1) + 3·L.
fn rendezvous(network: &PLogP) -> Seconds {
    network.g(Bytes(1)) * 2.0 + network.latency() * 3.0
}

/// Evaluates a formula of P, k, the gap of a segment and L, at the segment size of the case or at the best one.
#[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
fn segmented(
    inputs: &FormulaInputs,
    formula: fn(Procs, u64, Seconds, Seconds) -> Seconds,
) -> Result<ModelTime, ModelError> {
    let (case, network) = (inputs.case, &inputs.known.plogp);
    let wire_time = network.wire_time(case.size);
    let time = |segment: Segment| {
        if case.procs.get() == 1 {
            return Seconds(0.0);
        }
        let pieces = segment.count(case.size);
        let gap = network.gap_of_segment(segment.bytes(), wire_time * (1.0 / pieces as f64));
        formula(case.procs, pieces, gap, network.latency())
    };
    let BestSegment { segment, time } = match case.segments {
        SegmentChoice::Fixed(segment) => BestSegment {
            segment,
            time: time(segment),
        },
        SegmentChoice::Best(search, datatype) => find_best_segment(search, case.size, datatype, time),
    };
    Ok(ModelTime {
        time,
        segment: Some(segment),
    })
}
