//! Models of one message and of whole programs.

use super::networks::{case, hockney, toy, values};
use super::{
    Estimator, Example, Inputs, Kind, Model, ModelError, Need, Parameter, Role, Subject, Timed,
    Values, count,
};
use crate::model::adve::Adve;
use crate::model::agarwal::Agarwal;
use crate::model::clement;
use crate::model::loggp::LogGP;
use crate::units::{Bytes, Seconds};

const HOCKNEY: Model = Model {
    name: "message_hockney",
    subject: Subject::Message,
    kind: Kind::ContentionFree,
    formula: "t = α + β·m",
    source: "Hockney 1994; Steffenel 2006, section 4",
    domain: "A network and library whose ping-pong is a line.",
    needs: &[Need::Hockney],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: Example {
        inputs: "α = 50 µs, β = 10 ns/B, m = 1000 B",
        expected: 6e-5,
        unit: "s",
        on: "",
        network: || hockney(5e-5, 1e-8),
        values: Values::default,
        case: || case(2, 1000),
    },
    time: |inputs| Ok(inputs.network.hockney.time(inputs.case.size).into()),
};

pub(super) const MESSAGES: [Model; 5] = [
    HOCKNEY,
    Model {
        name: "message_plogp",
        formula: "t = L + g(m)",
        source: "Kielmann, Bal, Verstoep 2000",
        domain: "g(m), os(m) and or(m) are tables, interpolated between their sizes.",
        needs: &[Need::PLogP],
        example: Example {
            inputs: "L = 50 µs, g(m) = 10 µs + 10 ns/B·m, m = 4096 B",
            expected: 0.000_100_96,
            unit: "s",
            on: "",
            network: toy,
            case: || case(2, 4096),
            ..HOCKNEY.example
        },
        time: |inputs| Ok(inputs.network.plogp.message(inputs.case.size).into()),
        ..HOCKNEY
    },
    Model {
        name: "message_loggp",
        formula: "t = o + (m−1)·G + L + o",
        source: "Alexandrov et al. 1995; the parameters from pLogP after Kielmann et al. 2001",
        domain: "One gap per byte for all large messages, here g(m)/m at 1 MiB.",
        needs: &[Need::PLogP],
        example: Example {
            inputs: "pLogP with L = 50 µs, g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, \
                     or = 6 µs + 5 ns/B·m; m = 1000 B",
            expected: 7.000_952_720_642_09e-5,
            unit: "s",
            on: "",
            network: toy,
            ..HOCKNEY.example
        },
        time: |inputs| {
            let model = LogGP::from_plogp(&inputs.network.plogp, Bytes(1 << 20))?;
            Ok(model.message(inputs.case.size).into())
        },
        ..HOCKNEY
    },
    Model {
        name: "message_clement",
        kind: Kind::Contention,
        formula: "t = α + β·m·γ, γ processes on a shared medium",
        source: "Clement et al. 1996; Steffenel 2006, eq. 2; Steffenel et al. 2007, eq. 3",
        domain: "All processes communicate at once.",
        parameters: &[given("gamma", "number of processes that share the medium")],
        example: Example {
            inputs: "α = 50 µs, β = 100 ns/B, m = 10000 B, γ = 8",
            expected: 0.008_05,
            unit: "s",
            on: "",
            network: || hockney(5e-5, 1e-7),
            values: || values(&[8.0]),
            case: || case(2, 10_000),
        },
        time: |inputs| {
            let base = &inputs.network.hockney;
            Ok(clement::message(base, inputs.case.size, inputs.value(0))?.into())
        },
        ..HOCKNEY
    },
    Model {
        name: "agarwal",
        kind: Kind::Contention,
        formula: "T_c = (1+w)·n·k_d + B, w = (ρB/(1−ρ))·((k_d−1)/k_d²)·(1+1/n), in cycles",
        source: "Agarwal 1991, eq. 12",
        domain: "A k-ary n-cube of channel utilisation ρ < 1. LoGPC builds on it, but is not it.",
        needs: &[],
        parameters: &[
            given("rho", "channel utilisation ρ"),
            given("flits", "message length B in flits"),
            given("dimensions", "n"),
            given("hops", "mean hops per dimension k_d"),
        ],
        example: Example {
            inputs: "ρ = 0.5, B = 16 flits, n = 2, k_d = 4",
            expected: 60.0,
            unit: "cycles",
            values: || values(&[0.5, 16.0, 2.0, 4.0]),
            ..HOCKNEY.example
        },
        time: agarwal,
        ..HOCKNEY
    },
];

pub(super) const PROGRAMS: [Model; 1] = [Model {
    name: "adve",
    subject: Subject::Program,
    kind: Kind::Contention,
    formula: "T = t_computation + t_communication + t_resource-contention + t_synchronisation",
    source: "Adve 1993, as quoted in Steffenel, Martinasso, Trystram 2007, eq. 2",
    domain: "An account of where time goes; the contention signature models its third term.",
    needs: &[],
    parameters: &[
        given("computation_s", "t_computation"),
        given("communication_s", "t_communication"),
        given("resource_contention_s", "t_resource-contention"),
        given("synchronisation_s", "t_synchronisation"),
    ],
    example: Example {
        inputs: "1 s, 0.5 s, 0.25 s, 0.125 s",
        expected: 1.875,
        values: || values(&[1.0, 0.5, 0.25, 0.125]),
        ..HOCKNEY.example
    },
    time: |inputs| {
        let [
            computation,
            communication,
            resource_contention,
            synchronisation,
        ] = [0, 1, 2, 3].map(|index| Seconds(inputs.value(index)));
        let model = Adve::new(
            computation,
            communication,
            resource_contention,
            synchronisation,
        )?;
        Ok(model.total().into())
    },
    ..HOCKNEY
}];

const fn given(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        meaning,
        role: Role::Given,
        default: None,
    }
}

/// Cycles in place of seconds.
fn agarwal(inputs: &Inputs) -> Result<Timed, ModelError> {
    let [utilisation, flits, dimensions, hops] = [0, 1, 2, 3].map(|index| inputs.value(index));
    let dimensions = count("dimensions", dimensions)?;
    let model = Agarwal::new(utilisation, flits, dimensions, hops)?;
    Ok(Seconds(model.latency()).into())
}
