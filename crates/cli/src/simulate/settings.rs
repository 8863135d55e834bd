//! Parameters of network models that `--set` gives.

use super::options::ModelChoice;
use crate::input::failure::Failure;

/// L.
pub const LATENCY: &str = "latency_s";
/// o.
pub const OVERHEAD: &str = "overhead_s";
/// g, or what g(m) begins with.
pub const GAP: &str = "gap_s";
/// G, or what a byte adds to g(m).
pub const GAP_PER_BYTE: &str = "gap_per_byte_s_per_byte";
/// The retransmission timeout.
pub const RTO: &str = "rto_s";

/// The parameters of each model.
fn parameters(model: ModelChoice) -> &'static [&'static str] {
    match model {
        ModelChoice::Loggp => &[LATENCY, OVERHEAD, GAP, GAP_PER_BYTE],
        ModelChoice::Plogp => &[LATENCY, GAP, GAP_PER_BYTE],
        ModelChoice::Fluid => &[LATENCY],
        ModelChoice::Plogpt | ModelChoice::Tcp => &[LATENCY, RTO],
    }
}

/// Refuses settings that are not parameters of `model`, each given once with a time.
///
/// # Errors
/// If the model has no such parameter, or one is given twice or is no time.
pub fn check(model: ModelChoice, given: &[(String, f64)]) -> Result<(), Failure> {
    let known = parameters(model);
    for (index, (name, value)) in given.iter().enumerate() {
        if given[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(Failure::usage(format!("{name} is set twice; set it once")));
        }
        if !known.contains(&name.as_str()) {
            return Err(Failure::usage(format!(
                "{model} has no parameter {name:?}; set one of: {}",
                known.join(", ")
            )));
        }
        if !(value.is_finite() && *value >= 0.0) {
            return Err(Failure::usage(format!(
                "{name} = {value} is no time; give one from 0 on, such as {name}=50us"
            )));
        }
    }
    Ok(())
}
