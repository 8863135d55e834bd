//! Loads the network named by `--network`.

use std::path::Path;

use netsig_core::network::{Network, Port, slurm};
use netsig_core::units::{BitsPerSecond, Bytes, Procs};

use crate::input::args::first_given;
use crate::input::failure::Failure;
use crate::input::files;

/// Default buffer size of a port.
pub const PORT_BUFFER: Bytes = Bytes(128 * 1024);

/// The description of the network, and the speeds that a topology.conf does not state.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct NetworkArgs {
    /// The network: a scenario of `netsig lab list`, a .toml file, or Slurm's topology.conf.
    #[arg(long, value_name = "SCENARIO|FILE")]
    pub network: Option<String>,
    /// The rate of the hosts' links, for a topology.conf.
    #[arg(long, requires = "network")]
    pub rate: Option<BitsPerSecond>,
    /// The rate of the links between switches, for a topology.conf [default: that of the
    /// hosts' links].
    #[arg(long, value_name = "RATE", requires = "network")]
    pub uplink_rate: Option<BitsPerSecond>,
    /// The buffer of a port, for a topology.conf [default: 128 KiB].
    #[arg(long, value_name = "BYTES", requires = "network")]
    pub port_buffer: Option<Bytes>,
}

impl NetworkArgs {
    /// The name as a path, since it may name a file.
    pub fn path(&self) -> Option<&Path> {
        self.network.as_deref().map(Path::new)
    }

    /// Loads the network, if one is named: a .toml file, a topology.conf, or a shipped scenario.
    ///
    /// # Errors
    /// If there is no network of that name, or its file cannot be used.
    pub fn load(&self) -> Result<Option<Network>, Failure> {
        let Some(named) = &self.network else {
            return Ok(None);
        };
        if let Some(path) = slurm_file(named) {
            return self.slurm(path).map(Some);
        }
        let only_slurm = [
            ("--rate", self.rate.is_some()),
            ("--uplink-rate", self.uplink_rate.is_some()),
            ("--port-buffer", self.port_buffer.is_some()),
        ];
        if let Some(option) = first_given(&only_slurm) {
            return Err(Failure::usage(format!(
                "{option} is for a topology.conf, and {named} states its own rates; leave out {option}"
            )));
        }
        Ok(Some(netsig_lab::load(named)?))
    }

    /// As [`Self::load`], and checks that there are hosts for `procs` processes.
    ///
    /// # Errors
    /// As [`Self::load`], or if the network has fewer hosts.
    pub fn with_hosts_for(&self, procs: Option<Procs>) -> Result<Option<Network>, Failure> {
        let network = self.load()?;
        if let (Some(network), Some(procs)) = (&network, procs) {
            network
                .refuse_more_than_hosts(procs)
                .map_err(Failure::usage)?;
        }
        Ok(network)
    }

    /// As [`Self::load`], for a use that asks for no rate: a topology.conf may come without --rate.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_switches(&self) -> Result<Option<Network>, Failure> {
        let rate = self.rate.unwrap_or(BitsPerSecond(1));
        match self.network.as_deref().and_then(slurm_file) {
            Some(_) => Self {
                rate: Some(rate),
                ..self.clone()
            }
            .load(),
            None => self.load(),
        }
    }

    fn slurm(&self, path: &Path) -> Result<Network, Failure> {
        let name = path.display().to_string();
        let text = files::text(path)?;
        let Some(rate) = self.rate else {
            // Report an error of the file first.
            let any = Port::new(BitsPerSecond(1), PORT_BUFFER);
            slurm::parse(&name, &text, any, any)?;
            return Err(Failure::usage(format!(
                "{name}: a topology.conf does not state the rate of links; give --rate 1Gbit/s"
            )));
        };
        let buffer = self.port_buffer.unwrap_or(PORT_BUFFER);
        let uplinks = Port::new(self.uplink_rate.unwrap_or(rate), buffer);
        let mut network = slurm::parse(&name, &text, Port::new(rate, buffer), uplinks)?;
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        network.name = stem.to_string_lossy().into_owned();
        Ok(network)
    }
}

/// The name as the path of a topology.conf, if it is no scenario and no .toml file.
fn slurm_file(named: &str) -> Option<&Path> {
    let path = Path::new(named);
    let is_toml = path.extension().is_some_and(|end| end == "toml");
    (!is_toml && (named.contains(['/', '.']) || path.is_file())).then_some(path)
}
