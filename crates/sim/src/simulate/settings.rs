//! The parameters of network models that users may set.

use netsig_base::text::refusal::Refusal;

use super::model::SimModelKind;

/// Latency.
pub const LATENCY: &str = "L";
/// Overhead.
pub const OVERHEAD: &str = "o";
/// Gap, or the constant part of g(m).
pub const GAP: &str = "g";
/// Gap per byte, or the slope of g(m).
pub const GAP_PER_BYTE: &str = "G";
/// Eager limit: the smallest size of a rendezvous message.
pub const EAGER_LIMIT: &str = "S";
/// Retransmission time-out.
pub const RTO: &str = "RTO";

/// Time of a reduction for each byte that is combined.
pub const OPERATION_TIME: &str = "omega";

/// The parameters of each model.
fn parameters(model: SimModelKind) -> &'static [&'static str] {
    match model {
        SimModelKind::Loggp => &[LATENCY, OVERHEAD, GAP, GAP_PER_BYTE, EAGER_LIMIT, OPERATION_TIME],
        SimModelKind::Plogp => &[LATENCY, GAP, GAP_PER_BYTE, EAGER_LIMIT, OPERATION_TIME],
        SimModelKind::Fluid => &[LATENCY, EAGER_LIMIT, OPERATION_TIME],
        SimModelKind::Plogpt | SimModelKind::Tcp => &[LATENCY, RTO, EAGER_LIMIT, OPERATION_TIME],
    }
}

/// Checks that all settings are parameters of `model`, given once, with values of at least 0.
///
/// # Errors
/// If the model lacks a parameter, or one is given twice or is negative.
pub fn check(model: SimModelKind, given: &[(String, f64)]) -> Result<(), Refusal> {
    let known = parameters(model);
    for (index, (name, value)) in given.iter().enumerate() {
        if given[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(Refusal::request(format!("{name} is set twice; set it once")));
        }
        if !known.contains(&name.as_str()) {
            return Err(Refusal::request(format!(
                "{model} has no parameter {name:?}; set one of: {}",
                known.join(", ")
            )));
        }
        if !(value.is_finite() && *value >= 0.0) {
            return Err(Refusal::request(format!(
                "{name} = {value} is not allowed; give a value from 0 on, such as {LATENCY}=50us"
            )));
        }
    }
    Ok(())
}
