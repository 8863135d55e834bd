//! Message exchange digraphs.

use anyhow::Result;
use netsig_core::model::exchange::{Exchange, ZeroMessages};
use serde_json::{Value, json};

use super::alltoall::base;
use super::inputs::Inputs;

fn exchange(inputs: &Inputs) -> Result<Exchange> {
    let sizes: Vec<Vec<u64>> = inputs.get("W")?;
    let zero = match inputs.find("count_zero_messages")? {
        Some(true) => ZeroMessages::Counted,
        Some(false) | None => ZeroMessages::Absent,
    };
    Ok(Exchange::from_matrix(&sizes, zero)?)
}

/// `med.bounds`.
pub fn bounds(inputs: &Inputs) -> Result<Value> {
    let bounds = exchange(inputs)?.bounds(&base(inputs)?);
    Ok(json!({
        "Delta_s": bounds.max_out_degree,
        "Delta_r": bounds.max_in_degree,
        "startups": bounds.startups,
        "t_s": bounds.send_time,
        "t_r": bounds.receive_time,
        "claim2": bounds.claim2,
        "claim3": bounds.claim3,
        "claim3_same_process": bounds.same_process,
        "claim3_same_process_and_direction": bounds.same_process_and_direction,
        "per_vertex": bounds.per_vertex,
    }))
}

/// `med.direct_exchange_sync`.
pub fn direct_exchange_sync(inputs: &Inputs) -> Result<Value> {
    let time = exchange(inputs)?.direct_exchange_sync(&base(inputs)?);
    Ok(json!(time))
}
