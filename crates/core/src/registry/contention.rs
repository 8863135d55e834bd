//! The all-to-alls of one cluster under contention: factors, signatures, throughput.

use super::alltoall::{FREE, HOCKNEY};
use super::networks::{case, fast_ethernet, gigabit_ethernet, on_toy, values};
use super::{
    Case, Estimator, Example, Inputs, Kind, Model, ModelError, Parameter, Role, SIGNATURE,
    THROUGHPUT, Timed,
};
use crate::fit::signature::Sides;
use crate::model::Threshold;
use crate::model::contention_factor::{DeltaForm, Factor001, Factor003};
use crate::model::signature::{Form, Signature};
use crate::model::throughput::Throughput;
use crate::units::parameter::ParameterError;
use crate::units::{Bytes, Seconds, SecondsPerByte};

const GAMMA: Parameter = Parameter {
    name: "gamma",
    meaning: "contention ratio γ",
    role: Role::Linear(f64::NEG_INFINITY),
    default: None,
};

const GAMMA_BELOW: Parameter = Parameter {
    name: "gamma_below",
    meaning: "γ for m < M; as gamma unless given",
    role: Role::Linear(f64::NEG_INFINITY),
    default: Some(f64::NAN),
};

const DELTA: Parameter = Parameter {
    name: "delta_s",
    meaning: "start-up of each simultaneous communication from M on",
    role: Role::Supplement,
    default: Some(0.0),
};

const DELTA_P: Parameter = Parameter {
    name: "delta_per_process_s",
    meaning: "supplement δ_P for each process above M",
    role: Role::Supplement,
    default: Some(0.0),
};

const THRESHOLD: Parameter = Parameter {
    name: "threshold_bytes",
    meaning: "M",
    role: Role::Threshold,
    default: Some(f64::INFINITY),
};

const CONTENDED_GAP: Parameter = Parameter {
    name: "beta_contended_s_per_byte",
    meaning: "gap of a delayed connection β_C",
    role: Role::Linear(0.0),
    default: None,
};

const DELAYED: Parameter = Parameter {
    name: "rho",
    meaning: "fraction of delayed connections ρ",
    role: Role::Given,
    default: Some(0.5),
};

const FACTOR_001: Model = Model {
    name: "factor_001",
    formula: "T = (P−1)·(g(m) + or(m)·γ) + L + P·δ_P·[m > M]",
    source: "Barchet-Steffenel and Mounié 2005 (PPAM), section 4.1",
    domain: "γ places the time between free and contention_001; more than 1 is legal. The total \
             supplement is P·δ_P as the text calibrates it. Its γ is not that of factor_003.",
    parameters: &[GAMMA, DELTA_P, THRESHOLD],
    estimator: Estimator::ByRole,
    example: Example {
        values: || values(&[0.1, 0.007, 2048.0]),
        ..on_toy(
            "P = 24, m = 1 MiB, γ = 1/10, δ_P = 7 ms, M = 2 KiB",
            0.421_524_904,
            || case(24, 1 << 20),
        )
    },
    time: |inputs| factor_001(inputs, DeltaForm::TimesP),
    kind: Kind::Contention,
    ..FREE
};

const FULL: Model = Model {
    name: "full",
    kind: Kind::Contention,
    formula: "T = (n−1)·((α+βm)·γ + δ·[m≥M])",
    source: "Steffenel 2006, eq. 4 and 5, with δ inside the bracket",
    domain: "A saturated network, where errors are usually under 10 %. The papers' signature \
             with one γ; the printed bracket of eq. 5 closes before δ: full_delta_once. The texts' \
             \"larger than M\" is a threshold of M + 1 bytes.",
    parameters: &[GAMMA, DELTA, THRESHOLD],
    estimator: Estimator::Signature(Form::Full, Sides::OneGamma),
    example: Example {
        inputs: "Fast Ethernet of the source: n = 24, m = 2 KiB, α = 60 µs, β = 84.98 ns/B, \
                 γ = 1.0195, δ = 8.23 ms, M = 2 KiB",
        expected: 0.194_777_864_429_439_98,
        unit: "s",
        on: "",
        network: fast_ethernet,
        values: || values(&[1.0195, 0.00823, 2048.0]),
        case: || case(24, 2048),
    },
    time: |inputs| one_gamma(inputs, Form::Full),
    ..HOCKNEY
};

pub(super) const MODELS: [Model; 8] = [
    FACTOR_001,
    Model {
        name: "factor_001_times_p_minus_1",
        formula: "T = (P−1)·(g(m) + or(m)·γ) + L + (P−1)·δ_P·[m > M]",
        domain: "As factor_001, with the supplement of the formula line in place of the text's.",
        example: Example {
            values: || values(&[0.1, 0.007, 2048.0]),
            ..on_toy(
                "P = 24, m = 1 MiB, γ = 1/10, δ_P = 7 ms, M = 2 KiB",
                0.414_524_904,
                || case(24, 1 << 20),
            )
        },
        time: |inputs| factor_001(inputs, DeltaForm::TimesPMinus1),
        ..FACTOR_001
    },
    Model {
        name: "factor_003",
        formula: "T = (P−1)·(g(m) + (os(m)+or(m)−g(m))·γ) + L",
        source: "Barchet-Steffenel and Mounié 2005 (RenPar), section 5.1",
        domain: "γ places the time between free and upper_003; degenerate where os + or < g. \
                 Its γ is not that of factor_001.",
        parameters: &[GAMMA],
        estimator: Estimator::ByRole,
        example: Example {
            values: || values(&[0.2]),
            ..on_toy("P = 24, m = 1 MiB, γ = 1/5", 0.236_633_630_4, || {
                case(24, 1 << 20)
            })
        },
        time: |inputs| {
            let gamma = inputs.value(0);
            let model = Factor003 { gamma }.checked()?;
            let Case { procs, size, .. } = inputs.case;
            Ok(model.time(&inputs.network.plogp, procs, size).into())
        },
        kind: Kind::Contention,
        ..FREE
    },
    Model {
        name: SIGNATURE,
        formula: "T = (n−1)·((α+βm)·γ(m) + δ·[m≥M]), γ(m) = γ_below for m < M, else γ",
        source: "netsig, after Steffenel 2006, eq. 4 and 5",
        domain: "As full, with a second γ where an F test finds one: MPI libraries change their \
                 protocol near the size where contention sets in. What `netsig fit` takes first.",
        parameters: &[GAMMA, GAMMA_BELOW, DELTA, THRESHOLD],
        estimator: Estimator::Signature(Form::Full, Sides::Tested),
        example: Example {
            inputs: "Fast Ethernet of Steffenel 2006 with γ_below = 1: n = 24, m = 1 KiB, α = 60 µs, \
                     β = 84.98 ns/B, γ = 1.0195, δ = 8.23 ms, M = 2 KiB",
            expected: 0.003_381_448_96,
            values: || values(&[1.0195, 1.0, 0.00823, 2048.0]),
            case: || case(24, 1024),
            ..FULL.example
        },
        time: |inputs| {
            let below = Some(inputs.value(1)).filter(|gamma| !gamma.is_nan());
            let rest = [inputs.value(0), inputs.value(2), inputs.value(3)];
            signature(inputs, Form::Full, below, rest)
        },
        ..FULL
    },
    FULL,
    Model {
        name: "bandwidth",
        formula: "T = (n−1)·(α + βm·γ + δ·[m≥M])",
        source: "Steffenel, Martinasso, Trystram 2007, eq. 4 and 5",
        domain: "As full, with γ on the bandwidth term alone. For m ≥ M the two are one model, \
                 with δ of bandwidth = δ of full + (γ−1)·α.",
        estimator: Estimator::Signature(Form::Bandwidth, Sides::OneGamma),
        example: Example {
            inputs: "Gigabit Ethernet: n = 40, m = 8 KiB, α = 50 µs, β = 8.502 ns/B, γ = 4.3628, \
                     δ = 4.93 ms, M = 8 KiB",
            expected: 0.206_070_616_818_892_83,
            unit: "s",
            on: "",
            network: gigabit_ethernet,
            values: || values(&[4.3628, 0.00493, 8192.0]),
            case: || case(40, 8192),
        },
        time: |inputs| one_gamma(inputs, Form::Bandwidth),
        ..FULL
    },
    Model {
        name: "full_delta_once",
        formula: "T = (n−1)·(α+βm)·γ + δ·[m≥M]",
        source: "Steffenel 2006, eq. 5, literally",
        domain: "As full, with δ added once, as the printed bracket has it. The text (\"each \
                 simultaneous communication induces an overload\") and the 2007 paper contradict.",
        estimator: Estimator::Signature(Form::FullDeltaOnce, Sides::OneGamma),
        example: Example {
            expected: 0.013_717_864_429_44,
            ..FULL.example
        },
        time: |inputs| one_gamma(inputs, Form::FullDeltaOnce),
        ..FULL
    },
    Model {
        name: THROUGHPUT,
        formula: "T = (n−1)·(α + m·((1−ρ)·β_F + ρ·β_C)), β_F = β",
        source: "Steffenel 2006, section 6, eq. 3",
        domain: "Messages above 64 KiB. ρ = 1/2: at most one of each two connections is delayed.",
        parameters: &[CONTENDED_GAP, DELAYED],
        estimator: Estimator::ByRole,
        example: Example {
            inputs: "n = 40, m = 1 MiB, α = 50 µs, β_F = 8.502 ns/B, β_C = 84.98189 ns/B, ρ = 1/2",
            expected: 1.913_436_787_092_48,
            unit: "s",
            on: "",
            network: gigabit_ethernet,
            values: || values(&[8.498_189e-8, 0.5]),
            case: || case(40, 1 << 20),
        },
        time: |inputs| {
            let contended = SecondsPerByte(inputs.value(0));
            let model = Throughput::new(&inputs.network.hockney, contended, inputs.value(1))?;
            let Case { procs, size, .. } = inputs.case;
            Ok(model.alltoall(procs, size).into())
        },
        kind: Kind::Contention,
        ..HOCKNEY
    },
];

fn factor_001(inputs: &Inputs, delta_form: DeltaForm) -> Result<Timed, ModelError> {
    let model = Factor001 {
        gamma: inputs.value(0),
        delta_per_process: Seconds(inputs.value(1)),
        delta_form,
        threshold: threshold("threshold_bytes", inputs.value(2))?.map(Threshold::Above),
    };
    let Case { procs, size, .. } = inputs.case;
    let model = model.checked()?;
    Ok(model.time(&inputs.network.plogp, procs, size).into())
}

fn one_gamma(inputs: &Inputs, form: Form) -> Result<Timed, ModelError> {
    signature(
        inputs,
        form,
        None,
        [0, 1, 2].map(|index| inputs.value(index)),
    )
}

fn signature(
    inputs: &Inputs,
    form: Form,
    gamma_below: Option<f64>,
    [gamma, delta, bytes]: [f64; 3],
) -> Result<Timed, ModelError> {
    let model = Signature {
        base: inputs.network.hockney,
        form,
        gamma,
        gamma_below,
        delta: Seconds(delta),
        threshold: threshold("threshold_bytes", bytes)?.map(Threshold::From),
    };
    let Case { procs, size, .. } = inputs.case;
    Ok(model.checked()?.time(procs, size).into())
}

/// The bytes of a threshold; infinity stands for none.
pub(super) fn threshold(name: &'static str, bytes: f64) -> Result<Option<Bytes>, ParameterError> {
    const RULE: &str = "a whole number of bytes, or inf for none";
    if bytes == f64::INFINITY {
        return Ok(None);
    }
    super::whole(bytes)
        .map(|bytes| Some(Bytes(bytes)))
        .ok_or_else(|| ParameterError::new(name, bytes, RULE))
}
