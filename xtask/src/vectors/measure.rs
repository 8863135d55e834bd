//! Estimators of pLogP and of Hockney's model.

use anyhow::{Result, anyhow};
use netsig_core::fit::{Covariance, hockney, plogp};
use netsig_core::units::{Bytes, Procs, Seconds};
use serde_json::{Value, json};

use super::fit::points;
use super::inputs::Inputs;

/// `measure.L`.
pub fn latency(inputs: &Inputs) -> Result<Value> {
    Ok(json!(plogp::latency(
        inputs.get("RTT0")?,
        inputs.get("g0")?
    )))
}

/// `measure.g_from_rtt`.
pub fn gap(inputs: &Inputs) -> Result<Value> {
    let gap =
        plogp::gap_from_round_trips(inputs.get("RTT_m")?, inputs.get("RTT0")?, inputs.get("g0")?);
    Ok(json!(gap))
}

/// `measure.discontinuity`.
pub fn discontinuity(inputs: &Inputs) -> Result<Value> {
    let sizes: Vec<Bytes> = inputs.get("sizes")?;
    let overheads: Vec<Seconds> = inputs.get("os")?;
    let rows: Vec<_> = sizes.into_iter().zip(overheads).collect();
    let count = rows.len();
    let rows = rows.try_into();
    let rows = rows.map_err(|_| anyhow!("{count} sizes with an os, not three"))?;
    let found = plogp::discontinuity(rows, inputs.find("max_diff")?.unwrap_or(0.2));
    Ok(json!({
        "expected_os": found.expected,
        "rel_err": found.relative_error,
        "insert": found.insert,
    }))
}

/// `measure.hockney_fit`.
pub fn hockney_fit(inputs: &Inputs) -> Result<Value> {
    let points = points(inputs, "t_oneway", Procs::new(2)?)?;
    let fitted = hockney::fit(&points, &Covariance::Ols, 0.95)?;
    Ok(json!({"alpha": fitted.alpha.value, "beta": fitted.beta.value}))
}
