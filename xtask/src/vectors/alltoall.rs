//! All-to-all: its bounds, the contention factors and the contention signature.

use anyhow::{Context, Result, ensure};
use netsig_core::model::Threshold;
use netsig_core::model::alltoall as bounds;
use netsig_core::model::contention_factor::{DeltaForm, Factor001, Factor003};
use netsig_core::model::hockney::Hockney;
use netsig_core::model::signature::{Form, Signature};
use serde_json::{Value, json};

use super::inputs::Inputs;
use super::plogp::network;

/// α and β.
pub fn base(inputs: &Inputs) -> Result<Hockney> {
    Ok(Hockney::new(inputs.get("alpha")?, inputs.get("beta")?)?)
}

/// `alltoall.contention_free`.
pub fn contention_free(inputs: &Inputs) -> Result<Value> {
    let time = bounds::free(&network(inputs)?, inputs.get("P")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `alltoall.contention_001`.
pub fn contention_001(inputs: &Inputs) -> Result<Value> {
    let time = bounds::contention_001(&network(inputs)?, inputs.get("P")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `alltoall.upper_003`.
pub fn upper_003(inputs: &Inputs) -> Result<Value> {
    let time = bounds::upper_003(&network(inputs)?, inputs.get("P")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `alltoall.factor_001`.
pub fn factor_001(inputs: &Inputs) -> Result<Value> {
    let forms = [
        ("times_P", DeltaForm::TimesP),
        ("times_P_minus_1", DeltaForm::TimesPMinus1),
    ];
    let model = Factor001 {
        gamma: inputs.get("gamma")?,
        delta_per_process: inputs.get("delta_per_P")?,
        delta_form: inputs.one_of("delta_form", &forms)?.unwrap_or_default(),
        threshold: inputs.find("M")?.map(Threshold::Above),
    }
    .checked()?;
    let time = model.time(&network(inputs)?, inputs.get("P")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `alltoall.factor_003`.
pub fn factor_003(inputs: &Inputs) -> Result<Value> {
    let model = Factor003 {
        gamma: inputs.get("gamma")?,
    }
    .checked()?;
    let time = model.time(&network(inputs)?, inputs.get("P")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `alltoall.prop1`.
pub fn proposition_1(inputs: &Inputs) -> Result<Value> {
    let time = base(inputs)?.alltoall(inputs.get("n")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `alltoall.signature`.
pub fn signature(inputs: &Inputs) -> Result<Value> {
    let form = inputs.named("variant")?.unwrap_or_default();
    let time = with_form(inputs, form)?.time(inputs.get("n")?, inputs.get("m")?);
    Ok(json!(time))
}

/// `alltoall.signature.reparam`: the same model in the form `bandwidth`.
pub fn reparametrised(inputs: &Inputs) -> Result<Value> {
    let to: Form = inputs.named("to")?.unwrap_or(Form::Bandwidth);
    let above = inputs.find("m_ge_M")?.unwrap_or(true);
    ensure!(above, "the forms are the same model for m >= M alone");
    let other = with_form(inputs, Form::Full)?.reparametrised(to);
    let other = other.with_context(|| format!("there is no such delta of the form {to}"))?;
    Ok(json!({format!("delta_{to}"): other.delta}))
}

fn with_form(inputs: &Inputs, form: Form) -> Result<Signature> {
    let signature = Signature {
        base: base(inputs)?,
        form,
        gamma: inputs.get("gamma")?,
        gamma_below: None,
        delta: inputs.get("delta")?,
        threshold: inputs.find("M")?.map(Threshold::From),
    };
    Ok(signature.checked()?)
}
