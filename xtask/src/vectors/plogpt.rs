//! `PlogPT`: messages that share the edges of a tree, and TCP's retransmission timeouts.

use anyhow::{Context, Result, ensure};
use netsig_core::model::plogpt::{
    self, Algorithm, BytesPerSecond, Edge, Negligible, Network, Parameters, RtoMode, Step,
};
use netsig_core::units::{Procs, Rank, Seconds};
use serde_json::{Value, json};

use super::inputs::{Either, Inputs, missing};

/// `plogpt.alltoall`.
pub fn alltoall(inputs: &Inputs) -> Result<Value> {
    let algorithms = [("A", Algorithm::A), ("B", Algorithm::B)];
    let algorithm = inputs.one_of("algorithm", &algorithms)?;
    let algorithm = algorithm.with_context(|| missing("algorithm"))?;
    let modes = [
        ("receiver", RtoMode::Receiver),
        ("two_pass", RtoMode::TwoPass),
    ];
    let mode = inputs.one_of("rto_mode", &modes)?.unwrap_or_default();
    let network = network(inputs)?;
    let size = inputs.get("m")?;
    let outcome = network.alltoall(size, algorithm, mode);
    let steps: Vec<Value> = network.steps(size, algorithm).map(step).collect();
    Ok(json!({
        "T": outcome.time,
        "T_noRTO": outcome.time_without_rto,
        "rto_steps": outcome.rto_steps,
        "steps": steps,
    }))
}

fn network(inputs: &Inputs) -> Result<Network> {
    let rules = [("ge", Negligible::AtLeast), ("gt", Negligible::Above)];
    let standard = Parameters::new(edges(inputs)?, inputs.get("L")?);
    let network = Network::new(Parameters {
        rto: inputs.find("T_RTO")?.unwrap_or(standard.rto),
        negligible: inputs
            .one_of("negligible_rule", &rules)?
            .unwrap_or_default(),
        ..standard
    })?;
    let procs: Option<Procs> = inputs.find("P")?;
    let leaves = network.procs();
    ensure!(
        procs.is_none_or(|procs| procs == leaves),
        "the edges make a tree of {leaves} ranks, which is not P"
    );
    Ok(network)
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
    let pairs: Vec<(Rank, Rank)> = inputs.get("pairs")?;
    let of = match inputs.find("of")? {
        Some(Either::Left(place)) => place,
        Some(Either::Right(pair)) => {
            let place = pairs.iter().position(|known| *known == pair);
            place.context("of is not among pairs")?
        }
        None => 0,
    };
    let throughput = plogpt::throughput(&edges(inputs)?, &pairs, of)?;
    Ok(json!(throughput.0))
}
