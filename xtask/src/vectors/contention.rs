//! Older models of contention.

use anyhow::Result;
use netsig_core::model::adve::Adve;
use netsig_core::model::agarwal::Agarwal;
use netsig_core::model::clement;
use netsig_core::model::labarta::{self, Labarta, Mode};
use netsig_core::model::slowdown::Slowdown;
use serde_json::{Value, json};

use super::alltoall::base;
use super::inputs::Inputs;

/// `contention.adve`.
pub fn adve(inputs: &Inputs) -> Result<Value> {
    let model = Adve::new(
        inputs.get("t_computation")?,
        inputs.get("t_communication")?,
        inputs.get("t_resource_contention")?,
        inputs.get("t_synchronisation")?,
    )?;
    Ok(json!(model.total()))
}

/// `contention.agarwal`.
pub fn agarwal(inputs: &Inputs) -> Result<Value> {
    let model = Agarwal::new(
        inputs.get("rho")?,
        inputs.get("B")?,
        inputs.get("n")?,
        inputs.get("kd")?,
    )?;
    Ok(json!({"Tc_cycles": model.latency(), "w_cycles": model.waiting()}))
}

/// `contention.clement`.
pub fn clement(inputs: &Inputs) -> Result<Value> {
    let time = clement::message(&base(inputs)?, inputs.get("m")?, inputs.get("gamma")?)?;
    Ok(json!(time))
}

/// `contention.labarta_alltoall`.
pub fn labarta_alltoall(inputs: &Inputs) -> Result<Value> {
    let modes = [("per_round", Mode::PerRound), ("total", Mode::Total)];
    let model = Labarta {
        buses: inputs.get("buses")?,
        mode: inputs.one_of("mode", &modes)?.unwrap_or_default(),
    };
    let time = model.alltoall(&base(inputs)?, inputs.get("n")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `contention.labarta_waves`.
pub fn labarta_waves(inputs: &Inputs) -> Result<Value> {
    let waves = labarta::waves(inputs.get("messages")?, inputs.get("buses")?);
    Ok(json!(waves))
}

/// `contention.slowdown`.
pub fn slowdown(inputs: &Inputs) -> Result<Value> {
    let model = Slowdown::new(inputs.get("slowdown")?)?;
    Ok(json!(model.apply(inputs.get("T")?)))
}
