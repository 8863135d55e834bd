//! The table of models that a vector may name.

use anyhow::{Context, Result};
use serde_json::Value;

use super::inputs::Inputs;
use super::{
    alltoall, broadcast, contention, exchange, fit, grid, measure, plogp, plogpt, scatter,
    throughput,
};

/// From the inputs of a vector to what its `expected` is held against.
pub type Model = fn(&Inputs) -> Result<Value>;

/// Every model by name.
const MODELS: [(&str, Model); 42] = [
    ("alltoall.contention_001", alltoall::contention_001),
    ("alltoall.contention_free", alltoall::contention_free),
    ("alltoall.factor_001", alltoall::factor_001),
    ("alltoall.factor_003", alltoall::factor_003),
    ("alltoall.prop1", alltoall::proposition_1),
    ("alltoall.signature", alltoall::signature),
    ("alltoall.signature.reparam", alltoall::reparametrised),
    ("alltoall.upper_003", alltoall::upper_003),
    ("broadcast", broadcast::time),
    ("broadcast.binomial_exact", broadcast::binomial_exact),
    ("choose.broadcast", broadcast::choose),
    ("choose.scatter", scatter::choose),
    ("contention.adve", contention::adve),
    ("contention.agarwal", contention::agarwal),
    ("contention.clement", contention::clement),
    ("contention.labarta_alltoall", contention::labarta_alltoall),
    ("contention.labarta_waves", contention::labarta_waves),
    ("contention.slowdown", contention::slowdown),
    ("fit.choose_M", fit::choose_threshold),
    ("fit.saturation", fit::saturation),
    ("fit.signature", fit::signature),
    ("grid.delivery", grid::delivery),
    ("grid.eq6", grid::eq6),
    ("grid.exact_F1", grid::exact_f1),
    ("measure.L", measure::latency),
    ("measure.discontinuity", measure::discontinuity),
    ("measure.g_from_rtt", measure::gap),
    ("measure.hockney_fit", measure::hockney_fit),
    ("med.bounds", exchange::bounds),
    ("med.direct_exchange_sync", exchange::direct_exchange_sync),
    ("plogp.alltoall_steps", plogp::alltoall_steps),
    ("plogp.g", plogp::gap),
    ("plogpt.alltoall", plogpt::alltoall),
    ("plogpt.throughput", plogpt::throughput),
    ("scatter", scatter::time),
    ("scatter.binomial_exact", scatter::binomial_exact),
    ("segment.global", broadcast::global_segment),
    ("segment.hill", broadcast::climbed_segment),
    ("segment.pow2", broadcast::halved_segment),
    ("throughput.alltoall", throughput::alltoall),
    ("throughput.beta_mix", throughput::beta_mix),
    ("throughput.rho_of_gamma", throughput::rho_of_gamma),
];

/// The model called `name`.
///
/// # Errors
/// If there is none.
pub fn named(name: &str) -> Result<Model> {
    let found = MODELS.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, model)| *model)
        .context("there is no model of this name")
}
