//! Reductions and barriers in pLogP, a file for each collective. The steps of the formulas are the critical paths of
//! `netsig_base::algorithm::ReductionForm`.
//!
//! # Symbols
//! n processes; a vector of m bytes, c elements of e = 8 bytes; Q = 2^ℓ the largest power of two ≤ n, r = n − Q, f = 1 if
//! r > 0, else 0; B = ⌈c/n⌉·e, H = ⌈c/2⌉·e. ω is the time of the operation on a byte, in seconds per byte; g(b) and L in
//! seconds.
//!
//! # Formula
//! A step of b bytes of which d are combined takes x(b, d) = L + g(b) + ω·d; x(b) = x(b, b). Where messages to one rank
//! follow one another, L counts once.
//!
//! # Source
//! Derived from the schedules, with the steps of Thakur, Rabenseifner, Gropp 2005 (IJHPCA) and others; flat, chain,
//! pipeline and binomial are the broadcasts of Barchet-Steffenel and Mounié 2005 (`RenPar`) backwards in time.

mod allreduce;
mod barrier;
mod reduce;
mod reduce_scatter;

use netsig_base::algorithm::{CriticalPath, DOUBLE, ReducedVector, ReductionForm};

use super::case::SegmentChoice;
use super::prelude::*;
use super::segment::{BestSegment, Segment, find_best_segment};

pub(super) use allreduce::MODELS as ALLREDUCE;
pub(super) use barrier::MODELS as BARRIER;
pub(super) use reduce::MODELS as REDUCE;
pub(super) use reduce_scatter::{BLOCK_MODELS as REDUCE_SCATTER_BLOCK, MODELS as REDUCE_SCATTER};

/// Time of a critical path on pLogP, with ω = `operation`.
pub fn plogp_time(path: &CriticalPath, network: &PLogP, operation: SecondsPerByte) -> Seconds {
    path_time(path, network, operation, |bytes| network.g(bytes))
}

fn path_time(
    path: &CriticalPath,
    network: &PLogP,
    operation: SecondsPerByte,
    gap: impl Fn(Bytes) -> Seconds,
) -> Seconds {
    let step_time = |message: f64, combined: f64| gap(Bytes::rounded(message)) + Seconds(operation.0 * combined);
    let steps = path.steps.iter();
    let times = steps.map(|step| step_time(step.message, step.combined) * step.times);
    times.fold(network.latency() * path.latencies, |sum, time| sum + time)
}

/// Name of the model of a form; the collective tells apart forms that share a name.
pub(super) fn name_of(form: ReductionForm) -> &'static str {
    use netsig_base::algorithm::Fold;
    match form {
        ReductionForm::RecursiveDoubling | ReductionForm::ScatterDoubling | ReductionForm::BarrierDoubling => {
            "recursive_doubling"
        }
        ReductionForm::Rabenseifner(Fold::Halves) | ReductionForm::ReduceRabenseifner(Fold::Halves) => "rabenseifner",
        ReductionForm::Rabenseifner(Fold::Whole) | ReductionForm::ReduceRabenseifner(Fold::Whole) => {
            "rabenseifner_blocks"
        }
        ReductionForm::Ring | ReductionForm::ScatterRing => "ring",
        ReductionForm::RingSegmented => "ring_segmented",
        ReductionForm::ReduceBcast => "reduce_bcast",
        ReductionForm::FlatReduceBcast => "flat_reduce_bcast",
        ReductionForm::Direct | ReductionForm::ScatterDirect => "direct",
        ReductionForm::ReduceFlat | ReductionForm::BarrierFlat => "flat",
        ReductionForm::ReduceBinomial | ReductionForm::BarrierTree => "binomial",
        ReductionForm::ReduceBinary => "binary",
        ReductionForm::ReduceChain => "chain",
        ReductionForm::ReducePipeline => "pipeline",
        ReductionForm::InOrderBinary => "in_order_binary",
        ReductionForm::Pairwise => "pairwise",
        ReductionForm::Halving => "recursive_halving",
        ReductionForm::Butterfly => "butterfly",
        ReductionForm::ReduceThenScatter => "reduce_then_scatter",
        ReductionForm::Dissemination => "dissemination",
        ReductionForm::DoubleRing => "double_ring",
    }
}

/// Fields that all models of a reduction share.
const fn base(collective: Collective) -> Model {
    Model {
        source: "derived from the schedule; steps of Thakur, Rabenseifner, Gropp 2005 (IJHPCA)",
        domain: WHOLE_VECTOR,
        needs: &[ModelInput::PLogP, ModelInput::Operation],
        ..Model::of_subject(ModelSubject::Collective(collective))
    }
}

const WHOLE_VECTOR: &str = "m is the whole vector, of doubles. Without contention. ω is 0 where the profile has no time \
                            of the operation.";

/// An example on the toy network among 6 processes: 600 doubles.
const fn example(expected: f64) -> WorkedExample {
    WorkedExample::on_network(ExampleNetwork::ToyOperation, "n = 6, m = 4800 B", expected, (6, 4800))
}

/// Evaluates a form without segments.
#[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
fn evaluate(inputs: &FormulaInputs, form: ReductionForm) -> Result<ModelTime, ModelError> {
    let path = form.path(vector(inputs), None);
    Ok(plogp_time(&path, &inputs.known.plogp, inputs.known.operation).into())
}

/// Evaluates a form in segments, at the segment size of the case or at the best one. The gap of a segment is at least its
/// share in what the wire needs for the vector.
#[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
fn evaluate_segmented(inputs: &FormulaInputs, form: ReductionForm) -> Result<ModelTime, ModelError> {
    let (size, network) = (inputs.case.size, &inputs.known.plogp);
    let wire_time = network.wire_time(size);
    let gap = |bytes: Bytes| network.gap_of_segment(bytes, wire_time * (bytes.as_f64() / size.as_f64().max(1.0)));
    let time = |segment: Segment| {
        let path = form.path(vector(inputs), Some(segment.bytes()));
        path_time(&path, network, inputs.known.operation, gap)
    };
    let BestSegment { segment, time } = match inputs.case.segments {
        SegmentChoice::Fixed(segment) => BestSegment {
            segment,
            time: time(segment),
        },
        SegmentChoice::Best(search, datatype) => find_best_segment(search, size, datatype, time),
    };
    Ok(ModelTime {
        time,
        segment: Some(segment),
    })
}

fn vector(inputs: &FormulaInputs) -> ReducedVector {
    ReducedVector {
        procs: inputs.case.procs,
        size: inputs.case.size,
        element: DOUBLE,
    }
}
