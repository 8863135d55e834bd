//! What an MPI library chooses and runs for a reduction or barrier.
//!
//! `count` elements are those of the whole vector; of Open MPI's `reduce_scatter_block` those of a process.

use anyhow::{Context, Result};
use netsig_base::algorithm::{Collective, DecisionCase, LibraryDecision, MpiFlavour, OperatorKind};
use netsig_base::units::{Bytes, Procs};
use serde_json::{Value, json};

use super::inputs::VectorInputs;

/// `chosen` and `runs`: names of algorithms, null for a call that returns at once. An all-reduce of a reduce and a
/// broadcast runs `reduce:NAME + bcast`.
pub fn decision(inputs: &VectorInputs) -> Result<Value> {
    let (library, collective): (String, Collective) = (inputs.get("library")?, inputs.get("collective")?);
    let known_flavour = MpiFlavour::from_version(&library);
    let flavour = known_flavour.with_context(|| format!("{library} is no known library"))?;
    let known_decision = LibraryDecision::of(flavour, collective);
    let decision = known_decision.with_context(|| format!("the rules of {library} for {collective} are not known"))?;
    let case = case(inputs, flavour, collective)?;
    let run = decision.runs(case).map(|run| match run.reduce {
        Some(reduce) if collective == Collective::Allreduce => format!("reduce:{reduce} + bcast"),
        _ => run.name.to_owned(),
    });
    Ok(json!({"chosen": decision.chosen(case), "runs": run}))
}

fn case(inputs: &VectorInputs, flavour: MpiFlavour, collective: Collective) -> Result<DecisionCase> {
    let procs: Procs = inputs.get("n")?;
    let element: Bytes = inputs.find("type_bytes")?.unwrap_or(Bytes(1));
    let count = match collective {
        Collective::Barrier => 0,
        _ => inputs.get("count")?,
    };
    let blocks = match (flavour, collective) {
        (MpiFlavour::OpenMpi, Collective::ReduceScatterBlock) => u64::from(procs.get()),
        _ => 1,
    };
    let commutes = inputs.find("commutative")?.unwrap_or(true);
    let operator = match (commutes, inputs.find("builtin")?.unwrap_or(commutes)) {
        (false, _) => OperatorKind::InOrder,
        (true, false) => OperatorKind::Commutative,
        (true, true) => OperatorKind::Predefined,
    };
    Ok(DecisionCase {
        element,
        operator,
        ..DecisionCase::new(procs, Bytes(count * blocks * element.0))
    })
}
