//! `signature`, `full`, `bandwidth`, `full_delta_once`: the contention signature γ, δ, M. Its
//! formula and the disagreements of its publications are documented at [`Signature`].

use netsig_base::units::parameter::finite;

use super::hockney::HOCKNEY;
use super::{GAMMA, THRESHOLD};
use crate::model::prelude::*;
use crate::model::signature::{Signature, SignatureForm};

const GAMMA_BELOW: ModelParameter = ModelParameter {
    name: "gamma_below",
    meaning: "γ for m < M; as gamma unless given",
    role: ParameterRole::Below(f64::NEG_INFINITY),
    default: Some(f64::NAN),
};

const DELTA: ModelParameter = ModelParameter {
    name: "delta_s",
    meaning: "start-up of each simultaneous communication from M on",
    role: ParameterRole::Supplement,
    default: Some(0.0),
};

pub(super) const SIGNATURE: Model = Model {
    name: crate::model::SIGNATURE,
    formula: "T = (n−1)·((α+βm)·γ(m) + δ·[m≥M]), γ(m) = γ_below for m < M, else γ",
    source: "netsig, after Steffenel 2006, eq. 4 and 5",
    domain: "As full, with a second γ where an F test finds one: MPI libraries change their \
             protocol near the size where contention sets in. `netsig fit` takes it first.",
    parameters: &[GAMMA, GAMMA_BELOW, DELTA, THRESHOLD],
    estimator: ModelEstimator::Signature(SignatureForm::Full),
    example: WorkedExample::on_network(
        FAST_ETHERNET,
        "Fast Ethernet of Steffenel 2006 with γ_below = 1: n = 24, m = 1 KiB, α = 60 µs, \
         β = 84.98 ns/B, γ = 1.0195, δ = 8.23 ms, M = 2 KiB",
        0.003_381_448_96,
        (24, 1024),
    )
    .with_values(&[1.0195, 1.0, 0.00823, 2048.0]),
    time: |inputs| time(inputs, SignatureForm::Full, inputs.optional(1), [2, 3]),
    ..FULL
};

pub(super) const FULL: Model = Model {
    name: "full",
    kind: ModelKind::Contention,
    formula: "T = (n−1)·((α+βm)·γ + δ·[m≥M])",
    source: "Steffenel 2006, eq. 4 and 5, with δ inside the bracket",
    domain: "A saturated network, for which the papers report errors usually under 10 %; \
             docs/results/real.md counts where that holds. The papers' signature with one γ; the printed bracket of eq. 5 closes before δ: full_delta_once. The texts' \
             \"larger than M\" is a threshold of M + 1 bytes.",
    parameters: &[GAMMA, DELTA, THRESHOLD],
    estimator: ModelEstimator::Signature(SignatureForm::Full),
    example: WorkedExample::on_network(
        FAST_ETHERNET,
        "Fast Ethernet of the source: n = 24, m = 2 KiB, α = 60 µs, β = 84.98 ns/B, \
         γ = 1.0195, δ = 8.23 ms, M = 2 KiB",
        0.194_777_864_429_439_98,
        (24, 2048),
    )
    .with_values(&[1.0195, 0.00823, 2048.0]),
    time: |inputs| time(inputs, SignatureForm::Full, None, [1, 2]),
    ..HOCKNEY
};

pub(super) const BANDWIDTH: Model = Model {
    name: "bandwidth",
    formula: "T = (n−1)·(α + βm·γ + δ·[m≥M])",
    source: "Steffenel, Martinasso, Trystram 2007, eq. 4 and 5",
    domain: "As full, with γ on the bandwidth term alone. For m ≥ M the two are one model, \
             with δ of bandwidth = δ of full + (γ−1)·α.",
    estimator: ModelEstimator::Signature(SignatureForm::Bandwidth),
    example: WorkedExample::on_network(
        GIGABIT_ETHERNET,
        "Gigabit Ethernet: n = 40, m = 8 KiB, α = 50 µs, β = 8.502 ns/B, γ = 4.3628, \
         δ = 4.93 ms, M = 8 KiB",
        0.206_070_616_818_892_83,
        (40, 8192),
    )
    .with_values(&[4.3628, 0.00493, 8192.0]),
    time: |inputs| time(inputs, SignatureForm::Bandwidth, None, [1, 2]),
    ..FULL
};

pub(super) const FULL_DELTA_ONCE: Model = Model {
    name: "full_delta_once",
    formula: "T = (n−1)·(α+βm)·γ + δ·[m≥M]",
    source: "Steffenel 2006, eq. 5, literally",
    domain: "As full, with δ added once, as the printed bracket has it. The text (\"each \
             simultaneous communication induces an overload\") and the 2007 paper contradict.",
    estimator: ModelEstimator::Signature(SignatureForm::FullDeltaOnce),
    example: FULL.example.with_expected(0.013_717_864_429_44),
    time: |inputs| time(inputs, SignatureForm::FullDeltaOnce, None, [1, 2]),
    ..FULL
};

fn time(
    inputs: &FormulaInputs,
    form: SignatureForm,
    gamma_below: Option<f64>,
    parameter_indices: [usize; 2],
) -> Result<ModelTime, ModelError> {
    let model = signature(inputs, form, gamma_below, parameter_indices)?;
    inputs.evaluate_hockney(|_, procs, size| model.time(procs, size))
}

/// Signature from the parameters; `delta` and `threshold` are the indices of δ and M.
#[inline]
pub(in crate::model) fn signature(
    inputs: &FormulaInputs,
    form: SignatureForm,
    gamma_below: Option<f64>,
    [delta, threshold]: [usize; 2],
) -> Result<Signature, ModelError> {
    let gamma_below = gamma_below.map(|value| finite(GAMMA_BELOW.name, value));
    Ok(Signature {
        base: inputs.known.hockney,
        form,
        gamma: inputs.finite(0)?,
        gamma_below: gamma_below.transpose()?,
        delta: Seconds(inputs.finite(delta)?),
        threshold: inputs.threshold(threshold)?,
    })
}
