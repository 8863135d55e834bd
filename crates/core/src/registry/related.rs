//! The all-to-alls of the contention models that the papers quote, as named baselines.

use super::alltoall::{FREE, HOCKNEY};
use super::networks::{case, hockney, on_toy, values};
use super::{
    Case, Estimator, Example, Inputs, Kind, Model, ModelError, Parameter, Role, Timed, Values,
};
use crate::model::alltoall;
use crate::model::clement::Clement;
use crate::model::labarta::{Labarta, Mode};
use crate::model::slowdown::Slowdown;
use crate::model::tam::Tam;
use crate::units::table::Table;
use crate::units::{Bytes, Seconds};

const SHARE: Parameter = Parameter {
    name: "sharing",
    meaning: "effective share of the processes that share the medium, γ = sharing·n",
    role: Role::Linear(0.0),
    default: Some(1.0),
};

const BUSES: Parameter = Parameter {
    name: "buses",
    meaning: "effective number of buses b",
    role: Role::Count,
    default: None,
};

const SLOWDOWN: Parameter = Parameter {
    name: "slowdown",
    meaning: "factor σ",
    role: Role::Linear(0.0),
    default: None,
};

const LABARTA: Model = Model {
    name: "labarta",
    formula: "T = (n−1)·⌈n/b⌉·(α + β·m)",
    source: "Labarta et al. 1996, applied to the rounds of direct exchange by netsig",
    domain: "n ready messages on b buses go in ⌈n/b⌉ waves, in every round.",
    parameters: &[BUSES],
    estimator: Estimator::ByRole,
    example: Example {
        inputs: "n = 8, b = 3, m = 10000 B, α = 50 µs, β = 10 ns/B",
        expected: 0.003_15,
        unit: "s",
        on: "",
        network: || hockney(5e-5, 1e-8),
        values: || values(&[3.0]),
        case: || case(8, 10_000),
    },
    time: |inputs| labarta(inputs, Mode::PerRound),
    kind: Kind::Contention,
    ..HOCKNEY
};

pub(super) const MODELS: [Model; 5] = [
    Model {
        name: "clement",
        formula: "T = (n−1)·(α + β·m·γ), γ = sharing·n",
        source: "Clement et al. 1996, as quoted in Steffenel 2006, eq. 2",
        domain: "A shared medium on which all communicate at once; literally γ is the number of \
                 processes (sharing = 1), fitted it is the effective number.",
        parameters: &[SHARE],
        estimator: Estimator::ByRole,
        example: Example {
            inputs: "n = 8, m = 10000 B, α = 50 µs, β = 10 ns/B, sharing = 1",
            expected: 0.005_95,
            unit: "s",
            on: "",
            network: || hockney(5e-5, 1e-8),
            values: || values(&[1.0]),
            case: || case(8, 10_000),
        },
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            let model = Clement::new(inputs.value(0))?;
            Ok(model.alltoall(&inputs.network.hockney, procs, size).into())
        },
        kind: Kind::Contention,
        ..HOCKNEY
    },
    LABARTA,
    Model {
        name: "labarta_total",
        formula: "T = ⌈n(n−1)/b⌉·(α + β·m)",
        domain: "All messages of the exchange on b buses at once, without rounds.",
        example: Example {
            expected: 0.002_85,
            ..LABARTA.example
        },
        time: |inputs| labarta(inputs, Mode::Total),
        ..LABARTA
    },
    Model {
        name: "slowdown",
        formula: "T = σ·((P−1)·g(m) + L)",
        source: "Bruck et al. 1997, as quoted in Steffenel 2006, section 2",
        domain: "One factor on a contention-free prediction; the sources give no more.",
        parameters: &[SLOWDOWN],
        estimator: Estimator::ByRole,
        example: Example {
            values: || values(&[1.25]),
            ..on_toy("P = 24, m = 1 MiB, σ = 1.25", 0.301_815_6, || {
                case(24, 1 << 20)
            })
        },
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            let free = alltoall::free(&inputs.network.plogp, procs, size);
            Ok(Slowdown::new(inputs.value(0))?.apply(free).into())
        },
        kind: Kind::Contention,
        ..FREE
    },
    Model {
        name: "tam",
        formula: "T = (P−1)·g(m) + L(m)",
        source: "Tam and Wang 1999, Tam 2001 (also cited as Chun), in the form netsig gives it",
        domain: "The latency depends on the size, as a table; it cannot grow with P.",
        estimator: Estimator::Latency,
        example: Example {
            values: || Values {
                numbers: Vec::new(),
                latency: Table::new("L", vec![(Bytes(0), Seconds(5e-3))]).ok(),
            },
            ..on_toy("P = 24, m = 1 MiB, L(m) = 5 ms", 0.246_402_48, || {
                case(24, 1 << 20)
            })
        },
        time: tam,
        kind: Kind::Contention,
        ..FREE
    },
];

fn labarta(inputs: &Inputs, mode: Mode) -> Result<Timed, ModelError> {
    let model = Labarta {
        buses: super::count("buses", inputs.value(0))?,
        mode,
    };
    let Case { procs, size, .. } = inputs.case;
    Ok(model.alltoall(&inputs.network.hockney, procs, size).into())
}

fn tam(inputs: &Inputs) -> Result<Timed, ModelError> {
    let latency = inputs.values.latency.clone();
    let latency = latency.ok_or_else(|| inputs.missing("a table L(m)", "fit it to data"))?;
    let Case { procs, size, .. } = inputs.case;
    let model = Tam::new(latency);
    Ok(model.alltoall(&inputs.network.plogp, procs, size).into())
}
