//! The links of a network that a scenario describes.

use netsig_core::network::tree::Tree;
use netsig_core::units::Procs;

use crate::input::failure::Failure;

/// The links of the scenario `name`, if one is named, which must have hosts for `most` processes.
///
/// # Errors
/// If there is no such scenario, or it has fewer hosts.
pub fn tree(name: Option<&str>, most: Option<Procs>) -> Result<Option<Tree>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let scenario = netsig_lab::load(name)?;
    if let Some(procs) = most.filter(|procs| *procs > scenario.hosts) {
        return Err(Failure::usage(format!(
            "scenario {name} has {} hosts for {procs} processes; choose a larger one or fewer processes",
            scenario.hosts
        )));
    }
    Ok(Some(scenario.tree()))
}
