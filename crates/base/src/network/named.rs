//! Networks by name: the scenarios shipped with netsig, scenario files, and Slurm's descriptions.
//! Callers read the files.

use std::io;
use std::path::Path;

use itertools::Itertools as _;

use super::{LinkSpec, Network, slurm};
use crate::text::guess::guess;
use crate::text::refusal::Refusal;
use crate::units::{BitsPerSecond, Bytes};

/// Lists scenarios of the workspace's `scenarios/` with their text.
macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../scenarios/", $name, ".toml")))),*]
    };
}

/// Name and TOML text of each shipped scenario, smallest first.
pub const SHIPPED_SCENARIOS: &[(&str, &str)] = scenarios![
    "ethernet-4x50",
    "ethernet-8x50",
    "ethernet-12x20",
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

/// Default buffer size of a port.
pub const PORT_BUFFER: Bytes = Bytes(128 * 1024);

/// Access to files, which the pure crates do not have.
pub trait FileAccess {
    /// True for an existing file.
    fn has(&self, path: &Path) -> bool;

    /// The text of a file.
    ///
    /// # Errors
    /// If the file cannot be read as text.
    fn text(&self, path: &Path) -> io::Result<String>;

    /// The name of a file in messages.
    fn name(&self, path: &Path) -> String {
        path.display().to_string()
    }
}

/// Speeds that Slurm does not state.
#[derive(Debug, Clone, Copy, Default)]
pub struct SlurmSpeeds {
    /// Rate of the hosts' links.
    pub rate: Option<BitsPerSecond>,
    /// Rate of the links between switches; `None` for that of the hosts' links.
    pub uplink_rate: Option<BitsPerSecond>,
    /// Buffer of a port; `None` for [`PORT_BUFFER`].
    pub port_buffer: Option<Bytes>,
}

/// Loads a scenario: from a file if `named` contains `/` or ends in `.toml`, otherwise a shipped one.
///
/// # Errors
/// If there is no such file or scenario, or the file is not a network.
pub fn load_scenario(named: &str, files: &impl FileAccess) -> Result<Network, Refusal> {
    let path = Path::new(named);
    if named.contains('/') || is_toml(path) {
        let text = files.text(path).map_err(|error| {
            Refusal::request(format!(
                "{named}: cannot be read ({error}); give the path of a scenario file, or a shipped name"
            ))
        })?;
        let mut network = Network::parse(named, &text)?;
        if let Some(stem) = path.file_stem() {
            network.name = stem.to_string_lossy().into_owned();
        }
        return Ok(network);
    }
    if let Some((name, text)) = SHIPPED_SCENARIOS.iter().find(|(name, _)| *name == named) {
        return Ok(Network::parse(name, text)?);
    }
    let known = SHIPPED_SCENARIOS.iter().map(|(name, _)| name).join(", ");
    Err(Refusal::request(format!(
        "no scenario is called {named:?}; {}use one of {known}, or a path that ends in .toml",
        guess(named, &known)
    )))
}

/// True for the name of a shipped scenario.
pub fn is_shipped(named: &str) -> bool {
    SHIPPED_SCENARIOS.iter().any(|(name, _)| *name == named)
}

/// The name of a host of a scenario in the emulated cluster.
pub fn emulated_host(host: u32) -> String {
    format!("h{host}")
}

impl SlurmSpeeds {
    /// Loads a network: a scenario, or a description of Slurm with these speeds. If a name does not end in .toml, the
    /// text decides between them.
    ///
    /// # Errors
    /// If there is no network of that name, its file cannot be used, or speeds are missing or
    /// superfluous.
    pub fn load(&self, named: &str, files: &impl FileAccess) -> Result<Network, Refusal> {
        self.load_or(None, named, files)
    }

    /// [`Self::load`] for a use without rates: a description of Slurm may lack them.
    ///
    /// # Errors
    /// The errors of [`Self::load`], except for a missing rate.
    pub fn load_switches(&self, named: &str, files: &impl FileAccess) -> Result<Network, Refusal> {
        self.load_or(Some(ANY_RATE), named, files)
    }

    fn load_or(
        &self,
        default_rate: Option<BitsPerSecond>,
        named: &str,
        files: &impl FileAccess,
    ) -> Result<Network, Refusal> {
        let path = Path::new(named);
        if is_toml(path) || !named.contains(['/', '.']) && !files.has(path) {
            self.refuse_speeds(named)?;
            return load_scenario(named, files);
        }
        let name = files.name(path);
        let content = files.text(path);
        let text = content.map_err(|error| Refusal::unreadable(&name, error))?;
        let mut network = if states_topology(&text) {
            self.refuse_speeds(&name)?;
            Network::parse(&name, &text)?
        } else {
            self.slurm(default_rate, &name, &text)?
        };
        if let Some(stem) = Path::new(&name).file_stem() {
            network.name = stem.to_string_lossy().into_owned();
        }
        Ok(network)
    }

    /// Refuses speeds for a network that states its own.
    fn refuse_speeds(&self, name: &str) -> Result<(), Refusal> {
        let only_slurm = [
            ("--rate", self.rate.is_some()),
            ("--uplink-rate", self.uplink_rate.is_some()),
            ("--port-buffer", self.port_buffer.is_some()),
        ];
        match only_slurm.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Refusal::request(format!(
                "{option} is for Slurm's topology, and {name} states its own rates; leave out {option}"
            ))),
            None => Ok(()),
        }
    }

    fn slurm(&self, default_rate: Option<BitsPerSecond>, name: &str, text: &str) -> Result<Network, Refusal> {
        let Some(rate) = self.rate.or(default_rate) else {
            // Report an error of the file first.
            let any = LinkSpec::new(ANY_RATE, PORT_BUFFER);
            slurm::parse(name, text, any, any)?;
            return Err(Refusal::request(format!(
                "{name}: Slurm's topology does not state the rate of links; give --rate 1Gbit/s"
            )));
        };
        let buffer = self.port_buffer.unwrap_or(PORT_BUFFER);
        let uplinks = LinkSpec::new(self.uplink_rate.unwrap_or(rate), buffer);
        Ok(slurm::parse(name, text, LinkSpec::new(rate, buffer), uplinks)?)
    }
}

/// The rate of links where it makes no difference.
const ANY_RATE: BitsPerSecond = BitsPerSecond(1);

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "toml")
}

/// True for the text of a scenario: it has a key that no description of Slurm has.
fn states_topology(text: &str) -> bool {
    let values = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("topology"));
    values.into_iter().any(|value| value.trim_start().starts_with('='))
}
