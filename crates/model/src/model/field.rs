//! `field`: the contention-free time of an algorithm times a ratio that varies with process count and size.
//!
//! # Formula
//! ```text
//! T(n, m) = γ(n, m)·T₀(n, m),   T₀ = τ·((s·b + W)⁸ + F⁸)^⅛
//! ```
//!
//! in seconds, with s start-ups and W bytes on the path of the algorithm ([`Path`](super::regimes::Path)), F bytes in the
//! time of the busiest link between switches where these are known, τ the time of a byte and b the bytes
//! that take as long as a start-up. ln γ is a Gaussian process of ln m and ln n (`crate::field`); here γ is
//! one number.
//!
//! # Domain
//! n ≥ 2; pieces of one size. No stalls: where losses were counted, the regimes have them.
//!
//! # Source
//! netsig, on Steffenel 2006, whose γ is the ratio of an all-to-all among many processes and to
//! Hockney's bound.

use netsig_base::algorithm::Sizes;

use super::FIELD;
use super::prelude::*;
use super::regimes::{Order, Pattern, Point, Protocol, Terms, Wire};

const PARAMETERS: [Parameter; 3] = [
    Parameter::given("startup_s", "the time of one start-up, τ·b", None),
    Parameter::given("byte_s", "the time of one byte, τ", None),
    Parameter::given("gamma", "γ", Some(1.0)),
];

pub(super) const ALLTOALL: Model = Model {
    name: FIELD,
    kind: Kind::Contention,
    formula: "T = γ(n, m)·τ·((s·b + W)⁸ + F⁸)^⅛",
    source: "netsig, on Steffenel 2006",
    domain: "n ≥ 2. s = n−1 start-ups of τ·b seconds and W = (n−1)·(m + 96 B of headers) bytes of τ seconds, \
             F = 0 unless links are known. γ is one number here; a fit has it as a table over n and m, with its \
             deviation, from a Gaussian process.",
    needs: &[],
    parameters: &PARAMETERS,
    example: of_example(0.000_469_392),
    time: |inputs| time(inputs, Pattern::Exchange(Order::AtOnce)),
    ..Model::about(Subject::Collective(Collective::Alltoall))
};

pub(super) const BCAST: Model = Model {
    subject: Subject::Collective(Collective::Bcast),
    domain: "As the field of alltoall, with start-ups and bytes along a binomial tree.",
    example: of_example(0.000_201_168),
    time: |inputs| time(inputs, Pattern::Tree { parts: false }),
    ..ALLTOALL
};

pub(super) const ALLTOALLV: Model = Model {
    subject: Subject::Collective(Collective::Alltoallv),
    domain: "As the field of alltoall.",
    ..ALLTOALL
};

pub(super) const SCATTER: Model = through_a_port(Collective::Scatter);
pub(super) const GATHER: Model = through_a_port(Collective::Gather);
pub(super) const ALLGATHER: Model = through_a_port(Collective::Allgather);

const fn through_a_port(collective: Collective) -> Model {
    Model {
        subject: Subject::Collective(collective),
        domain: "As the field of alltoall; all that comes passes one port.",
        time: |inputs| time(inputs, Pattern::Port),
        ..ALLTOALL
    }
}

/// n = 8, m = 1000 B, a start-up of 50 µs, 10 ns a byte, γ = 1.1 of bytes and start-ups.
const fn of_example(expected: f64) -> Example {
    Example::on(
        ROUND,
        "n = 8, m = 1000 B, b·τ = 50 µs, τ = 10 ns/B, γ = 1.1",
        expected,
        (8, 1000),
    )
    .with(&[5e-5, 1e-8, 1.1])
}

fn time(inputs: &Inputs, pattern: Pattern) -> Result<Timed, ModelError> {
    let (startup, byte) = (inputs.non_negative(0)?, inputs.non_negative(1)?);
    let gamma = inputs.non_negative(2)?;
    let point = Point {
        procs: inputs.case.procs,
        size: inputs.case.size,
        network: inputs.known.network.as_ref(),
        pieces: Sizes::Equal.into(),
    };
    let path = pattern.traffic(&Wire::straight(SecondsPerByte(byte)), point);
    let terms = Terms {
        once: 0.0,
        startups: path.startups * startup,
        wire: path.wire(Protocol::Eager).0,
        floor: path.floor.0,
    };
    Ok(Seconds(gamma * terms.time()).into())
}
