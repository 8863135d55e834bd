//! Broadcast: its strategies, their segments, and the choice among them.

use anyhow::{Context, Result};
use netsig_core::algorithm::Collective;
use netsig_core::model::broadcast::{Broadcast, Levels, STRATEGIES, Strategy};
use netsig_core::model::hockney::Hockney;
use netsig_core::model::plogp::PLogP;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::predict::select::{Options, Ranked, Selector};
use netsig_core::registry::Network;
use netsig_core::units::{Bytes, Procs, SecondsPerByte};
use serde_json::{Value, json};

use super::inputs::{Inputs, missing};
use super::plogp::network;

/// What the searches are called here.
const SEARCHES: [(&str, Search); 3] = [
    ("pow2", Search::PowersOfTwo),
    ("hill", Search::HillClimbing),
    ("global", Search::Exhaustive),
];

/// `broadcast`.
pub fn time(inputs: &Inputs) -> Result<Value> {
    let strategy = inputs.named("strategy")?;
    let strategy = strategy.with_context(|| missing("strategy"))?;
    with(inputs, strategy, Levels::Printed)
}

/// `broadcast.binomial_exact`.
pub fn binomial_exact(inputs: &Inputs) -> Result<Value> {
    with(inputs, Strategy::Binomial, Levels::Exact)
}

fn with(inputs: &Inputs, strategy: Strategy, levels: Levels) -> Result<Value> {
    let segment: Option<Bytes> = inputs.find("s")?;
    let segment = segment.map(Segment::new).transpose()?;
    let network = network(inputs)?;
    let broadcast = Broadcast {
        network: &network,
        strategy,
        levels,
    };
    let time = broadcast.time(inputs.get("P")?, inputs.get("m")?, segment);
    Ok(json!(time))
}

/// `segment.pow2`.
pub fn halved_segment(inputs: &Inputs) -> Result<Value> {
    best_segment(inputs, Search::PowersOfTwo)
}

/// `segment.hill`.
pub fn climbed_segment(inputs: &Inputs) -> Result<Value> {
    best_segment(inputs, Search::HillClimbing)
}

/// `segment.global`.
pub fn global_segment(inputs: &Inputs) -> Result<Value> {
    best_segment(inputs, Search::Exhaustive)
}

fn best_segment(inputs: &Inputs, search: Search) -> Result<Value> {
    let strategy = inputs.named("strategy")?;
    let strategy = strategy.unwrap_or(Strategy::ChainSegmented);
    let task = Task::of(inputs, search)?;
    let broadcast = Broadcast {
        network: &task.network,
        strategy,
        levels: Levels::Printed,
    };
    let best = broadcast.optimal_segment(task.procs, task.size, task.search, task.datatype);
    Ok(json!({"s": best.segment.bytes(), "T": best.time}))
}

/// `choose.broadcast`: of the fastest the first in the list of candidates.
pub fn choose(inputs: &Inputs) -> Result<Value> {
    let search = inputs.one_of("segment_search", &SEARCHES)?;
    let task = Task::of(inputs, search.unwrap_or_default())?;
    let options = Options {
        search: task.search,
        datatype: task.datatype,
        ..Options::default()
    };
    let selector = Selector::of_strategies(known(task.network)?, Collective::Bcast, options);
    let ranked = selector.rank(task.procs, task.size)?;
    let candidates: Option<Vec<String>> = inputs.find("candidates")?;
    let candidates = candidates.unwrap_or(STRATEGIES.map(|(_, name)| name.to_owned()).to_vec());
    let timed = |name: &String| {
        let found = ranked.iter().find(|ranked| ranked.algorithm == name);
        found.with_context(|| format!("candidates: {name:?} is not a strategy"))
    };
    let timed: Vec<&Ranked> = candidates.iter().map(timed).collect::<Result<_>>()?;
    let best = timed
        .into_iter()
        .reduce(|best, next| if next.time < best.time { next } else { best });
    let best = best.context("candidates is an empty list")?;
    let segment = best.segment.map(Segment::bytes);
    Ok(json!({"strategy": best.algorithm, "s": segment, "T": best.time}))
}

/// A network of which pLogP alone is known.
pub fn known(plogp: PLogP) -> Result<Network> {
    Ok(Network {
        hockney: Hockney::new(plogp.latency(), SecondsPerByte(0.0))?,
        plogp,
        signature: None,
        tree: None,
    })
}

/// A message to broadcast in segments of any size.
struct Task {
    network: PLogP,
    procs: Procs,
    size: Bytes,
    search: Search,
    datatype: Segment,
}

impl Task {
    fn of(inputs: &Inputs, search: Search) -> Result<Self> {
        Ok(Self {
            network: network(inputs)?,
            procs: inputs.get("P")?,
            size: inputs.get("m")?,
            search,
            datatype: Segment::new(inputs.find("dtype")?.unwrap_or(Bytes(1)))?,
        })
    }
}
