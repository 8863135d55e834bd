//! The all-to-alls of a single cluster: bounds, contention models, named baselines.

use super::networks::{case, fast_ethernet, gigabit_ethernet, hockney, toy, values};
use super::{
    Case, Estimator, Example, Inputs, Kind, Model, ModelError, Need, Parameter, Role, SIGNATURE,
    Subject, Timed, Values,
};
use crate::collective::Collective;
use crate::fit::signature::Sides;
use crate::model::clement::Clement;
use crate::model::contention_factor::{DeltaForm, Factor001, Factor003};
use crate::model::hockney::Hockney;
use crate::model::labarta::{Labarta, Mode};
use crate::model::plogp::Table;
use crate::model::plogpt::{self, RtoMode};
use crate::model::signature::{Form, Signature};
use crate::model::slowdown::Slowdown;
use crate::model::tam::Tam;
use crate::model::throughput::Throughput;
use crate::model::tree::{Link, Tree};
use crate::model::{ParameterError, Threshold, alltoall};
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

const PPAM: &str = "Barchet-Steffenel and Mounié 2005 (PPAM), Table 1";

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

const SLOWDOWN: Parameter = Parameter {
    name: "slowdown",
    meaning: "factor σ",
    role: Role::Linear(0.0),
    default: None,
};

const HOCKNEY: Model = Model {
    name: "hockney",
    subject: Subject::Collective(Collective::Alltoall),
    kind: Kind::ContentionFree,
    formula: "T = (n−1)·(α + β·m)",
    source: "Steffenel 2006, eq. 1 and Proposition 1",
    domain: "The lower bound for one port and full duplex; direct exchange attains it where \
             there is no contention. Too high for small messages whose start-ups overlap.",
    needs: &[Need::Hockney],
    parameters: &[],
    estimator: Estimator::None,
    example: Example {
        inputs: "n = 4, m = 1000 B, α = 50 µs, β = 10 ns/B",
        expected: 0.000_18,
        unit: "s",
        network: || hockney(5e-5, 1e-8),
        values: Values::default,
        case: || case(4, 1000),
    },
    time: |inputs| {
        let Case { procs, size, .. } = inputs.case;
        Ok(inputs.network.hockney.alltoall(procs, size).into())
    },
};

const FREE: Model = Model {
    name: "free",
    formula: "T = (P−1)·g(m) + L",
    source: "Barchet-Steffenel and Mounié 2005 (PPAM) Table 1, (RenPar) Table 3",
    domain: "The lower limit in pLogP.",
    needs: &[Need::PLogP],
    example: on_toy("P = 24, m = 1 MiB", 0.241_452_48),
    time: |inputs| {
        let Case { procs, size, .. } = inputs.case;
        Ok(alltoall::free(&inputs.network.plogp, procs, size).into())
    },
    ..HOCKNEY
};

const CONTENTION: Model = Model {
    kind: Kind::Contention,
    ..FREE
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
        )
    },
    time: |inputs| factor_001(inputs, DeltaForm::TimesP),
    ..CONTENTION
};

const FULL: Model = Model {
    name: "full",
    kind: Kind::Contention,
    formula: "T = (n−1)·((α+βm)·γ + δ·[m≥M])",
    source: "Steffenel 2006, eq. 4 and 5, with δ inside the bracket",
    domain: "A saturated network, where errors are usually under 10 %. The papers' signature \
             with one γ; the printed bracket of eq. 5 closes before δ: full_delta_once.",
    parameters: &[GAMMA, DELTA, THRESHOLD],
    estimator: Estimator::Signature(Form::Full, Sides::OneGamma),
    example: Example {
        inputs: "Fast Ethernet of the source: n = 24, m = 2 KiB, α = 60 µs, β = 84.98 ns/B, \
                 γ = 1.0195, δ = 8.23 ms, M = 2 KiB",
        expected: 0.194_777_864_429_439_98,
        unit: "s",
        network: fast_ethernet,
        values: || values(&[1.0195, 0.00823, 2048.0]),
        case: || case(24, 2048),
    },
    time: |inputs| one_gamma(inputs, Form::Full),
    ..HOCKNEY
};

const LABARTA: Model = Model {
    name: "labarta",
    formula: "T = (n−1)·⌈n/b⌉·(α + β·m)",
    source: "Labarta et al. 1996, applied to the rounds of direct exchange by netsig",
    domain: "n ready messages on b buses go in ⌈n/b⌉ waves, in every round.",
    needs: &[Need::Hockney],
    parameters: &[BUSES],
    estimator: Estimator::ByRole,
    example: Example {
        inputs: "n = 8, b = 3, m = 10000 B, α = 50 µs, β = 10 ns/B",
        expected: 0.003_15,
        unit: "s",
        network: || hockney(5e-5, 1e-8),
        values: || values(&[3.0]),
        case: || case(8, 10_000),
    },
    time: |inputs| labarta(inputs, Mode::PerRound),
    ..CONTENTION
};

pub(super) const MODELS: [Model; 22] = [
    HOCKNEY,
    FREE,
    Model {
        name: "contention_001",
        kind: Kind::UpperBound,
        formula: "T = (P−1)·g(m) + (P−1)·or(m) + L",
        source: PPAM,
        domain: "The upper limit that netsig takes: a process never sends while it receives.",
        example: on_toy("P = 24, m = 1 MiB", 0.362_176_72),
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            Ok(alltoall::contention_001(&inputs.network.plogp, procs, size).into())
        },
        ..FREE
    },
    Model {
        name: "upper_003",
        kind: Kind::UpperBound,
        formula: "T = (P−1)·os(m) + (P−1)·or(m) + L",
        source: "Barchet-Steffenel and Mounié 2005 (RenPar), Table 3",
        domain: "The earlier upper limit. Where os + or < g it lies below the lower one, as in \
                 the example: the limits are degenerate.",
        example: on_toy("P = 24, m = 1 MiB", 0.217_358_232),
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            Ok(alltoall::upper_003(&inputs.network.plogp, procs, size).into())
        },
        ..FREE
    },
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
            ..on_toy("P = 24, m = 1 MiB, γ = 1/5", 0.236_633_630_4)
        },
        time: |inputs| {
            let gamma = inputs.value(0);
            let model = Factor003 { gamma }.checked()?;
            let Case { procs, size, .. } = inputs.case;
            Ok(model.time(&inputs.network.plogp, procs, size).into())
        },
        ..CONTENTION
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
            inputs: "Fast Ethernet of Steffenel 2006 with γ_below = 1: n = 24, m = 1 KiB",
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
        name: "throughput",
        formula: "T = (n−1)·(α + m·((1−ρ)·β_F + ρ·β_C)), β_F = β",
        source: "Steffenel 2006, section 6, eq. 3",
        domain: "Messages above 64 KiB. ρ = 1/2: at most one of each two connections is delayed.",
        needs: &[Need::Hockney],
        parameters: &[CONTENDED_GAP, DELAYED],
        estimator: Estimator::ByRole,
        example: Example {
            inputs: "n = 40, m = 1 MiB, α = 50 µs, β_F = 8.502 ns/B, β_C = 84.98189 ns/B, ρ = 1/2",
            expected: 1.913_436_787_092_48,
            unit: "s",
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
        ..CONTENTION
    },
    Model {
        name: "clement",
        formula: "T = (n−1)·(α + β·m·γ), γ = sharing·n",
        source: "Clement et al. 1996, as quoted in Steffenel 2006, eq. 2",
        domain: "A shared medium on which all communicate at once; literally γ is the number of \
                 processes (sharing = 1), fitted it is the effective number.",
        needs: &[Need::Hockney],
        parameters: &[SHARE],
        estimator: Estimator::ByRole,
        example: Example {
            inputs: "n = 8, m = 10000 B, α = 50 µs, β = 10 ns/B, sharing = 1",
            expected: 0.005_95,
            unit: "s",
            network: || hockney(5e-5, 1e-8),
            values: || values(&[1.0]),
            case: || case(8, 10_000),
        },
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            let model = Clement::new(inputs.value(0))?;
            Ok(model.alltoall(&inputs.network.hockney, procs, size).into())
        },
        ..CONTENTION
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
            ..on_toy("P = 24, m = 1 MiB, σ = 1.25", 0.301_815_6)
        },
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            let free = alltoall::free(&inputs.network.plogp, procs, size);
            Ok(Slowdown::new(inputs.value(0))?.apply(free).into())
        },
        ..CONTENTION
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
            ..on_toy("P = 24, m = 1 MiB, L(m) = 5 ms", 0.246_402_48)
        },
        time: tam,
        ..CONTENTION
    },
    Model {
        name: "tree",
        kind: Kind::LowerBound,
        formula: "T ≥ max over the links of a·(P−a)·m·β_link, a processes behind the link",
        source: "netsig; the bisection argument",
        domain: "A tree of switches with full-duplex links.",
        needs: &[Need::Tree],
        example: Example {
            inputs: "P = 12, m = 64 KiB, 6 processes behind a link of 100 Mbit/s, one behind each \
                     of 40 Mbit/s",
            expected: 0.188_743_68,
            unit: "s",
            network: two_switches,
            values: Values::default,
            case: || case(12, 65536),
        },
        time: |inputs| {
            let remedy = "name a scenario with --network";
            let tree = inputs.network.tree.as_ref();
            let tree = tree.ok_or_else(|| inputs.missing("the links of the network", remedy))?;
            let Case { procs, size, .. } = inputs.case;
            Ok(tree.alltoall(procs, size).into())
        },
        ..HOCKNEY
    },
    Model {
        name: "plogp_a",
        formula: "T = (P−1)·(g(m) + L)",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogP",
        domain: "Irecv, Send and Wait in every round; rounds do not overlap.",
        example: on_toy("P = 24, m = 1 MiB", 0.242_552_48),
        time: |inputs| Ok(steps(inputs, alltoall::Steps::A)),
        ..FREE
    },
    Model {
        name: "plogp_b",
        formula: "T = (P−1)·g(m) + L",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogP",
        domain: "All Irecv first, then all Sends, then all Waits; the same as free.",
        example: on_toy("P = 24, m = 1 MiB", 0.241_452_48),
        time: |inputs| Ok(steps(inputs, alltoall::Steps::B)),
        ..FREE
    },
    Model {
        name: "plogpt_a",
        formula: "T = Σ_i (m/thr(h_i) + L), rounds i = 1…P−1 with partner r xor i",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogPT",
        domain: "P a power of two on a complete binary tree. From a profile the tree is a single \
                 switch of full bisection with links of rate 1/β and L = α; A never times out.",
        needs: &[Need::Hockney],
        example: on_one_switch(0.000_91),
        time: |inputs| plogpt(inputs, plogpt::Algorithm::A),
        ..CONTENTION
    },
    Model {
        name: "plogpt_b",
        formula: "T = max(Σ_i m/thr(h_i) + L, latest f_noRTO + T_RTO + L)",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogPT",
        domain: "As plogpt_a; on a tree with narrow uplinks B meets time-outs of 200 ms, on a \
                 single switch it does not.",
        needs: &[Need::Hockney],
        example: on_one_switch(0.000_61),
        time: |inputs| plogpt(inputs, plogpt::Algorithm::B),
        ..CONTENTION
    },
];

/// An example on the toy network.
const fn on_toy(inputs: &'static str, expected: f64) -> Example {
    Example {
        inputs,
        expected,
        unit: "s",
        network: toy,
        values: Values::default,
        case: || case(24, 1 << 20),
    }
}

/// An example on one switch with links of 1 Gbit/s.
const fn on_one_switch(expected: f64) -> Example {
    Example {
        inputs: "P = 8, m = 10000 B, links of 125 MB/s on one switch, L = 50 µs",
        expected,
        unit: "s",
        network: || hockney(5e-5, 8e-9),
        values: Values::default,
        case: || case(8, 10_000),
    }
}

fn two_switches() -> super::Network {
    let link = |below, gap| Link {
        below,
        gap: SecondsPerByte(gap),
    };
    super::Network {
        tree: Tree::new(vec![link(6, 8e-8), link(1, 2e-7)]).ok(),
        ..hockney(1e-4, 2e-7)
    }
}

fn factor_001(inputs: &Inputs, delta_form: DeltaForm) -> Result<Timed, ModelError> {
    let model = Factor001 {
        gamma: inputs.value(0),
        delta_per_process: Seconds(inputs.value(1)),
        delta_form,
        threshold: threshold(inputs.value(2))?.map(Threshold::Above),
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
        threshold: threshold(bytes)?.map(Threshold::From),
    };
    let Case { procs, size, .. } = inputs.case;
    Ok(model.checked()?.time(procs, size).into())
}

/// The bytes of a threshold; infinity stands for none.
fn threshold(bytes: f64) -> Result<Option<Bytes>, ParameterError> {
    const RULE: &str = "a whole number of bytes, or inf for none";
    if bytes == f64::INFINITY {
        return Ok(None);
    }
    super::whole(bytes)
        .map(|bytes| Some(Bytes(bytes)))
        .ok_or_else(|| ParameterError::new("threshold_bytes", bytes, RULE))
}

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

fn steps(inputs: &Inputs, order: alltoall::Steps) -> Timed {
    let Case { procs, size, .. } = inputs.case;
    let plogp = &inputs.network.plogp;
    alltoall::steps(plogp.g(size), plogp.latency(), procs, order).into()
}

fn plogpt(inputs: &Inputs, algorithm: plogpt::Algorithm) -> Result<Timed, ModelError> {
    let Case { procs, size, .. } = inputs.case;
    if procs.get() == 1 {
        return Ok(Seconds(0.0).into());
    }
    let network = one_switch(&inputs.network.hockney, procs)?;
    Ok(network
        .alltoall(size, algorithm, RtoMode::default())
        .time
        .into())
}

/// A switch of full bisection as a complete binary tree: links of rate 1/β, above them
/// twice the bandwidth from height to height.
fn one_switch(hockney: &Hockney, procs: Procs) -> Result<plogpt::Network, ParameterError> {
    if !procs.get().is_power_of_two() {
        return Err(ParameterError::new(
            "procs",
            procs,
            "a power of two for PlogPT",
        ));
    }
    let edge = |height: u32| plogpt::Edge {
        bandwidth: plogpt::BytesPerSecond(f64::from(height).exp2() / hockney.beta().0),
        delay: Seconds(0.0),
    };
    let edges = (0..procs.floor_log2()).map(edge).collect();
    plogpt::Network::new(plogpt::Parameters::new(edges, hockney.alpha()))
}
