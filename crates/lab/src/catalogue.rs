//! Finds a scenario by name or path.

use std::io;
use std::path::Path;

use netsig_base::network::Network;
pub use netsig_base::network::named::SHIPPED_SCENARIOS;
use netsig_base::network::named::{FileAccess, load_scenario};
use netsig_base::text::decoded;

use crate::error::LabError;

/// The files of this machine, for the pure crates.
#[derive(Debug, Clone, Copy)]
pub struct MachineFiles;

impl FileAccess for MachineFiles {
    fn has(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn text(&self, path: &Path) -> io::Result<String> {
        decoded::text(std::fs::read(path)?).map_err(io::Error::other)
    }
}

/// Loads a scenario: from a file if `name_or_path` contains `/` or ends in `.toml`, otherwise a
/// shipped one.
///
/// # Errors
/// If there is no such file or scenario, or the file is not a network.
pub fn load(name_or_path: &str) -> Result<Network, LabError> {
    Ok(load_scenario(name_or_path, &MachineFiles)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_scenario_is_one_and_says_what_it_is_good_for() {
        for (name, text) in SHIPPED_SCENARIOS {
            let network = load(name).unwrap();
            assert_eq!(network.name, *name);
            assert_eq!(crate::fidelity_warning(&network), None);
            assert!(text.starts_with("# ") && !network.description.is_empty(), "{name}");
            assert!(network.truth.is_some(), "{name}: needed to simulate");
        }
    }

    #[test]
    fn every_scenario_file_is_shipped() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(
                SHIPPED_SCENARIOS.iter().any(|(shipped, _)| *shipped == name),
                "{name}: add it to SHIPPED"
            );
            let read = load(path.to_str().unwrap()).unwrap();
            assert_eq!(read.to_toml(), load(name).unwrap().to_toml());
        }
    }
}
