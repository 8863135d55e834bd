//! Broadcast in pLogP: ten strategies as printed, one file per tree, and the binomial ones with
//! floor and ceiling in the right places.
//!
//! # Symbols
//! P processes, a message of m bytes, in segmented strategies in k = ⌈m/s⌉ segments of s bytes;
//! g(m) and L in seconds. `_rdv`: a request and its answer, g(1) + L each, precede the data
//! (rendezvous). `_seg`: in segments, whose g(s) is at least what the wire needs
//! ([`PLogP::gap_of_segment`]). No contention.

mod binary;
mod binomial;
mod chain;
mod flat;

use super::case::Segments;
use super::clusters::BCAST as LEVELS;
use super::field::BCAST as FIELD;
use super::prelude::*;
use super::regimes::entry::BCAST as REGIMES;
use super::segment::{Optimum, Segment, optimise};

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
    needs: &[Need::PLogP],
    ..Model::about(Subject::Collective(Collective::Bcast))
};

/// Time of request, answer and message beyond the gap of the message: 2·g(1) + 3·L.
fn rendezvous(network: &PLogP) -> Seconds {
    network.g(Bytes(1)) * 2.0 + network.latency() * 3.0
}

/// Evaluates a formula of P, k, the gap of a segment and L, at the segment size of the case or at the best one.
#[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
fn segmented(inputs: &Inputs, formula: fn(Procs, u64, Seconds, Seconds) -> Seconds) -> Result<Timed, ModelError> {
    let (case, network) = (inputs.case, &inputs.known.plogp);
    let whole = network.on_the_wire(case.size);
    let time = |segment: Segment| {
        if case.procs.get() == 1 {
            return Seconds(0.0);
        }
        let pieces = segment.count(case.size);
        let gap = network.gap_of_segment(segment.bytes(), whole * (1.0 / pieces as f64));
        formula(case.procs, pieces, gap, network.latency())
    };
    let Optimum { segment, time } = match case.segments {
        Segments::Of(segment) => Optimum {
            segment,
            time: time(segment),
        },
        Segments::Best(search, datatype) => optimise(search, case.size, datatype, time),
    };
    Ok(Timed {
        time,
        segment: Some(segment),
    })
}
