//! Broadcast: its strategies, their segments, and the choice among them.

use anyhow::{Context, Result, anyhow};
use netsig_core::model::broadcast::{Broadcast, Levels, STRATEGIES, Strategy};
use netsig_core::model::plogp::PLogP;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::units::{Bytes, Procs, Seconds};
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
    let (time, segment) = Task::of(inputs, search)?.best(strategy);
    Ok(json!({"s": segment, "T": time}))
}

/// `choose.broadcast`: the first of the fastest.
pub fn choose(inputs: &Inputs) -> Result<Value> {
    let search = inputs.one_of("segment_search", &SEARCHES)?;
    let task = Task::of(inputs, search.unwrap_or_default())?;
    let predictions = candidates(inputs)?.into_iter().map(|strategy| {
        let (time, segment) = task.best(strategy);
        (time, segment, strategy)
    });
    let best = predictions.reduce(|best, next| if next.0 < best.0 { next } else { best });
    let (time, segment, strategy) = best.context("candidates is an empty list")?;
    Ok(json!({"strategy": strategy.to_string(), "s": segment, "T": time}))
}

fn candidates(inputs: &Inputs) -> Result<Vec<Strategy>> {
    let Some(names) = inputs.find::<Vec<String>>("candidates")? else {
        return Ok(STRATEGIES.map(|(strategy, _)| strategy).to_vec());
    };
    let parse = |name: String| name.parse().map_err(|error| anyhow!("candidates: {error}"));
    names.into_iter().map(parse).collect()
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

    /// The time of a strategy, and its segment if it has any.
    fn best(&self, strategy: Strategy) -> (Seconds, Option<Bytes>) {
        let broadcast = Broadcast {
            network: &self.network,
            strategy,
            levels: Levels::Printed,
        };
        if !strategy.is_segmented() {
            return (broadcast.time(self.procs, self.size, None), None);
        }
        let best = broadcast.optimal_segment(self.procs, self.size, self.search, self.datatype);
        (best.time, Some(best.segment.bytes()))
    }
}
