//! The vector that another benchmark reduced, from the number in its row.

use anyhow::{Context, Result};
use netsig_base::algorithm::Collective;
use netsig_base::data::import::{PrintedSize, SizeConvention};
use netsig_base::schedule::PieceDivision;
use netsig_base::units::{Bytes, Procs};
use serde_json::{Value, json};

use super::inputs::VectorInputs;

/// The bytes of the vector; of reduce-scatter the elements of each process, of its block form their common number.
///
/// # Errors
/// If the tool is unknown, or an input is missing or impossible.
pub fn compute(inputs: &VectorInputs) -> Result<Value> {
    let tool: String = inputs.get("tool")?;
    let procs: Procs = inputs.get("n")?;
    let collective = inputs.get("collective")?;
    let type_bytes: u64 = inputs.find("type_bytes")?.unwrap_or(usual_element(&tool));
    let element = Bytes(type_bytes.max(1));
    let number = match inputs.find("size_column")? {
        None if collective == Collective::Barrier => inputs.find("row")?.unwrap_or(0),
        None => inputs.get("row")?,
        Some(bytes) => bytes,
    };
    let printed = PrintedSize {
        convention: convention(&tool)?,
        collective,
        number,
        procs,
        element,
    };
    let vector = printed.vector().context("the vector is longer than any")?;
    let blocks = PieceDivision::elements(vector, element, procs.get(), 1);
    let counts: Vec<u64> = (0..procs.get()).map(|rank| blocks.bytes(rank) / element.0).collect();
    Ok(json!({"vector": vector, "count": counts.last(), "counts": counts}))
}

/// The convention of a tool such as `OSU 7.4` or `IMB up to 2019.0`.
fn convention(tool: &str) -> Result<SizeConvention> {
    let named = match tool.split_whitespace().next() {
        Some("OSU") => Some(SizeConvention::Osu),
        Some("IMB") => SizeConvention::of_imb(tool),
        Some("ReproMPI") => Some(SizeConvention::ReproMpi),
        Some("nccl-tests") => Some(SizeConvention::NcclTests),
        Some("PICO") => Some(SizeConvention::Pico),
        _ => None,
    };
    named.with_context(|| format!("{tool:?} is no benchmark that is known"))
}

/// Bytes of an element where the inputs do not say so: OSU 5 reduces `MPI_FLOAT`.
fn usual_element(tool: &str) -> u64 {
    if tool.starts_with("OSU 5") { 4 } else { 1 }
}
