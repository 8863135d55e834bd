//! Scatter: its strategies, and the choice among those of the papers.

use anyhow::{Context, Result};
use netsig_core::model::scatter::{self, Strategy};
use netsig_core::units::Seconds;
use serde_json::{Value, json};

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
    let [flat, chain, binomial] = [Strategy::Flat, Strategy::Chain, Strategy::Binomial];
    let mut best = (with(inputs, flat)?, flat);
    for strategy in [chain, binomial] {
        let time = with(inputs, strategy)?;
        if time < best.0 {
            best = (time, strategy);
        }
    }
    Ok(json!({"strategy": best.1.to_string(), "T": best.0}))
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
