//! pLogP: its tables, and its all-to-all in two orders of steps.

use anyhow::{Context, Result};
use netsig_core::model::alltoall::{Steps, steps};
use netsig_core::model::plogp::{PLogP, Parameters};
use netsig_core::units::table::Table;
use serde_json::{Value, json};

use super::inputs::{Inputs, missing};

/// The network of the parameter set.
pub fn network(inputs: &Inputs) -> Result<PLogP> {
    Ok(PLogP::new(Parameters {
        latency: inputs.get("L")?,
        gap: table(inputs, "g")?,
        send_overhead: table(inputs, "os")?,
        receive_overhead: table(inputs, "or")?,
    })?)
}

fn table(inputs: &Inputs, name: &'static str) -> Result<Table> {
    Ok(Table::new(name, inputs.get(name)?)?)
}

/// `plogp.g`.
pub fn gap(inputs: &Inputs) -> Result<Value> {
    Ok(json!(table(inputs, "g")?.at(inputs.get("m")?)))
}

/// `plogp.alltoall_steps`.
pub fn alltoall_steps(inputs: &Inputs) -> Result<Value> {
    let orders = [("A", Steps::A), ("B", Steps::B)];
    let order = inputs.one_of("algorithm", &orders)?;
    let time = steps(
        inputs.get("g_m")?,
        inputs.get("L")?,
        inputs.get("P")?,
        order.with_context(|| missing("algorithm"))?,
    );
    Ok(json!(time))
}
