//! `field`: the contention-free time of an algorithm times a ratio that varies with process count and size.
//!
//! # Formula
//! ```text
//! T(n, m) = γ(n, m)·T₀(n, m),   T₀ = τ·((s·b + W)⁸ + F⁸)^⅛
//! ```
//!
//! in seconds. s is the number of start-ups and W the bytes on the path of the algorithm
//! ([`TrafficPath`](super::regimes::TrafficPath)). F is the time of the busiest link between switches, counted in
//! bytes (0 if no links are known). τ is the time of a byte, and a start-up takes as long as b bytes. ln γ is a
//! Gaussian process of ln m and ln n (`crate::field`); here γ is one number.
//!
//! # Domain
//! n ≥ 2; pieces of one size; no stalls. Where losses were counted, the regimes describe stalls.
//!
//! # Source
//! netsig, on Steffenel 2006, whose γ is the ratio of the time of an all-to-all among many processes to Hockney's
//! bound.

use netsig_base::algorithm::{ReductionForm, SizePattern};

use super::FIELD;
use super::prelude::*;
use super::regimes::{ExchangeOrder, Protocol, RegimesPoint, TimeTerms, TrafficPattern, WireTime};

const PARAMETERS: [ModelParameter; 3] = [
    ModelParameter::given("startup_s", "the time of one start-up, τ·b", None),
    ModelParameter::given("byte_s", "the time of one byte, τ", None),
    ModelParameter::given("gamma", "γ", Some(1.0)),
];

pub(super) const ALLTOALL: Model = Model {
    name: FIELD,
    kind: ModelKind::Contention,
    formula: "T = γ(n, m)·τ·((s·b + W)⁸ + F⁸)^⅛",
    source: "netsig, on Steffenel 2006",
    domain: "n ≥ 2. s = n−1 start-ups of τ·b seconds and W = (n−1)·(m + 96 B of headers) bytes of τ seconds, \
             F = 0 unless links are known. γ is one number here; a fit has it as a table over n and m, with its \
             deviation, from a Gaussian process.",
    needs: &[],
    parameters: &PARAMETERS,
    example: field_example(0.000_469_392),
    time: |inputs| time(inputs, TrafficPattern::Exchange(ExchangeOrder::AtOnce)),
    ..Model::of_subject(ModelSubject::Collective(Collective::Alltoall))
};

pub(super) const BCAST: Model = Model {
    subject: ModelSubject::Collective(Collective::Bcast),
    domain: "As the field of alltoall, with start-ups and bytes along a binomial tree.",
    example: field_example(0.000_201_168),
    time: |inputs| time(inputs, TrafficPattern::Tree { parts: false }),
    ..ALLTOALL
};

pub(super) const ALLTOALLV: Model = Model {
    subject: ModelSubject::Collective(Collective::Alltoallv),
    domain: "As the field of alltoall.",
    ..ALLTOALL
};

pub(super) const SCATTER: Model = port_model(Collective::Scatter);
pub(super) const GATHER: Model = port_model(Collective::Gather);
pub(super) const ALLGATHER: Model = port_model(Collective::Allgather);

pub(super) const REDUCE: Model = Model {
    subject: ModelSubject::Collective(Collective::Reduce),
    domain: "As the field of alltoall, with the steps of a binomial tree of whole vectors.",
    example: field_example(0.000_201_168),
    time: |inputs| time(inputs, steps(ReductionForm::ReduceBinomial)),
    ..ALLTOALL
};

pub(super) const ALLREDUCE: Model = Model {
    subject: ModelSubject::Collective(Collective::Allreduce),
    domain: "As the field of alltoall, with the steps of recursive doubling.",
    time: |inputs| time(inputs, steps(ReductionForm::RecursiveDoubling)),
    ..REDUCE
};

pub(super) const REDUCE_SCATTER: Model = Model {
    subject: ModelSubject::Collective(Collective::ReduceScatter),
    domain: "As the field of alltoall, with n − 1 steps of m/n bytes.",
    example: field_example(0.000_402_248),
    time: |inputs| time(inputs, steps(ReductionForm::Pairwise)),
    ..ALLTOALL
};

pub(super) const REDUCE_SCATTER_BLOCK: Model = Model {
    subject: ModelSubject::Collective(Collective::ReduceScatterBlock),
    ..REDUCE_SCATTER
};

pub(super) const BARRIER: Model = Model {
    subject: ModelSubject::Collective(Collective::Barrier),
    domain: "As the field of alltoall, with ⌈log₂ n⌉ steps without bytes.",
    example: field_example(0.000_168_168),
    time: |inputs| time(inputs, steps(ReductionForm::Dissemination)),
    ..ALLTOALL
};

const fn steps(form: ReductionForm) -> TrafficPattern {
    TrafficPattern::Reduction { form, segment: None }
}

const fn port_model(collective: Collective) -> Model {
    Model {
        subject: ModelSubject::Collective(collective),
        domain: "As the field of alltoall; all that comes passes one port.",
        time: |inputs| time(inputs, TrafficPattern::Port),
        ..ALLTOALL
    }
}

/// n = 8, m = 1000 B, a start-up of 50 µs, 10 ns a byte, γ = 1.1 of bytes and start-ups.
const fn field_example(expected: f64) -> WorkedExample {
    WorkedExample::on_network(
        ROUND_NUMBERS,
        "n = 8, m = 1000 B, b·τ = 50 µs, τ = 10 ns/B, γ = 1.1",
        expected,
        (8, 1000),
    )
    .with_values(&[5e-5, 1e-8, 1.1])
}

fn time(inputs: &FormulaInputs, pattern: TrafficPattern) -> Result<ModelTime, ModelError> {
    let (startup, byte) = (inputs.non_negative(0)?, inputs.non_negative(1)?);
    let gamma = inputs.non_negative(2)?;
    let point = RegimesPoint {
        procs: inputs.case.procs,
        size: inputs.case.size,
        network: inputs.known.network.as_ref(),
        pieces: SizePattern::Equal.into(),
    };
    let path = pattern.traffic(&WireTime::proportional(SecondsPerByte(byte)), point);
    let terms = TimeTerms {
        once: 0.0,
        startups: path.startups * startup,
        wire: path.wire(Protocol::Eager).0,
        floor: path.floor.0,
    };
    Ok(Seconds(gamma * terms.time()).into())
}
