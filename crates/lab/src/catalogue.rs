//! The scenarios shipped with netsig; finds a scenario by name or path.

use std::path::Path;

use itertools::Itertools;
use netsig_core::network::Network;

use crate::error::LabError;

/// Lists scenarios of the workspace's `scenarios/` with their text.
macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../scenarios/", $name, ".toml")))),*]
    };
}

/// Name and TOML text of each shipped scenario, smallest first.
pub const SHIPPED: &[(&str, &str)] = scenarios![
    "ethernet-4x50",
    "ethernet-8x50",
    "ethernet-12x30",
    "ethernet-12x40",
    "deep-12x40",
    "ethernet-16x25",
    "ethernet-24x25",
    "cubic-16x40",
    "tree-2x4x40",
    "tree-2x6x40",
    "tree-2x8x25",
    "unequal-2-6-4x40",
    "wan-6-6-30x5",
    "wan-4-8-20x10",
    "wan-5-7-40x2",
    "wan-4-4-4-30x10",
];

/// Loads a scenario: from a file if `name_or_path` contains `/` or ends in `.toml`, otherwise a
/// shipped one.
///
/// # Errors
/// If there is no such file or scenario, or the file is not a network.
pub fn load(name_or_path: &str) -> Result<Network, LabError> {
    let path = Path::new(name_or_path);
    if name_or_path.contains('/') || path.extension().is_some_and(|end| end == "toml") {
        return read(path);
    }
    let (name, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == name_or_path)
        .ok_or_else(|| LabError::UnknownScenario {
            name: name_or_path.to_owned(),
            known: SHIPPED.iter().map(|(name, _)| name).join(", "),
        })?;
    Ok(Network::parse(name, text)?)
}

/// Reads a scenario file; its name becomes the file's name without `.toml`.
fn read(path: &Path) -> Result<Network, LabError> {
    let text = std::fs::read_to_string(path).map_err(|source| LabError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let mut network = Network::parse(&path.display().to_string(), &text)?;
    if let Some(stem) = path.file_stem() {
        network.name = stem.to_string_lossy().into_owned();
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_scenario_is_one_and_says_what_it_is_good_for() {
        for (name, text) in SHIPPED {
            let network = load(name).unwrap();
            assert_eq!(network.name, *name);
            assert_eq!(crate::fidelity_warning(&network), None);
            assert!(
                text.starts_with("# ") && !network.description.is_empty(),
                "{name}"
            );
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
                SHIPPED.iter().any(|(shipped, _)| *shipped == name),
                "{name}: add it to SHIPPED"
            );
            let read = load(path.to_str().unwrap()).unwrap();
            assert_eq!(read.to_toml(), load(name).unwrap().to_toml());
        }
    }
}
