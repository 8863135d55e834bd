//! Computes the models by their names in the vectors: through the entry in `netsig_model::model` if there is one, else
//! by one line.

use anyhow::{Context, Result, ensure};
use netsig_base::algorithm::Collective::{self, Bcast, Scatter};
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use netsig_model::fit::model::ThresholdChoice;
use netsig_model::fit::plogp::{gap_from_round_trips, latency};
use netsig_model::model::alltoall::two_phase::WideAreaPhase;
use netsig_model::model::alltoall::{labarta, throughput};
use netsig_model::model::exchange::{MessageExchange, ZeroMessages};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::segment::{Segment, SegmentSearch};
use netsig_model::model::{
    self, Case, KnownNetwork, Model, ModelInput, ModelParameter, ModelSubject, ModelTime, ParameterValues,
    SegmentChoice, message,
};
use serde_json::{Value, json};

use super::inputs::{VectorInputs, hockney_base, plogp};
use super::{benchmark_size, fit, grid, library, plogpt, reduction};

/// Models whose names in the vectors differ from the names of their entries.
const RENAMED: [(&str, &str); 6] = [
    ("alltoall.prop1", "hockney"),
    ("alltoall.signature", "full"),
    ("contention.clement", "message_clement"),
    ("contention.labarta_alltoall", "labarta"),
    ("plogp.alltoall_steps", "plogp"),
    ("throughput.alltoall", "throughput"),
];

/// Search methods for a segment size.
const SEARCHES: [(&str, SegmentSearch); 3] = [
    ("hill", SegmentSearch::HillClimbing),
    ("pow2", SegmentSearch::PowersOfTwo),
    ("global", SegmentSearch::Exhaustive),
];

/// The inputs that choose among several entries, and the words that choose the entry of the vector's name.
const CHOICES: [&str; 4] = ["delta_form", "variant", "mode", "algorithm"];
const DEFAULT_CHOICES: [&str; 2] = ["times_P", "per_round"];

/// Parameters of entries whose inputs have other names.
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

/// The result of the model `name` for the inputs.
///
/// # Errors
/// If there is no such model, or an input is missing or impossible.
pub fn compute(name: &str, inputs: &VectorInputs) -> Result<Value> {
    let segment = |search| {
        let model = model::find(Bcast, &inputs.get::<String>("strategy")?)?;
        let best = timed(inputs, model, SegmentChoice::Best(search, datatype(inputs)?))?;
        anyhow::Ok(json!({"s": best.segment.map(Segment::bytes), "T": best.time}))
    };
    let gaps = || anyhow::Ok((inputs.get("beta_F")?, inputs.get("beta_C")?));
    Ok(match name {
        "alltoall.signature.reparam" => reparametrised(inputs)?,
        "broadcast" => json!(strategy_time(inputs, Bcast)?),
        "choose.broadcast" => {
            let search = inputs.one_of("segment_search", &SEARCHES)?;
            choose(inputs, Bcast, SegmentChoice::Best(search, datatype(inputs)?))?
        }
        "choose.scatter" => choose(inputs, Scatter, SegmentChoice::Fixed(Segment::BYTE))?,
        "contention.agarwal" => agarwal(inputs)?,
        "contention.labarta_waves" => {
            json!(labarta::waves(inputs.get("messages")?, inputs.get("buses")?))
        }
        "fit.choose_M" => fit::signature(inputs, ThresholdChoice::Search)?,
        "fit.saturation" => fit::saturation(inputs)?,
        "fit.signature" => fit::signature(inputs, ThresholdChoice::None)?,
        "grid.delivery" => grid::delivery(inputs)?,
        "grid.eq6" => json!(grid::time(inputs, WideAreaPhase::eq6)?),
        "grid.exact_F1" => json!(grid::time(inputs, WideAreaPhase::exact_time)?),
        "measure.L" => json!(latency(inputs.get("RTT0")?, inputs.get("g0")?)),
        "measure.discontinuity" => fit::discontinuity(inputs)?,
        "measure.g_from_rtt" => {
            let [rtt, empty, gap] = ["RTT_m", "RTT0", "g0"].map(|name| inputs.get(name));
            json!(gap_from_round_trips(rtt?, empty?, gap?))
        }
        "measure.hockney_fit" => fit::hockney(inputs)?,
        "med.bounds" => bounds(inputs)?,
        "med.direct_exchange_sync" => {
            json!(exchange(inputs)?.direct_exchange_sync(&hockney_base(inputs)?))
        }
        "plogp.g" => json!(plogp(inputs)?.g(inputs.get("m")?)),
        "plogpt.alltoall" => plogpt::alltoall(inputs)?,
        "plogpt.throughput" => plogpt::throughput(inputs)?,
        "reduction.benchmark_size" => benchmark_size::compute(inputs)?,
        "reduction.library" => library::decision(inputs)?,
        "reduction.blocks" => reduction::blocks(inputs)?,
        "reduction.cut" => reduction::cut(inputs)?,
        "reduction.hockney" => reduction::hockney(inputs)?,
        "reduction.order" => reduction::order(inputs)?,
        "reduction.owner" => reduction::owner(inputs)?,
        "reduction.plogp" => reduction::plogp_form(inputs)?,
        "reduction.same_pairs" => reduction::same_pairs(inputs)?,
        "scatter" => json!(strategy_time(inputs, Scatter)?),
        "segment.global" => segment(SegmentSearch::Exhaustive)?,
        "segment.hill" => segment(SegmentSearch::HillClimbing)?,
        "segment.pow2" => segment(SegmentSearch::PowersOfTwo)?,
        "throughput.beta_mix" => {
            let (contention_free, contended) = gaps()?;
            json!(throughput::mixed_gap(inputs.get("rho")?, contention_free, contended))
        }
        "throughput.rho_of_gamma" => {
            let (contention_free, contended) = gaps()?;
            json!(throughput::rho_of_gamma(
                inputs.get("gamma")?,
                contention_free,
                contended
            )?)
        }
        _ => json!(
            timed(
                inputs,
                model_of_name(name, inputs)?,
                SegmentChoice::Fixed(Segment::BYTE)
            )?
            .time
        ),
    })
}

/// The entry that a vector calls `FAMILY.NAME`. A choice is its name, or follows the name after `_`.
fn model_of_name(name: &str, inputs: &VectorInputs) -> Result<&'static Model> {
    let (family, vector_name) = name.split_once('.').unwrap_or_default();
    let renamed = RENAMED.iter().find(|(vector, _)| *vector == name);
    let entry_name = renamed.map_or(vector_name, |(_, entry)| entry);
    let mut words = CHOICES.iter().map(|input| inputs.find::<String>(input));
    let word = words.find_map(Result::transpose).transpose()?;
    let names = match word.filter(|word| !DEFAULT_CHOICES.contains(&&**word)) {
        Some(word) => vec![format!("{entry_name}_{}", word.to_lowercase()), word],
        None => vec![entry_name.to_owned()],
    };
    let collective = match family {
        "broadcast" => Some(Bcast),
        "scatter" => Some(Scatter),
        _ => None,
    };
    let is_meant = |model: &&Model| {
        collective.is_none_or(|wanted_collective| model.subject == ModelSubject::Collective(wanted_collective))
            && names.iter().any(|name| model::present_name(name) == model.name)
    };
    let found = model::models().find(is_meant);
    found.context("there is no model of this name")
}

/// The entry of this name.
fn entry(name: &str) -> Result<&'static Model> {
    let found = model::models().find(|model| model.name == model::present_name(name));
    found.with_context(|| format!("{name:?} is no model"))
}

/// The time of a strategy with segments of s bytes, or unsegmented.
fn strategy_time(inputs: &VectorInputs, collective: Collective) -> Result<Seconds> {
    let model = model::find(collective, &inputs.get::<String>("strategy")?)?;
    let size: Bytes = inputs.find("s")?.map_or_else(|| inputs.get("m"), Ok)?;
    let segments = SegmentChoice::Fixed(Segment::new(size.max(Bytes(1)))?);
    Ok(timed(inputs, model, segments)?.time)
}

/// The time of an entry with the inputs.
fn timed(inputs: &VectorInputs, model: &'static Model, segments: SegmentChoice) -> Result<ModelTime> {
    let number = |parameter: &ModelParameter| {
        let found = PARAMETERS.iter().find(|(name, _)| *name == parameter.name);
        let input = found.map_or(parameter.name, |(_, input)| *input);
        match parameter.default {
            Some(default) => Ok(inputs.find(input)?.unwrap_or(default)),
            None => inputs.get(input),
        }
    };
    let numbers = model.parameters.iter().map(number);
    let values = ParameterValues {
        numbers: numbers.collect::<Result<_>>()?,
        latency: None,
    };
    let is_collective = matches!(model.subject, ModelSubject::Collective(_));
    let case = Case {
        procs: match inputs.find("P")? {
            Some(procs) => procs,
            None if is_collective && inputs.find::<f64>("T")?.is_none() => inputs.get("n")?,
            None => Procs::new(2)?,
        },
        size: inputs.find("m")?.unwrap_or_default(),
        segments,
    };
    Ok(model.time(&known_network(inputs, model.needs)?, &values, case)?)
}

/// The parameters of the network from the inputs, as far as a model needs them.
fn known_network(inputs: &VectorInputs, needs: &[ModelInput]) -> Result<KnownNetwork> {
    let hockney = if needs.contains(&ModelInput::Hockney) {
        hockney_base(inputs)?
    } else {
        Hockney::new(Seconds(0.0), SecondsPerByte(0.0))?
    };
    let tables = needs.contains(&ModelInput::PLogP).then(|| plogp(inputs));
    Ok(KnownNetwork::of(hockney, tables.transpose()?.as_ref()))
}

/// The δ with which `bandwidth` equals `full` for m ≥ M: the difference of their times for two
/// processes when `bandwidth` has δ = 0.
fn reparametrised(inputs: &VectorInputs) -> Result<Value> {
    let [to, from] = ["bandwidth", "full"];
    ensure!(
        inputs.find::<String>("to")?.is_none_or(|form| form == to),
        "only full and bandwidth are the same model"
    );
    let [gamma, delta]: [f64; 2] = [inputs.get("gamma")?, inputs.get("delta")?];
    let time = |name, delta| {
        let values = ParameterValues {
            numbers: vec![gamma, delta, 0.0],
            latency: None,
        };
        let model = entry(name)?;
        let known = known_network(inputs, model.needs)?;
        let timed = model.time(&known, &values, Case::new(Procs::new(2)?, Bytes(0)));
        anyhow::Ok(timed?.time)
    };
    Ok(json!({"delta_bandwidth": time(from, delta)? - time(to, 0.0)?}))
}

fn datatype(inputs: &VectorInputs) -> Result<Segment> {
    Ok(Segment::new(inputs.find("dtype")?.unwrap_or(Bytes(1)))?)
}

/// The fastest candidate, the first if several are equal; without candidates, all printed strategies compete.
fn choose(inputs: &VectorInputs, collective: Collective, segments: SegmentChoice) -> Result<Value> {
    let printed = model::strategies(collective).filter(|model| model.corrects.is_none());
    let given_candidates: Option<Vec<String>> = inputs.find("candidates")?;
    let candidates = given_candidates.unwrap_or_else(|| printed.map(|m| m.name.to_owned()).collect());
    let mut best: Option<(&str, ModelTime)> = None;
    for name in &candidates {
        let model = model::find(collective, name)?;
        let next = timed(inputs, model, segments)?;
        if best.is_none_or(|(_, best)| next.time < best.time) {
            best = Some((model.name, next));
        }
    }
    let (name, ModelTime { time, segment }) = best.context("candidates is an empty list")?;
    Ok(json!({"strategy": name, "s": segment.map(Segment::bytes), "T": time}))
}

fn agarwal(inputs: &VectorInputs) -> Result<Value> {
    let model = entry("agarwal")?;
    let latency = timed(inputs, model, SegmentChoice::Fixed(Segment::BYTE))?.time;
    let [rho, flits, hops] = [inputs.get("rho")?, inputs.get("B")?, inputs.get("kd")?];
    let waiting = message::waiting(rho, flits, inputs.get("n")?, hops);
    Ok(json!({"Tc_cycles": latency, "w_cycles": waiting}))
}

fn exchange(inputs: &VectorInputs) -> Result<MessageExchange> {
    let sizes: Vec<Vec<u64>> = inputs.get("W")?;
    let zero = match inputs.find("count_zero_messages")? {
        Some(true) => ZeroMessages::Counted,
        _ => ZeroMessages::Absent,
    };
    let row = |sizes: &Vec<u64>| {
        let cells: Vec<String> = sizes.iter().map(u64::to_string).collect();
        cells.join(",")
    };
    let matrix: Vec<String> = sizes.iter().map(row).collect();
    Ok(MessageExchange::parse("W", &matrix.join("\n"), zero)?)
}

fn bounds(inputs: &VectorInputs) -> Result<Value> {
    let bounds = exchange(inputs)?.bounds(&hockney_base(inputs)?);
    Ok(json!({
        "Delta_s": bounds.max_out_degree,
        "Delta_r": bounds.max_in_degree,
        "startups": bounds.startups,
        "t_s": bounds.send_time,
        "t_r": bounds.receive_time,
        "claim2": bounds.claim2,
        "claim3": bounds.claim3,
        "claim3_same_process": bounds.is_same_process,
        "claim3_same_process_and_direction": bounds.is_same_process_and_direction,
        "per_vertex": bounds.per_vertex,
    }))
}
