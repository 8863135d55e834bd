//! The models by the names of the vectors: those with an entry in `netsig_core::model` through
//! it, each of the others by one function.

use std::num::NonZeroU32;

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::Collective::{self, Alltoall, Bcast, Scatter};
use netsig_core::model::alltoall::{labarta, throughput};
use netsig_core::model::exchange::{Exchange, ZeroMessages};
use netsig_core::model::hockney::Hockney;
use netsig_core::model::plogp::{PLogP, Parameters};
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::{
    self, Case, Known, Model, Parameter, Segments, Subject, Timed, Values, message,
};
use netsig_core::units::table::Table;
use netsig_core::units::{Bytes, Procs, SecondsPerByte};
use serde_json::{Value, json};

use super::inputs::Inputs;
use super::{fit, grid, plogpt};

/// How to compute what the `expected` of a vector is held against.
#[derive(Clone, Copy)]
pub enum Compute {
    /// By the entry of this name.
    Entry(Subject, &'static str),
    /// By the entry that an input names, in these words.
    Choice(
        Subject,
        &'static str,
        &'static [(&'static str, &'static str)],
    ),
    /// By the entry of a collective that the input `strategy` names.
    Strategy(Collective),
    /// By a function.
    Function(fn(&Inputs) -> Result<Value>),
}

use Compute::{Choice, Entry, Function, Strategy};

const ALLTOALL: Subject = Subject::Collective(Alltoall);

/// Every model by the name that vectors give it.
const MODELS: [(&str, Compute); 42] = [
    ("alltoall.contention_001", Entry(ALLTOALL, "contention_001")),
    ("alltoall.contention_free", Entry(ALLTOALL, "free")),
    (
        "alltoall.factor_001",
        Choice(
            ALLTOALL,
            "delta_form",
            &[
                ("times_P", "factor_001"),
                ("times_P_minus_1", "factor_001_times_p_minus_1"),
            ],
        ),
    ),
    ("alltoall.factor_003", Entry(ALLTOALL, "factor_003")),
    ("alltoall.prop1", Entry(ALLTOALL, "hockney")),
    ("alltoall.signature", Choice(ALLTOALL, "variant", &FORMS)),
    ("alltoall.signature.reparam", Function(reparametrised)),
    ("alltoall.upper_003", Entry(ALLTOALL, "upper_003")),
    ("broadcast", Strategy(Bcast)),
    (
        "broadcast.binomial_exact",
        Entry(Subject::Collective(Bcast), "binomial_exact"),
    ),
    ("choose.broadcast", Function(choose_broadcast)),
    ("choose.scatter", Function(choose_scatter)),
    ("contention.adve", Entry(Subject::Program, "adve")),
    ("contention.agarwal", Function(agarwal)),
    (
        "contention.clement",
        Entry(Subject::Message, "message_clement"),
    ),
    (
        "contention.labarta_alltoall",
        Choice(
            ALLTOALL,
            "mode",
            &[("per_round", "labarta"), ("total", "labarta_total")],
        ),
    ),
    ("contention.labarta_waves", Function(labarta_waves)),
    ("contention.slowdown", Entry(ALLTOALL, "slowdown")),
    ("fit.choose_M", Function(fit::choose_threshold)),
    ("fit.saturation", Function(fit::saturation)),
    ("fit.signature", Function(fit::signature)),
    ("grid.delivery", Function(grid::delivery)),
    ("grid.eq6", Function(grid::eq6)),
    ("grid.exact_F1", Function(grid::exact_f1)),
    ("measure.L", Function(fit::latency)),
    ("measure.discontinuity", Function(fit::discontinuity)),
    ("measure.g_from_rtt", Function(fit::gap)),
    ("measure.hockney_fit", Function(fit::hockney)),
    ("med.bounds", Function(bounds)),
    (
        "med.direct_exchange_sync",
        Function(|inputs| {
            Ok(json!(
                exchange(inputs)?.direct_exchange_sync(&base(inputs)?)
            ))
        }),
    ),
    (
        "plogp.alltoall_steps",
        Choice(ALLTOALL, "algorithm", &[("A", "plogp_a"), ("B", "plogp_b")]),
    ),
    (
        "plogp.g",
        Function(|inputs| Ok(json!(known(inputs)?.plogp.g(inputs.get("m")?)))),
    ),
    ("plogpt.alltoall", Function(plogpt::alltoall)),
    ("plogpt.throughput", Function(plogpt::throughput)),
    ("scatter", Strategy(Scatter)),
    (
        "scatter.binomial_exact",
        Entry(Subject::Collective(Scatter), "binomial_exact"),
    ),
    (
        "segment.global",
        Function(|inputs| best_segment(inputs, Search::Exhaustive)),
    ),
    (
        "segment.hill",
        Function(|inputs| best_segment(inputs, Search::HillClimbing)),
    ),
    (
        "segment.pow2",
        Function(|inputs| best_segment(inputs, Search::PowersOfTwo)),
    ),
    ("throughput.alltoall", Entry(ALLTOALL, "throughput")),
    ("throughput.beta_mix", Function(mixed_gap)),
    ("throughput.rho_of_gamma", Function(rho_of_gamma)),
];

/// The variants of the signature, which are called as their entries.
const FORMS: [(&str, &str); 3] = [
    ("full", "full"),
    ("bandwidth", "bandwidth"),
    ("full_delta_once", "full_delta_once"),
];

/// What the inputs call the parameters of the entries that have another name there.
const PARAMETERS: [(&str, &str); 11] = [
    ("delta_s", "delta"),
    ("delta_per_process_s", "delta_per_P"),
    ("threshold_bytes", "M"),
    ("beta_contended_s_per_byte", "beta_C"),
    ("flits", "B"),
    ("dimensions", "n"),
    ("hops", "kd"),
    ("computation_s", "t_computation"),
    ("communication_s", "t_communication"),
    ("resource_contention_s", "t_resource_contention"),
    ("synchronisation_s", "t_synchronisation"),
];

/// The model called `name`.
///
/// # Errors
/// If there is none.
pub fn named(name: &str) -> Result<Compute> {
    let found = MODELS.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, model)| *model)
        .context("there is no model of this name")
}

impl Compute {
    /// The value for these inputs.
    ///
    /// # Errors
    /// If an input is missing or not possible.
    pub fn value(self, inputs: &Inputs) -> Result<Value> {
        let entry = match self {
            Entry(subject, name) => entry(subject, name)?,
            Choice(subject, input, words) => entry(subject, inputs.one_of(input, words)?)?,
            Strategy(collective) => model::find(collective, &inputs.get::<String>("strategy")?)?,
            Function(function) => return function(inputs),
        };
        let whole = Segment::new(inputs.find("m")?.unwrap_or(Bytes(1)).max(Bytes(1)))?;
        let segment = inputs.find("s")?.map_or(Ok(whole), Segment::new)?;
        Ok(json!(timed(inputs, entry, Segments::Of(segment))?.time))
    }
}

fn entry(subject: Subject, name: &str) -> Result<&'static Model> {
    let found = model::models().find(|model| model.subject == subject && model.name == name);
    found.with_context(|| format!("{name:?} is no model"))
}

/// The time of an entry with all that the inputs say.
fn timed(inputs: &Inputs, model: &'static Model, segments: Segments) -> Result<Timed> {
    let mut numbers = Vec::new();
    for parameter in model.parameters {
        numbers.push(number(inputs, parameter)?);
    }
    let values = Values {
        numbers,
        latency: None,
    };
    let procs: Option<Procs> = inputs.find("P")?;
    let case = Case {
        procs: match (procs, model.subject) {
            (Some(procs), _) => procs,
            (None, Subject::Collective(_)) if inputs.find::<f64>("T")?.is_none() => {
                inputs.get("n")?
            }
            (None, _) => Procs::new(2)?,
        },
        size: inputs.find("m")?.unwrap_or_default(),
        segments,
    };
    Ok(model.time(&known(inputs)?, &values, case)?)
}

/// The value of a parameter: an input, or its default.
fn number(inputs: &Inputs, parameter: &Parameter) -> Result<f64> {
    let found = PARAMETERS.iter().find(|(name, _)| *name == parameter.name);
    let input = found.map_or(parameter.name, |(_, input)| *input);
    match (inputs.find(input)?, parameter.default) {
        (None, Some(default)) => Ok(default),
        (Some(number), _) => Ok(number),
        (None, None) => inputs.get(input),
    }
}

/// What the inputs tell of the network. A lone time T is a latency without a gap, and a lone
/// gap `g_m` that of every size.
fn known(inputs: &Inputs) -> Result<Known> {
    let latency = match inputs.find("L")? {
        Some(latency) => latency,
        None => inputs.find("T")?.unwrap_or_default(),
    };
    let one = inputs.find("g_m")?.unwrap_or_default();
    let table = |name| {
        let rows = inputs.find(name)?;
        Ok::<_, anyhow::Error>(Table::new(name, rows.unwrap_or(vec![(Bytes(0), one)]))?)
    };
    Ok(Known {
        hockney: base(inputs)?,
        plogp: PLogP::new(Parameters {
            latency,
            gap: table("g")?,
            send_overhead: table("os")?,
            receive_overhead: table("or")?,
        })?,
        signature: None,
        tree: None,
    })
}

/// α and β, or `β_F`; nothing where the inputs have none.
pub fn base(inputs: &Inputs) -> Result<Hockney> {
    let beta = match inputs.find("beta")? {
        Some(beta) => beta,
        None => inputs.find("beta_F")?.unwrap_or_default(),
    };
    Ok(Hockney::new(
        inputs.find("alpha")?.unwrap_or_default(),
        beta,
    )?)
}

/// The δ of `bandwidth` that makes it the same model as `full` for m ≥ M: what it lacks without
/// one, in the time of two processes.
fn reparametrised(inputs: &Inputs) -> Result<Value> {
    let [to, from] = ["bandwidth", "full"];
    ensure!(
        inputs.find::<String>("to")?.is_none_or(|form| form == to),
        "only full and bandwidth are the same model"
    );
    let [gamma, delta]: [f64; 2] = [inputs.get("gamma")?, inputs.get("delta")?];
    let time = |name, delta| {
        let values = Values {
            numbers: vec![gamma, delta, 0.0],
            latency: None,
        };
        let case = Case::new(Procs::new(2)?, Bytes(0));
        Ok::<_, anyhow::Error>(
            entry(ALLTOALL, name)?
                .time(&known(inputs)?, &values, case)?
                .time,
        )
    };
    Ok(json!({"delta_bandwidth": time(from, delta)? - time(to, 0.0)?}))
}

fn best_segment(inputs: &Inputs, search: Search) -> Result<Value> {
    let strategy: String = inputs.get("strategy")?;
    let segments = Segments::Best(search, datatype(inputs)?);
    let best = timed(inputs, model::find(Bcast, &strategy)?, segments)?;
    Ok(json!({"s": best.segment.map(Segment::bytes), "T": best.time}))
}

fn datatype(inputs: &Inputs) -> Result<Segment> {
    Ok(Segment::new(inputs.find("dtype")?.unwrap_or(Bytes(1)))?)
}

fn choose_broadcast(inputs: &Inputs) -> Result<Value> {
    let searches = [
        ("hill", Search::HillClimbing),
        ("pow2", Search::PowersOfTwo),
        ("global", Search::Exhaustive),
    ];
    let search = inputs.one_of("segment_search", &searches)?;
    choose(inputs, Bcast, Segments::Best(search, datatype(inputs)?))
}

fn choose_scatter(inputs: &Inputs) -> Result<Value> {
    choose(inputs, Scatter, Segments::Of(Segment::BYTE))
}

/// Of the fastest candidates the first; without candidates, of all printed strategies.
fn choose(inputs: &Inputs, collective: Collective, segments: Segments) -> Result<Value> {
    let printed = model::strategies(collective).filter(|model| model.mends.is_none());
    let candidates: Option<Vec<String>> = inputs.find("candidates")?;
    let candidates = candidates.unwrap_or_else(|| printed.map(|m| m.name.to_owned()).collect());
    let mut best: Option<(&str, Timed)> = None;
    for name in &candidates {
        let model = model::find(collective, name)?;
        let next = timed(inputs, model, segments)?;
        if best.is_none_or(|(_, best)| next.time < best.time) {
            best = Some((model.name, next));
        }
    }
    let (name, Timed { time, segment }) = best.context("candidates is an empty list")?;
    Ok(json!({"strategy": name, "s": segment.map(Segment::bytes), "T": time}))
}

fn agarwal(inputs: &Inputs) -> Result<Value> {
    let model = entry(Subject::Message, "agarwal")?;
    let latency = timed(inputs, model, Segments::Of(Segment::BYTE))?.time;
    let [rho, flits, hops] = [inputs.get("rho")?, inputs.get("B")?, inputs.get("kd")?];
    let waiting = message::waiting(rho, flits, inputs.get("n")?, hops);
    Ok(json!({"Tc_cycles": latency, "w_cycles": waiting}))
}

fn labarta_waves(inputs: &Inputs) -> Result<Value> {
    let buses: NonZeroU32 = inputs.get("buses")?;
    Ok(json!(labarta::waves(inputs.get("messages")?, buses)))
}

fn gaps(inputs: &Inputs) -> Result<[SecondsPerByte; 2]> {
    Ok([inputs.get("beta_F")?, inputs.get("beta_C")?])
}

fn mixed_gap(inputs: &Inputs) -> Result<Value> {
    let [free, contended] = gaps(inputs)?;
    let rho = inputs.get("rho")?;
    Ok(json!(throughput::mixed_gap(rho, free, contended)))
}

fn rho_of_gamma(inputs: &Inputs) -> Result<Value> {
    let [free, contended] = gaps(inputs)?;
    let gamma = inputs.get("gamma")?;
    Ok(json!(throughput::rho_of_gamma(gamma, free, contended)?))
}

fn exchange(inputs: &Inputs) -> Result<Exchange> {
    let sizes: Vec<Vec<u64>> = inputs.get("W")?;
    let zero = match inputs.find("count_zero_messages")? {
        Some(true) => ZeroMessages::Counted,
        Some(false) | None => ZeroMessages::Absent,
    };
    Ok(Exchange::from_matrix(&sizes, zero)?)
}

fn bounds(inputs: &Inputs) -> Result<Value> {
    let bounds = exchange(inputs)?.bounds(&base(inputs)?);
    Ok(json!({
        "Delta_s": bounds.max_out_degree,
        "Delta_r": bounds.max_in_degree,
        "startups": bounds.startups,
        "t_s": bounds.send_time,
        "t_r": bounds.receive_time,
        "claim2": bounds.claim2,
        "claim3": bounds.claim3,
        "claim3_same_process": bounds.same_process,
        "claim3_same_process_and_direction": bounds.same_process_and_direction,
        "per_vertex": bounds.per_vertex,
    }))
}
