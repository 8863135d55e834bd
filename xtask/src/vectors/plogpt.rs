//! `PlogPT`: messages that share the edges of a tree, and TCP's retransmission time-outs.

use anyhow::{Context, Result, ensure};
use netsig_base::network::TreeEdge;
use netsig_base::units::{BytesPerSecond, Procs, Rank, Seconds};
use netsig_model::model::alltoall::plogpt::{self, PlogPT, PlogptAlgorithm, PlogptEdgeRule, PlogptParameters, RtoMode};
use serde_json::{Value, json};

use super::inputs::VectorInputs;

/// `plogpt.alltoall`.
pub fn alltoall(inputs: &VectorInputs) -> Result<Value> {
    let algorithms = [("A", PlogptAlgorithm::A), ("B", PlogptAlgorithm::B)];
    let modes = [("receiver", RtoMode::Receiver), ("two_pass", RtoMode::TwoPass)];
    let algorithm = inputs.one_of("algorithm", &algorithms)?;
    let rules = [("ge", PlogptEdgeRule::AtLeast), ("gt", PlogptEdgeRule::Above)];
    let standard = PlogptParameters::new(edges(inputs)?, inputs.get("L")?);
    let network = PlogPT::new(&PlogptParameters {
        rto: inputs.find("T_RTO")?.unwrap_or(standard.rto),
        edge_rule: inputs.one_of("negligible_rule", &rules)?,
        ..standard
    })?;
    let leaves = network.procs();
    ensure!(
        inputs.find("P")?.is_none_or(|procs: Procs| procs == leaves),
        "the edges make a tree of {leaves} ranks, which is not P"
    );
    let size = inputs.get("m")?;
    let outcome = network.alltoall::<Seconds>(size, algorithm, inputs.one_of("rto_mode", &modes)?);
    let steps = network.rounds(size, algorithm).map(|step| {
        json!({
            "i": step.xor,
            "h": step.height,
            "heff": step.effective_height,
            "thr": step.throughput.0,
            "e": step.enter,
            "f_noRTO": step.finish_no_rto,
        })
    });
    Ok(json!({
        "T": outcome.time,
        "T_noRTO": outcome.time_without_rto,
        "rto_steps": outcome.rto_rounds,
        "steps": steps.collect::<Vec<Value>>(),
    }))
}

/// Bandwidth and delay of the edges by height.
fn edges(inputs: &VectorInputs) -> Result<Vec<TreeEdge>> {
    let edges: Vec<(f64, Seconds)> = inputs.get("edges")?;
    let edge = |(bandwidth, delay)| TreeEdge {
        bandwidth: BytesPerSecond(bandwidth),
        delay,
    };
    Ok(edges.into_iter().map(edge).collect())
}

/// `plogpt.throughput` of one of the pairs, given by its index or its ranks.
pub fn throughput(inputs: &VectorInputs) -> Result<Value> {
    let number_pairs: Vec<(u32, u32)> = inputs.get("pairs")?;
    let found_place = match inputs.find("of")?.unwrap_or(json!(0)) {
        Value::Number(place) => place.as_u64().and_then(|place| place.try_into().ok()),
        pair => number_pairs.iter().position(|known| json!(known) == pair),
    };
    let place = found_place.context("of is not among pairs")?;
    let ranks = |(from, to)| (Rank(from), Rank(to));
    let pairs: Vec<(Rank, Rank)> = number_pairs.into_iter().map(ranks).collect();
    let throughput = plogpt::throughput(&edges(inputs)?, &pairs, place)?;
    Ok(json!(throughput.0))
}
