//! Bounds of any message exchange; `netsig bounds` gives them for an exchange in a file.
//! The examples are the uniform exchange, where the strongest is Proposition 1.

use super::contention::threshold;
use super::networks::{case, hockney, values};
use super::{
    Case, Estimator, Example, Inputs, Kind, Model, Need, Parameter, Role, Subject, Timed, Values,
};
use crate::model::Threshold;
use crate::model::exchange::{Bounds, Exchange};
use crate::model::signature::{Form, Signature};
use crate::units::Seconds;

const SOURCE: &str =
    "Steffenel 2006, section 5.1; Steffenel, Martinasso, Trystram 2007, section 4.1";
const UNIFORM: &str = "4 processes, 1000 B between any two, α = 50 µs, β = 10 ns/B";

const CLAIM_1: Model = Model {
    name: "claim1",
    subject: Subject::Exchange,
    kind: Kind::LowerBound,
    formula: "T ≥ max(Δ_s, Δ_r)·α",
    source: SOURCE,
    domain: "Start-ups: Δ_s and Δ_r are the largest numbers of messages that one process sends \
             and receives. Holds if nobody forwards: algorithms that pack messages for others, such \
             as two-phase, need fewer.",
    needs: &[Need::Hockney],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: example(UNIFORM, 0.000_15),
    time: |inputs| Ok(bound(inputs, |bounds| bounds.claim1)),
};

pub(super) const MODELS: [Model; 6] = [
    CLAIM_1,
    Model {
        name: "claim2",
        formula: "T ≥ max(t_s, t_r), t_s = max_i Σ_j w_ij·β, t_r = max_j Σ_i w_ij·β",
        domain: "Bandwidth of the busiest port; no algorithm avoids it.",
        example: example(UNIFORM, 0.000_03),
        time: |inputs| Ok(bound(inputs, |bounds| bounds.claim2)),
        ..CLAIM_1
    },
    Model {
        name: "claim3",
        formula: "T ≥ max(Δ_s, Δ_r)·α + max(t_s, t_r)",
        domain: "Holds if nobody forwards, and the exchange is synchronous or both maxima are of one \
                 process in one direction. The print asks for the same process only, which is too \
                 weak with full duplex.",
        example: example(UNIFORM, 0.000_18),
        time: |inputs| Ok(bound(inputs, |bounds| bounds.claim3)),
        ..CLAIM_1
    },
    Model {
        name: "per_vertex",
        formula: "T ≥ max_p max(Δ_s(p)·α + β·Σ_j w_pj, Δ_r(p)·α + β·Σ_i w_ip)",
        source: "netsig; Claim 3 for each process and direction",
        domain: "Holds if nobody forwards: the bound to use where Claim 3 does not apply.",
        example: example(UNIFORM, 0.000_18),
        time: |inputs| Ok(bound(inputs, |bounds| bounds.per_vertex)),
        ..CLAIM_1
    },
    Model {
        name: "direct_exchange_sync",
        kind: Kind::UpperBound,
        formula: "T = Σ_{t=1…n−1} max_i (α + w_{i,(i+t) mod n}·β)",
        source: "Steffenel 2006, Algorithm 1 in synchronous steps",
        domain: "A time that direct exchange attains without contention.",
        example: example(UNIFORM, 0.000_18),
        time: |inputs| {
            let exchange = uniform(inputs);
            Ok(exchange
                .direct_exchange_sync(&inputs.network.hockney)
                .into())
        },
        ..CLAIM_1
    },
    Model {
        name: "exchange_signature",
        kind: Kind::Contention,
        formula: "T = γ·per_vertex + δ·max(Δ_s, Δ_r)·[mean message ≥ M]",
        source: "netsig, the signature of Steffenel 2006 for exchanges that are not uniform",
        domain: "A saturated network; γ, δ and M of an all-to-all on it.",
        parameters: &[
            Parameter {
                name: "gamma",
                meaning: "contention ratio γ",
                role: Role::Given,
                default: None,
            },
            Parameter {
                name: "delta_s",
                meaning: "start-up of each simultaneous communication from M on",
                role: Role::Given,
                default: Some(0.0),
            },
            Parameter {
                name: "threshold_bytes",
                meaning: "M, held against the mean message",
                role: Role::Given,
                default: Some(0.0),
            },
        ],
        example: Example {
            values: || values(&[4.3628, 0.00493, 1000.0]),
            ..example(
                "4 processes, 1000 B between any two, α = 50 µs, β = 10 ns/B, γ = 4.3628, δ = 4.93 ms, \
                 M = 1000 B",
                0.015_575_304,
            )
        },
        time: |inputs| {
            let signature = Signature {
                base: inputs.network.hockney,
                form: Form::Full,
                gamma: inputs.value(0),
                gamma_below: None,
                delta: Seconds(inputs.value(1)),
                threshold: threshold("threshold_bytes", inputs.value(2))?.map(Threshold::From),
            };
            Ok(uniform(inputs).signature_time(&signature.checked()?).into())
        },
        ..CLAIM_1
    },
];

const fn example(inputs: &'static str, expected: f64) -> Example {
    Example {
        inputs,
        expected,
        unit: "s",
        on: "",
        network: || hockney(5e-5, 1e-8),
        values: Values::default,
        case: || case(4, 1000),
    }
}

fn uniform(inputs: &Inputs) -> Exchange {
    let Case { procs, size, .. } = inputs.case;
    Exchange::uniform(procs, size)
}

fn bound(inputs: &Inputs, wanted: impl Fn(&Bounds) -> Seconds) -> Timed {
    wanted(&uniform(inputs).bounds(&inputs.network.hockney)).into()
}
