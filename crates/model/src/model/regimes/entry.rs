//! `regimes`: the regimes of every collective, with parameters given by the user. Fits store the
//! regimes in full.

use netsig_base::algorithm::{ReductionForm, SizePattern};
use netsig_base::network::LINUX_RTO;
use netsig_base::units::parameter::{ParameterError, finite, non_negative};

use super::{
    ExchangeOrder, ProtocolParameters, Regimes, RegimesPoint, StallOnset, StallParameters, TrafficPattern, WireTime,
};
use crate::model::REGIMES;
use crate::model::entry::threshold;
use crate::model::prelude::*;

const INF: f64 = f64::INFINITY;

const PARAMETERS: [ModelParameter; 10] = [
    ModelParameter::given("startup_s", "the time that one start-up adds, b", None),
    ModelParameter::given("gamma_eager", "γ of messages below the eager limit", Some(1.0)),
    ModelParameter::given("growth_eager", "κ of these", Some(0.0)),
    ModelParameter::given("gamma_rendezvous", "γ of messages from the eager limit on", Some(1.0)),
    ModelParameter::given("growth_rendezvous", "κ of these", Some(0.0)),
    ModelParameter::given(
        "eager_limit_bytes",
        "the first size that is not sent at once",
        Some(INF),
    ),
    ModelParameter::given(
        "overflow_bytes",
        "X, the bytes through a port from which it overflows",
        Some(INF),
    ),
    ModelParameter::given("stall_rate", "c, the rate of stalls of one connection", Some(0.0)),
    ModelParameter::given("stall_s", "D, the time that a stall adds", Some(LINUX_RTO.0)),
    ModelParameter::given("latency_s", "the time that is paid once, a", Some(0.0)),
];

pub(in crate::model) const ALLTOALL: Model = Model {
    name: REGIMES,
    kind: ModelKind::Contention,
    formula: "T₀ = (a + ((b·s + (γ + κ/(1 + (n−2)/32))·W)⁸ + (γ·F)⁸)^⅛)·e^ρ, and D more with p = 1 − exp(−c·n·(n−1)·φ), φ = 1/(1 + (1.1·X/x)¹⁶)",
    source: "netsig, on Steffenel 2006 and Kielmann, Bal, Verstoep 2000",
    domain: "n ≥ 2. s = n−1, W = (n−1)·β·(m + 96 B of headers), x = (n−1)·m; γ and κ for either \
             side of the eager limit, from which on a stall counts where T₀ does not hide it. \
             Here ρ = 0 and the median; a fit adds ρ, V(w) in the place of β·w, the requests of \
             large messages, spreads and intervals, and F from the links of --network SCENARIO.",
    parameters: &PARAMETERS,
    estimator: ModelEstimator::Repetitions,
    example: WorkedExample::on_network(
        ROUND_NUMBERS,
        "n = 8, m = 32 KiB, β = 10 ns/B, b = 50 µs, γ = 1.2, κ = 0.7, X = 64 KiB, c = 10, \
         D = 200 ms, all eager",
        0.204_466_648_421_052_64,
        (8, 32768),
    )
    .with_values(&[5e-5, 1.2, 0.7, 1.0, 0.0, INF, 65536.0, 10.0, 0.2, 0.0]),
    time: |inputs| time(inputs, TrafficPattern::Exchange(ExchangeOrder::AtOnce)),
    ..Model::of_subject(ModelSubject::Collective(Collective::Alltoall))
};

pub(in crate::model) const BCAST: Model = Model {
    subject: ModelSubject::Collective(Collective::Bcast),
    domain: "As the regimes of alltoall, with a binomial tree: s = ⌈log₂ n⌉, W = β·(m + 96 B) times \
             the longest path on which a rank sends one message after the other.",
    example: rendezvous_example(0.000_186_168),
    time: |inputs| time(inputs, TrafficPattern::Tree { parts: false }),
    ..ALLTOALL
};

pub(in crate::model) const SCATTER: Model = Model {
    subject: ModelSubject::Collective(Collective::Scatter),
    domain: "As the regimes of bcast, with a message of m bytes for each process behind an edge.",
    example: rendezvous_example(0.000_230_168),
    time: |inputs| time(inputs, TrafficPattern::Tree { parts: true }),
    ..ALLTOALL
};

pub(in crate::model) const GATHER: Model = port_model(Collective::Gather);

pub(in crate::model) const ALLGATHER: Model = port_model(Collective::Allgather);

pub(in crate::model) const REDUCE: Model = Model {
    subject: ModelSubject::Collective(Collective::Reduce),
    domain: "As the regimes of alltoall, with the steps of a binomial tree of whole vectors.",
    example: rendezvous_example(0.000_186_168),
    time: |inputs| time(inputs, steps(ReductionForm::ReduceBinomial)),
    ..ALLTOALL
};

pub(in crate::model) const ALLREDUCE: Model = Model {
    subject: ModelSubject::Collective(Collective::Allreduce),
    domain: "As the regimes of alltoall, with the steps of recursive doubling.",
    time: |inputs| time(inputs, steps(ReductionForm::RecursiveDoubling)),
    ..REDUCE
};

pub(in crate::model) const REDUCE_SCATTER: Model = Model {
    subject: ModelSubject::Collective(Collective::ReduceScatter),
    domain: "As the regimes of alltoall, with n − 1 steps of m/n bytes.",
    example: rendezvous_example(0.000_491_12),
    time: |inputs| time(inputs, steps(ReductionForm::Pairwise)),
    ..ALLTOALL
};

pub(in crate::model) const REDUCE_SCATTER_BLOCK: Model = Model {
    subject: ModelSubject::Collective(Collective::ReduceScatterBlock),
    ..REDUCE_SCATTER
};

pub(in crate::model) const BARRIER: Model = Model {
    subject: ModelSubject::Collective(Collective::Barrier),
    domain: "As the regimes of alltoall, with ⌈log₂ n⌉ steps without bytes.",
    example: rendezvous_example(0.000_175_92),
    time: |inputs| time(inputs, steps(ReductionForm::Dissemination)),
    ..ALLTOALL
};

const fn steps(form: ReductionForm) -> TrafficPattern {
    TrafficPattern::Reduction { form, segment: None }
}

/// Entry of an all-to-all whose sizes may differ from pair to pair.
const fn pair_sizes_model(
    collective: Collective,
    domain: &'static str,
    expected: f64,
    time: fn(&FormulaInputs) -> Result<ModelTime, ModelError>,
) -> Model {
    Model {
        subject: ModelSubject::Collective(collective),
        domain,
        example: rendezvous_example(expected),
        time,
        ..ALLTOALL
    }
}

pub(in crate::model) const ALLTOALLV: Model = pair_sizes_model(
    Collective::Alltoallv,
    "As the regimes of alltoall.",
    0.000_434_392,
    |inputs| time(inputs, TrafficPattern::Exchange(ExchangeOrder::AtOnce)),
);

pub(in crate::model) const ALLTOALLV_SKEWED: Model = pair_sizes_model(
    Collective::AlltoallvSkewed,
    "As the regimes of alltoall, of sizes with the mean m. From the sums over all pairs, s, W and x are those of the \
     busiest process and F is that of the busiest link; n ≤ 2048.",
    0.000_503_428,
    |inputs| {
        time_with_sizes(
            inputs,
            TrafficPattern::Exchange(ExchangeOrder::AtOnce),
            SizePattern::Skewed,
        )
    },
);

pub(in crate::model) const ALLTOALLV_SPARSE: Model = pair_sizes_model(
    Collective::AlltoallvSparse,
    "As the regimes of alltoallv-skewed.",
    0.000_358_224,
    |inputs| {
        time_with_sizes(
            inputs,
            TrafficPattern::Exchange(ExchangeOrder::AtOnce),
            SizePattern::Sparse,
        )
    },
);

const fn port_model(collective: Collective) -> Model {
    Model {
        subject: ModelSubject::Collective(collective),
        domain: "As the regimes of alltoall; all that comes passes one port.",
        example: rendezvous_example(0.000_434_392),
        time: |inputs| time(inputs, TrafficPattern::Port),
        ..ALLTOALL
    }
}

/// An example beyond the eager limit, without stalls.
const fn rendezvous_example(expected: f64) -> WorkedExample {
    WorkedExample::on_network(
        ROUND_NUMBERS,
        "n = 8, m = 1000 B, β = 10 ns/B, b = 50 µs, γ = 1.1 from the eager limit of 512 B on",
        expected,
        (8, 1000),
    )
    .with_values(&[5e-5, 9.0, 0.0, 1.1, 0.0, 512.0, INF, 0.0, 0.2, 0.0])
}

/// Median time of the case.
fn time(inputs: &FormulaInputs, pattern: TrafficPattern) -> Result<ModelTime, ModelError> {
    time_with_sizes(inputs, pattern, SizePattern::Equal)
}

/// Median time of the case, with these sizes of the pieces.
fn time_with_sizes(
    inputs: &FormulaInputs,
    pattern: TrafficPattern,
    sizes: SizePattern,
) -> Result<ModelTime, ModelError> {
    let point = RegimesPoint {
        procs: inputs.case.procs,
        size: inputs.case.size,
        network: inputs.known.network.as_ref(),
        pieces: sizes.into(),
    };
    point.check()?;
    let times = regimes(inputs, pattern)?.times(point);
    Ok(times.expect("both protocols are there").median().into())
}

/// The regimes with the given parameters, on a wire with the constant gap β.
fn regimes(inputs: &FormulaInputs, pattern: TrafficPattern) -> Result<Regimes, ParameterError> {
    let mut regimes = Regimes {
        pattern,
        wire: WireTime::proportional(inputs.known.hockney.beta()),
        latency: Seconds(0.0),
        startup: Seconds(0.0),
        request: Seconds(0.0),
        eager: None,
        rendezvous: None,
        eager_limit: None,
    };
    for (parameter, value) in PARAMETERS.iter().zip(&inputs.values.numbers) {
        regimes.set(parameter.name, *value)?;
    }
    Ok(regimes)
}

impl Regimes {
    /// Sets one of the entry's parameters; other names are ignored. A missing protocol is created
    /// with γ = 1, missing stalls with rate 0 and the least time-out of Linux.
    ///
    /// # Errors
    /// If the parameter does not allow the value.
    pub(crate) fn set(&mut self, name: &str, value: f64) -> Result<(), ParameterError> {
        let Some(parameter) = PARAMETERS.iter().find(|known| known.name == name) else {
            return Ok(());
        };
        let parameter_name = parameter.name;
        match parameter_name {
            "latency_s" => self.latency = Seconds(non_negative(parameter_name, value)?),
            "startup_s" => self.startup = Seconds(non_negative(parameter_name, value)?),
            "eager_limit_bytes" => self.eager_limit = threshold(parameter_name, value)?,
            "gamma_eager" => parameters_of(&mut self.eager).gamma = non_negative(parameter_name, value)?,
            "growth_eager" => parameters_of(&mut self.eager).growth = finite(parameter_name, value)?,
            "gamma_rendezvous" => parameters_of(&mut self.rendezvous).gamma = non_negative(parameter_name, value)?,
            "growth_rendezvous" => parameters_of(&mut self.rendezvous).growth = finite(parameter_name, value)?,
            "overflow_bytes" => {
                if value.is_nan() || value <= 0.0 {
                    let rule = "above 0, or inf for none";
                    return Err(ParameterError::new(parameter_name, value, rule));
                }
                stalls_of(&mut self.eager).onset = StallOnset::at(value.min(f64::MAX));
            }
            "stall_rate" => {
                stalls_of(&mut self.eager).rate = non_negative(parameter_name, value)?;
            }
            "stall_s" => {
                stalls_of(&mut self.eager).cost = Seconds(non_negative(parameter_name, value)?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Parameters of a protocol, created if missing.
fn parameters_of(protocol: &mut Option<ProtocolParameters>) -> &mut ProtocolParameters {
    protocol.get_or_insert_with(|| ProtocolParameters {
        gamma: 1.0,
        growth: 0.0,
        slowdown: 0.0,
        correction: None,
        spread: 0.0,
        stalls: None,
    })
}

/// Stalls of a protocol, created if missing.
fn stalls_of(protocol: &mut Option<ProtocolParameters>) -> &mut StallParameters {
    parameters_of(protocol).stalls.get_or_insert(StallParameters::UNSEEN)
}
