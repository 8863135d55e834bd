//! Parameters of network models that `--set` gives.

use super::options::ModelChoice;
use crate::input::failure::Failure;

/// L.
pub const LATENCY: &str = "L";
/// o.
pub const OVERHEAD: &str = "o";
/// g, or what g(m) begins with.
pub const GAP: &str = "g";
/// G, or what a byte adds to g(m).
pub const GAP_PER_BYTE: &str = "G";
/// S: the first size that a sender asks for before it sends.
pub const EAGER_LIMIT: &str = "S";
/// The retransmission timeout.
pub const RTO: &str = "RTO";

/// The parameters of each model.
fn parameters(model: ModelChoice) -> &'static [&'static str] {
    match model {
        ModelChoice::Loggp => &[LATENCY, OVERHEAD, GAP, GAP_PER_BYTE, EAGER_LIMIT],
        ModelChoice::Plogp => &[LATENCY, GAP, GAP_PER_BYTE, EAGER_LIMIT],
        ModelChoice::Fluid => &[LATENCY, EAGER_LIMIT],
        ModelChoice::Plogpt | ModelChoice::Tcp => &[LATENCY, RTO, EAGER_LIMIT],
    }
}

/// Refuses settings that are not parameters of `model`, each given once with a value from 0 on.
///
/// # Errors
/// If the model has no such parameter, or one is given twice or is below 0.
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
                "{name} = {value} is not allowed; give a value from 0 on, such as {LATENCY}=50us"
            )));
        }
    }
    Ok(())
}
