//! Scatter: its strategies, and the choice among those of the papers.

use anyhow::{Context, Result};
use netsig_core::algorithm::Collective;
use netsig_core::model::scatter::{self, Strategy};
use netsig_core::predict::select::{Options, Selector};
use netsig_core::units::Seconds;
use serde_json::{Value, json};

use super::broadcast;
use super::inputs::{Inputs, missing};
use super::plogp::network;

/// `scatter`.
pub fn time(inputs: &Inputs) -> Result<Value> {
    let strategy = inputs.named("strategy")?;
    let strategy = strategy.with_context(|| missing("strategy"))?;
    Ok(json!(with(inputs, strategy)?))
}

/// `scatter.binomial_exact`.
pub fn binomial_exact(inputs: &Inputs) -> Result<Value> {
    Ok(json!(with(inputs, Strategy::BinomialExact)?))
}

/// `choose.scatter`: the first of the fastest.
pub fn choose(inputs: &Inputs) -> Result<Value> {
    let network = broadcast::known(network(inputs)?)?;
    let selector = Selector::of_strategies(network, Collective::Scatter, Options::default());
    let best = selector.best(inputs.get("P")?, inputs.get("m")?)?;
    let best = best.context("there are no strategies")?;
    Ok(json!({"strategy": best.algorithm, "T": best.time}))
}

fn with(inputs: &Inputs, strategy: Strategy) -> Result<Seconds> {
    let network = network(inputs)?;
    Ok(scatter::time(
        &network,
        strategy,
        inputs.get("P")?,
        inputs.get("m")?,
    )?)
}
