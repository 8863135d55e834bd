//! The all-to-all between two clusters: eq. 6 of the two-phase exchange and its variants.

use super::networks::{case, gigabit_ethernet, values};
use super::{
    Case, Estimator, Example, Inputs, Kind, Model, ModelError, Need, Network, Parameter, Role,
    Subject, Timed, possible,
};
use crate::algorithm::Collective;
use crate::model::Threshold;
use crate::model::grid::{Backbone, Clusters, Packed, TwoPhase};
use crate::model::hockney::Hockney;
use crate::model::signature::{Form, Signature};
use crate::units::parameter::{ParameterError, non_negative};
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

const FIRST: Parameter = Parameter {
    name: "first_cluster_procs",
    meaning: "processes of the first of the two clusters",
    role: Role::Given,
    default: None,
};

const ALPHA: Parameter = Parameter {
    name: "alpha_w_s",
    meaning: "α of the wide area",
    role: Role::Given,
    default: None,
};

const BETA: Parameter = Parameter {
    name: "beta_w_s_per_byte",
    meaning: "β of the wide area",
    role: Role::Given,
    default: None,
};

const PACKED: Parameter = Parameter {
    name: "packed_blocks",
    meaning: "n, the blocks that a wide-area message packs; n1 unless given",
    role: Role::Given,
    default: Some(f64::NAN),
};

const EQ6: Model = Model {
    name: "two_phase",
    subject: Subject::Collective(Collective::Alltoall),
    kind: Kind::Contention,
    formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·(α_w + β_w·m·n), n = n1 ≤ n2",
    source: "Steffenel, Martinasso, Trystram 2007, eq. 6",
    domain: "Two clusters joined by a wide area. T_C is the cluster's own all-to-all: by the \
             fitted signature, else without contention. The print does not define n; a wide-area \
             message packs n1 blocks, so n = n1, or what is given.",
    needs: &[Need::Hockney],
    mends: None,
    parameters: &[FIRST, ALPHA, BETA, PACKED],
    estimator: Estimator::None,
    example: Example {
        inputs: "n1 = 4, n2 = 10, m = 64 KiB, α_w = 5 ms, β_w = 10 ns/B, clusters with the \
                 signature of Gigabit Ethernet (α = 50 µs, β = 8.502 ns/B, γ = 4.3628, \
                 δ = 4.93 ms, M = 8 KiB)",
        expected: 0.091_075_641_819_494_4,
        unit: "s",
        on: "",
        network: signed,
        values: || values(&[4.0, 5e-3, 1e-8, f64::NAN]),
        case: || case(14, 65536),
    },
    time: |inputs| two_phase(inputs, EQ_6),
};

/// Eq. 6 with its defaults.
const EQ_6: Variant = Variant {
    packed: Packed::Smaller,
    backbone: Backbone::Dedicated,
    local: Local::Literal,
    steps: Steps::Eq6,
};

pub(super) const MODELS: [Model; 5] = [
    EQ6,
    Model {
        name: "two_phase_total_n",
        formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·(α_w + β_w·m·(n1+n2))",
        domain: "As two_phase, with n the number of all processes, the paper's usual n.",
        example: Example {
            expected: 0.110_736_441_819_494_41,
            ..EQ6.example
        },
        time: |inputs| {
            let packed = Packed::Total;
            two_phase(inputs, Variant { packed, ..EQ_6 })
        },
        parameters: &[FIRST, ALPHA, BETA],
        ..EQ6
    },
    Model {
        name: "two_phase_exact",
        formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·α_w + β_w·m·(n1·⌈n2/n1⌉ + n2 mod n1)",
        source: "netsig, the sum of the steps of the corrected algorithm",
        domain: "What the steps of `two-phase` add up to: eq. 6 plus β_w·m·(n2 mod n1).",
        example: Example {
            expected: 0.092_386_361_819_494_4,
            ..EQ6.example
        },
        time: |inputs| {
            let steps = Steps::Exact;
            two_phase(inputs, Variant { steps, ..EQ_6 })
        },
        parameters: &[FIRST, ALPHA, BETA],
        ..EQ6
    },
    Model {
        name: "two_phase_effective",
        formula: "as two_phase, T_C at m·(blocks sent per node)/(n_C−1)",
        source: "netsig, after Steffenel, Martinasso, Trystram 2007, eq. 6",
        domain: "Counts the relayed blocks that the first phase moves within the clusters.",
        example: Example {
            expected: 0.098_368_329_092_659_22,
            ..EQ6.example
        },
        time: |inputs| {
            let local = Local::Effective;
            two_phase(inputs, Variant { local, ..EQ_6 })
        },
        ..EQ6
    },
    Model {
        name: "two_phase_shared_backbone",
        formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·α_w + n2·β_w·m·n, n = n1",
        source: "netsig, after Steffenel, Martinasso, Trystram 2007, eq. 6",
        domain: "As two_phase, where the exchanges of a step share one wide-area link: n1 in a \
                 full step, n2 over all.",
        example: Example {
            expected: 0.109_425_721_819_494_4,
            ..EQ6.example
        },
        time: |inputs| {
            let backbone = Backbone::Shared;
            two_phase(inputs, Variant { backbone, ..EQ_6 })
        },
        ..EQ6
    },
];

/// The choices that the print leaves open.
#[derive(Clone, Copy)]
struct Variant {
    packed: Packed,
    backbone: Backbone,
    local: Local,
    steps: Steps,
}

/// The size at which the clusters' own all-to-all is taken.
#[derive(Clone, Copy)]
enum Local {
    Literal,
    Effective,
}

/// How the wide-area steps add up.
#[derive(Clone, Copy)]
enum Steps {
    Eq6,
    Exact,
}

fn two_phase(inputs: &Inputs, variant: Variant) -> Result<Timed, ModelError> {
    let Case { procs, size, .. } = inputs.case;
    if procs.get() == 1 {
        return Ok(Seconds(0.0).into());
    }
    let clusters = clusters(procs, inputs.value(0))?;
    let alpha = Seconds(non_negative(ALPHA.name, inputs.value(1))?);
    let beta = SecondsPerByte(non_negative(BETA.name, inputs.value(2))?);
    let model = TwoPhase {
        wide_area: Hockney::new(alpha, beta)?,
        packed: match inputs.value(3) {
            unset if unset.is_nan() => variant.packed,
            blocks => Packed::Given(super::count(PACKED.name, blocks)?.get()),
        },
        backbone: variant.backbone,
    };
    let sizes = match variant.local {
        Local::Literal => [size.as_f64(); 2],
        Local::Effective => clusters.effective_size(size),
    };
    let within = |procs, size| possible(inputs.model.name, local(inputs.network, procs, size));
    let smaller = within(clusters.smaller(), sizes[0])?;
    let larger = within(clusters.larger(), sizes[1])?;
    let local = Seconds(smaller.0.max(larger.0));
    Ok(match variant.steps {
        Steps::Eq6 => model.eq6(clusters, size, local),
        Steps::Exact => model.exact_f1(clusters, size, local),
    }
    .into())
}

/// An all-to-all within a cluster at a size that need not be whole: times are lines in m on
/// either side of M.
fn local(network: &Network, procs: Procs, size: f64) -> Seconds {
    let time = |size| match &network.signature {
        Some(signature) => signature.time(procs, size),
        None => network.hockney.alltoall(procs, size),
    };
    let Some(whole) = super::whole(size.floor()) else {
        return Seconds(f64::INFINITY);
    };
    let slope = match &network.signature {
        Some(signature) => {
            let side = signature.side(Bytes(whole));
            let on_side = |size| signature.time_on(side, procs, Bytes(size));
            on_side(1) - on_side(0)
        }
        None => time(Bytes(1)) - time(Bytes(0)),
    };
    time(Bytes(whole)) + slope * (size - size.floor())
}

/// The two clusters of which the first has `first` processes.
fn clusters(procs: Procs, first: f64) -> Result<Clusters, ParameterError> {
    let rule = "a whole number of processes that leaves some for the second cluster";
    let wrong = || ParameterError::new(FIRST.name, format!("{first} of {procs}"), rule);
    let first = super::whole(first).and_then(|count| u32::try_from(count).ok());
    let parts = first.and_then(|first| Some((first, procs.get().checked_sub(first)?)));
    let procs = |count| Procs::new(count).map_err(|_| wrong());
    let (first, second) = parts.ok_or_else(wrong)?;
    Ok(Clusters::new(procs(first)?, procs(second)?))
}

/// Gigabit Ethernet of Steffenel 2006 with its signature.
fn signed() -> Network {
    let network = gigabit_ethernet();
    Network {
        signature: Some(Signature {
            base: network.hockney,
            form: Form::Full,
            gamma: 4.3628,
            gamma_below: None,
            delta: Seconds(4.93e-3),
            threshold: Some(Threshold::From(Bytes(8192))),
        }),
        ..network
    }
}
