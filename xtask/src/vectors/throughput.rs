//! Throughput under contention: a share ρ of the connections at the contended gap.

use anyhow::Result;
use netsig_core::model::hockney::Hockney;
use netsig_core::model::throughput::{self, Throughput};
use netsig_core::units::Seconds;
use serde_json::{Value, json};

use super::inputs::Inputs;

fn network(inputs: &Inputs) -> Result<Throughput> {
    let alpha = inputs.find("alpha")?.unwrap_or(Seconds(0.0));
    let base = Hockney::new(alpha, inputs.get("beta_F")?)?;
    let rho = inputs.find("rho")?.unwrap_or(0.5);
    Ok(Throughput::new(&base, inputs.get("beta_C")?, rho)?)
}

/// `throughput.alltoall`.
pub fn alltoall(inputs: &Inputs) -> Result<Value> {
    let time = network(inputs)?.alltoall(inputs.get("n")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `throughput.beta_mix`.
pub fn beta_mix(inputs: &Inputs) -> Result<Value> {
    Ok(json!(network(inputs)?.gap()))
}

/// `throughput.rho_of_gamma`.
pub fn rho_of_gamma(inputs: &Inputs) -> Result<Value> {
    let rho = throughput::rho_of_gamma(
        inputs.get("gamma")?,
        inputs.get("beta_F")?,
        inputs.get("beta_C")?,
    )?;
    Ok(json!(rho))
}
