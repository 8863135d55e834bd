//! The regimes of every collective, with parameters that are given: fits hold them in full.

use super::contention::threshold;
use super::networks::{case, hockney, values};
use super::{
    Case, Estimator, Example, Inputs, Kind, Model, ModelError, Need, Parameter, REGIMES, Role,
    Subject, Timed,
};
use crate::algorithm::Collective;
use crate::model::regimes::{Onset, Order, Pattern, Point, Protocol, Regimes, Stalls, Wire};
use crate::units::Seconds;
use crate::units::parameter::{ParameterError, finite, non_negative};

const fn parameter(name: &'static str, meaning: &'static str, default: Option<f64>) -> Parameter {
    Parameter {
        name,
        meaning,
        role: Role::Given,
        default,
    }
}

const PARAMETERS: [Parameter; 10] = [
    parameter("startup_s", "what one start-up adds, b", None),
    parameter(
        "gamma_eager",
        "γ of messages below the eager limit",
        Some(1.0),
    ),
    parameter("growth_eager", "κ of these", Some(0.0)),
    parameter(
        "gamma_rendezvous",
        "γ of messages from the eager limit on",
        Some(1.0),
    ),
    parameter("growth_rendezvous", "κ of these", Some(0.0)),
    parameter(
        "eager_limit_bytes",
        "the first size that is not sent at once",
        Some(f64::INFINITY),
    ),
    parameter(
        "overflow_bytes",
        "X, the surge x towards a port that overflows it",
        Some(f64::INFINITY),
    ),
    parameter(
        "stall_rate",
        "c, the rate of time-outs on one connection",
        Some(0.0),
    ),
    parameter("stall_s", "D, what a time-out adds", Some(0.2)),
    parameter("latency_s", "what is paid once, a", Some(0.0)),
];

const ALL_TO_ALL: Model = Model {
    name: REGIMES,
    subject: Subject::Collective(Collective::Alltoall),
    kind: Kind::Contention,
    formula: "T₀ = (a + b·s + (γ + κ/(n−1))·W)·e^ρ(m), and D more with p = 1 − exp(−c·n·(n−1)·φ), φ = 1/(1 + (X/x)⁶)",
    source: "netsig, on Steffenel 2006 and Kielmann, Bal, Verstoep 2000",
    domain: "n ≥ 2. s = n−1, W = (n−1)·β·(m + 96 B of headers), x = √(n−1)·m; γ and κ for either \
             side of the eager limit, from which on a time-out counts where T₀ does not hide it. \
             Here ρ = 0 and the median; a fit adds ρ, V(w) in the place of β·w, spreads and \
             intervals, and takes notice of the links of --network SCENARIO.",
    mends: None,
    needs: &[Need::Hockney],
    parameters: &PARAMETERS,
    estimator: Estimator::None,
    example: Example {
        inputs: "n = 8, m = 32 KiB, β = 10 ns/B, b = 50 µs, γ = 1.2, κ = 0.7, X = 64 KiB, c = 1, \
                 D = 200 ms, all eager",
        expected: 0.203_340_624,
        unit: "s",
        on: "",
        network: || hockney(5e-5, 1e-8),
        values: || {
            values(&[
                5e-5,
                1.2,
                0.7,
                1.0,
                0.0,
                f64::INFINITY,
                65536.0,
                1.0,
                0.2,
                0.0,
            ])
        },
        case: || case(8, 32768),
    },
    time: |inputs| time(inputs, Pattern::Exchange(Order::AtOnce)),
};

pub(super) const ALLTOALL: [Model; 1] = [ALL_TO_ALL];

pub(super) const BCAST: [Model; 1] = [Model {
    subject: Subject::Collective(Collective::Bcast),
    domain: "As the regimes of alltoall, with a binomial tree: s = ⌈log₂ n⌉, W = β·(m + 96 B) times \
             the longest path on which a rank sends one message after the other, and √((b·s)² + \
             (γ·W)²) in the place of b·s + γ·W.",
    example: in_thousands(0.000_154_298_814_720_010),
    time: |inputs| time(inputs, Pattern::Tree { parts: false }),
    ..ALL_TO_ALL
}];

pub(super) const SCATTER: [Model; 1] = [Model {
    subject: Subject::Collective(Collective::Scatter),
    domain: "As the regimes of bcast, with a message of m bytes for each process behind an edge.",
    example: in_thousands(0.000_170_079_123_422_012),
    time: |inputs| time(inputs, Pattern::Tree { parts: true }),
    ..ALL_TO_ALL
}];

pub(super) const GATHER: [Model; 1] = [through_a_port(Collective::Gather)];

pub(super) const ALLGATHER: [Model; 1] = [through_a_port(Collective::Allgather)];

const fn through_a_port(collective: Collective) -> Model {
    Model {
        subject: Subject::Collective(collective),
        domain: "As the regimes of alltoall; all that comes passes one port.",
        example: in_thousands(0.000_434_392),
        time: |inputs| time(inputs, Pattern::Port),
        ..ALL_TO_ALL
    }
}

/// An example beyond the eager limit, without stalls.
const fn in_thousands(expected: f64) -> Example {
    Example {
        inputs: "n = 8, m = 1000 B, β = 10 ns/B, b = 50 µs, γ = 1.1 from the eager limit of 512 B on",
        expected,
        values: || {
            values(&[
                5e-5,
                9.0,
                0.0,
                1.1,
                0.0,
                512.0,
                f64::INFINITY,
                0.0,
                0.2,
                0.0,
            ])
        },
        case: || case(8, 1000),
        ..ALL_TO_ALL.example
    }
}

/// The median.
fn time(inputs: &Inputs, pattern: Pattern) -> Result<Timed, ModelError> {
    let Case { procs, size, .. } = inputs.case;
    let model = regimes(inputs, pattern)?;
    if procs.get() == 1 {
        return Ok(Seconds(0.0).into());
    }
    let point = Point {
        procs,
        size,
        tree: inputs.network.tree.as_ref(),
    };
    let times = model.times(point);
    let lack = || inputs.missing("both protocols", "give --set NAME=VALUE for each");
    Ok(times.ok_or_else(lack)?.median().into())
}

fn regimes(inputs: &Inputs, pattern: Pattern) -> Result<Regimes, ParameterError> {
    let overflow = match inputs.value(6) {
        bytes if bytes > 0.0 => bytes,
        bytes => {
            let rule = "above 0, or inf for none";
            return Err(ParameterError::new("overflow_bytes", bytes, rule));
        }
    };
    let stalls = Stalls {
        rate: non_negative("stall_rate", inputs.value(7))?,
        cost: Seconds(non_negative("stall_s", inputs.value(8))?),
        spread: 0.0,
        onset: None,
    };
    let protocol = |[gamma, growth]: [f64; 2], stalls: Stalls| Protocol {
        gamma,
        growth,
        overlap: 0.0,
        slowdown: 0.0,
        corrections: Vec::new(),
        spread: 0.0,
        stalls: Some(stalls),
    };
    let eager = [
        non_negative("gamma_eager", inputs.value(1))?,
        finite("growth_eager", inputs.value(2))?,
    ];
    let rendezvous = [
        non_negative("gamma_rendezvous", inputs.value(3))?,
        finite("growth_rendezvous", inputs.value(4))?,
    ];
    let onset = Some(Onset {
        bytes: overflow,
        lower: overflow,
        upper: overflow,
    });
    Ok(Regimes {
        pattern,
        wire: Wire::straight(inputs.network.hockney.beta()),
        latency: Seconds(non_negative("latency_s", inputs.value(9))?),
        startup: Seconds(non_negative("startup_s", inputs.value(0))?),
        eager: Some(protocol(eager, Stalls { onset, ..stalls })),
        rendezvous: Some(protocol(rendezvous, stalls)),
        eager_limit: threshold("eager_limit_bytes", inputs.value(5))?,
    })
}
