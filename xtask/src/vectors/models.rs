//! The models by the names of the vectors: those with an entry in `netsig_core::model` through
//! it, each of the others by one function.

use std::num::NonZeroU32;

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::Collective::{self, Bcast, Scatter};
use netsig_core::model::alltoall::two_phase::Crossing;
use netsig_core::model::alltoall::{labarta, throughput};
use netsig_core::model::exchange::{Exchange, ZeroMessages};
use netsig_core::model::hockney::Hockney;
use netsig_core::model::plogp::{PLogP, Parameters};
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::{
    self, Case, Known, Model, Need, Parameter, Segments, Subject, Timed, Values, message,
};
use netsig_core::units::table::Table;
use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};
use serde_json::{Value, json};

use super::inputs::{Inputs, base};
use super::{fit, grid, plogpt};

/// From the inputs of a vector to what its `expected` is held against.
type Compute = fn(&Inputs) -> Result<Value>;

/// The models that are an entry: the name of the vector with, after a slash, the word by which one
/// of [`CHOICES`] tells its entries apart; and subject and name of the entry. Without a word
/// the first is meant.
const ENTRIES: [(&str, &str); 20] = [
    ("alltoall.contention_001", "alltoall contention_001"),
    ("alltoall.contention_free", "alltoall free"),
    ("alltoall.factor_001/times_P", "alltoall factor_001"),
    (
        "alltoall.factor_001/times_P_minus_1",
        "alltoall factor_001_times_p_minus_1",
    ),
    ("alltoall.factor_003", "alltoall factor_003"),
    ("alltoall.prop1", "alltoall hockney"),
    ("alltoall.signature/full", "alltoall full"),
    ("alltoall.signature/bandwidth", "alltoall bandwidth"),
    (
        "alltoall.signature/full_delta_once",
        "alltoall full_delta_once",
    ),
    ("alltoall.upper_003", "alltoall upper_003"),
    ("broadcast.binomial_exact", "bcast binomial_exact"),
    ("contention.adve", "program adve"),
    ("contention.clement", "message message_clement"),
    ("contention.labarta_alltoall/per_round", "alltoall labarta"),
    (
        "contention.labarta_alltoall/total",
        "alltoall labarta_total",
    ),
    ("contention.slowdown", "alltoall slowdown"),
    ("plogp.alltoall_steps/A", "alltoall plogp_a"),
    ("plogp.alltoall_steps/B", "alltoall plogp_b"),
    ("scatter.binomial_exact", "scatter binomial_exact"),
    ("throughput.alltoall", "alltoall throughput"),
];

/// The inputs that choose among several entries.
const CHOICES: [&str; 4] = ["delta_form", "variant", "mode", "algorithm"];

/// The models that are no entry, or a choice among entries.
const FUNCTIONS: [(&str, Compute); 27] = [
    ("alltoall.signature.reparam", reparametrised),
    ("broadcast", |inputs| strategy(inputs, Bcast)),
    ("choose.broadcast", choose_broadcast),
    ("choose.scatter", choose_scatter),
    ("contention.agarwal", agarwal),
    ("contention.labarta_waves", labarta_waves),
    ("fit.choose_M", fit::choose_threshold),
    ("fit.saturation", fit::saturation),
    ("fit.signature", fit::signature),
    ("grid.delivery", grid::delivery),
    ("grid.eq6", |inputs| grid::time(inputs, Crossing::eq6)),
    ("grid.exact_F1", |inputs| {
        grid::time(inputs, Crossing::exact)
    }),
    ("measure.L", fit::latency),
    ("measure.discontinuity", fit::discontinuity),
    ("measure.g_from_rtt", fit::gap),
    ("measure.hockney_fit", fit::hockney),
    ("med.bounds", bounds),
    ("med.direct_exchange_sync", direct_exchange_sync),
    ("plogp.g", gap),
    ("plogpt.alltoall", plogpt::alltoall),
    ("plogpt.throughput", plogpt::throughput),
    ("scatter", |inputs| strategy(inputs, Scatter)),
    ("segment.global", |inputs| {
        best_segment(inputs, Search::Exhaustive)
    }),
    ("segment.hill", |inputs| {
        best_segment(inputs, Search::HillClimbing)
    }),
    ("segment.pow2", |inputs| {
        best_segment(inputs, Search::PowersOfTwo)
    }),
    ("throughput.beta_mix", mixed_gap),
    ("throughput.rho_of_gamma", rho_of_gamma),
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

/// What the model called `name` makes of the inputs.
///
/// # Errors
/// If there is no such model, or an input is missing or not possible.
pub fn compute(name: &str, inputs: &Inputs) -> Result<Value> {
    if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return function(inputs);
    }
    let mut words = CHOICES.iter().map(|input| inputs.find::<String>(input));
    let word = words.find_map(Result::transpose).transpose()?;
    let is_meant = |(known, _): &&(&str, &str)| match known.split_once('/') {
        Some((known, own)) => known == name && word.as_ref().is_none_or(|word| word == own),
        None => *known == name,
    };
    let found = ENTRIES.iter().find(is_meant);
    let (_, found) = found.context("there is no model of this name")?;
    let segments = Segments::Of(Segment::BYTE);
    Ok(json!(timed(inputs, entry(found)?, segments)?.time))
}

/// The entry of this subject and name.
fn entry(wanted: &str) -> Result<&'static Model> {
    let found = model::models().find(|model| format!("{} {}", model.subject, model.name) == wanted);
    found.with_context(|| format!("{wanted:?} is no model"))
}

/// A strategy in segments of s bytes, or of the whole message.
fn strategy(inputs: &Inputs, collective: Collective) -> Result<Value> {
    let model = model::find(collective, &inputs.get::<String>("strategy")?)?;
    let size: Bytes = inputs.find("s")?.map_or_else(|| inputs.get("m"), Ok)?;
    let segments = Segments::Of(Segment::new(size.max(Bytes(1)))?);
    Ok(json!(timed(inputs, model, segments)?.time))
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
    Ok(model.time(&known(inputs, model.needs)?, &values, case)?)
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

/// What the inputs tell of the network, as far as a model needs it.
fn known(inputs: &Inputs, needs: &[Need]) -> Result<Known> {
    let nothing = Hockney::new(Seconds(0.0), SecondsPerByte(0.0))?;
    Ok(Known {
        hockney: if needs.contains(&Need::Hockney) {
            base(inputs)?
        } else {
            nothing
        },
        plogp: if needs.contains(&Need::PLogP) {
            plogp(inputs)?
        } else {
            PLogP::from_hockney(&nothing)
        },
        signature: None,
        tree: None,
    })
}

/// The tables; a lone time T is a latency without a gap, and a lone gap `g_m` that of every size.
fn plogp(inputs: &Inputs) -> Result<PLogP> {
    let (latency, one) = match inputs.find("T")? {
        Some(time) => (time, Some(Seconds(0.0))),
        None => (inputs.get("L")?, inputs.find("g_m")?),
    };
    let table = |name| {
        let rows = match one {
            Some(gap) => vec![(Bytes(0), gap)],
            None => inputs.get(name)?,
        };
        anyhow::Ok(Table::new(name, rows)?)
    };
    Ok(PLogP::new(Parameters {
        latency,
        gap: table("g")?,
        send_overhead: table("os")?,
        receive_overhead: table("or")?,
    })?)
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
        let model = entry(&format!("alltoall {name}"))?;
        anyhow::Ok(
            model
                .time(&known(inputs, model.needs)?, &values, case)?
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
    let model = entry("message agarwal")?;
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

fn direct_exchange_sync(inputs: &Inputs) -> Result<Value> {
    Ok(json!(
        exchange(inputs)?.direct_exchange_sync(&base(inputs)?)
    ))
}

fn gap(inputs: &Inputs) -> Result<Value> {
    Ok(json!(plogp(inputs)?.g(inputs.get("m")?)))
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
