//! `PlogPT`: messages that share the edges of a tree, and TCP's retransmission timeouts.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::{self, Collective};
use netsig_core::model::alltoall::plogpt::{self, Algorithm, RtoMode, Step};
use netsig_core::network::binary_tree::{Edge, Negligible, Network, Parameters};
use netsig_core::sim::closed;
use netsig_core::sim::network::plogpt::{self as simulated, PlogPT};
use netsig_core::sim::rounds::Rounds;
use netsig_core::units::BytesPerSecond;
use netsig_core::units::{Bytes, Procs, Rank, Seconds};
use serde_json::{Value, json};

use super::compare::{self, Tolerance};
use super::inputs::Inputs;

/// What one vector asks for.
struct Case {
    parameters: Parameters,
    size: Bytes,
    algorithm: Algorithm,
    mode: RtoMode,
}

/// `plogpt.alltoall` in three ways: the model in seconds, its closed form in the ticks of the
/// simulator, and the simulation itself.
pub fn alltoall(inputs: &Inputs) -> Result<Value> {
    let modes = [
        ("receiver", RtoMode::Receiver),
        ("two_pass", RtoMode::TwoPass),
    ];
    let case = Case {
        parameters: parameters(inputs)?,
        size: inputs.get("m")?,
        algorithm: inputs.one_of("algorithm", &[("A", Algorithm::A), ("B", Algorithm::B)])?,
        mode: inputs.one_of("rto_mode", &modes)?,
    };
    let modelled = modelled(&case)?;
    let a_tick = Tolerance::of(&json!({"abs_tol": 1e-12}));
    for (way, got) in [
        ("the closed form", solved(&case)?),
        ("the simulation", simulated(&case)?),
    ] {
        let faults = compare::faults(&modelled, &got, a_tick);
        ensure!(faults.is_empty(), "{way} differs: {}", faults.join("; "));
    }
    Ok(modelled)
}

fn modelled(case: &Case) -> Result<Value> {
    let network = Network::new(&case.parameters)?;
    let outcome = network.alltoall(case.size, case.algorithm, case.mode);
    let steps: Vec<Value> = network.steps(case.size, case.algorithm).map(step).collect();
    Ok(json!({
        "T": outcome.time,
        "T_noRTO": outcome.time_without_rto,
        "rto_steps": outcome.rto_steps,
        "steps": steps,
    }))
}

fn solved(case: &Case) -> Result<Value> {
    let solved = closed::plogpt(case.algorithm, case.size, &case.parameters, case.mode);
    let solved = solved.context("there is no closed form in ticks")?;
    Ok(json!({
        "T": solved.solved.time.seconds(),
        "T_noRTO": solved.time_without_rto.seconds(),
        "rto_steps": solved.losing_rounds,
    }))
}

/// The rounds with a timeout are those in which any message loses a packet.
fn simulated(case: &Case) -> Result<Value> {
    let name = match case.algorithm {
        Algorithm::A => "pairwise",
        Algorithm::B => "sends-in-turn",
    };
    let algorithm = algorithm::Algorithm::parse(Collective::Alltoall, name)?;
    let procs = Network::new(&case.parameters)?.procs();
    let program = || Rounds::new(algorithm.schedule(procs, case.size));
    let run = |rto| {
        let network = PlogPT::binary_tree(&Parameters {
            rto,
            ..case.parameters.clone()
        })?;
        anyhow::Ok(simulated::run(case.mode, program, &network, &mut ())?)
    };
    let outcome = run(case.parameters.rto)?;
    let rounds = outcome.losses.iter().map(|loss| loss.from.0 ^ loss.to.0);
    let rounds: BTreeSet<u32> = rounds.collect();
    Ok(json!({
        "T": outcome.time.seconds(),
        "T_noRTO": run(Seconds(0.0))?.time.seconds(),
        "rto_steps": rounds,
    }))
}

fn parameters(inputs: &Inputs) -> Result<Parameters> {
    let rules = [("ge", Negligible::AtLeast), ("gt", Negligible::Above)];
    let standard = Parameters::new(edges(inputs)?, inputs.get("L")?);
    let parameters = Parameters {
        rto: inputs.find("T_RTO")?.unwrap_or(standard.rto),
        negligible: inputs.one_of("negligible_rule", &rules)?,
        ..standard
    };
    let procs: Option<Procs> = inputs.find("P")?;
    let leaves = Network::new(&parameters)?.procs();
    ensure!(
        procs.is_none_or(|procs| procs == leaves),
        "the edges make a tree of {leaves} ranks, which is not P"
    );
    Ok(parameters)
}

/// Bandwidth and delay by height.
fn edges(inputs: &Inputs) -> Result<Vec<Edge>> {
    let edges: Vec<(f64, Seconds)> = inputs.get("edges")?;
    let edge = |(bandwidth, delay)| Edge {
        bandwidth: BytesPerSecond(bandwidth),
        delay,
    };
    Ok(edges.into_iter().map(edge).collect())
}

fn step(step: Step) -> Value {
    json!({
        "i": step.xor,
        "h": step.height,
        "heff": step.effective_height,
        "thr": step.throughput.0,
        "e": step.enter,
        "f_noRTO": step.finish_no_rto,
    })
}

/// `plogpt.throughput` of one of the pairs, given by its place or its ranks.
pub fn throughput(inputs: &Inputs) -> Result<Value> {
    let pairs: Vec<(u32, u32)> = inputs.get("pairs")?;
    let place = match inputs.find("of")?.unwrap_or(json!(0)) {
        Value::Number(place) => place.as_u64().and_then(|place| place.try_into().ok()),
        pair => pairs.iter().position(|known| json!(known) == pair),
    };
    let place = place.context("of is not among pairs")?;
    let ranks = |(from, to)| (Rank(from), Rank(to));
    let pairs: Vec<(Rank, Rank)> = pairs.into_iter().map(ranks).collect();
    let throughput = plogpt::throughput(&edges(inputs)?, &pairs, place)?;
    Ok(json!(throughput.0))
}
