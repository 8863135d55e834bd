//! Loads the network named by `--network`.

use std::path::Path;

use netsig_base::network::Network;
use netsig_base::network::named::SlurmSpeeds;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{BitsPerSecond, Bytes, Procs};

use crate::input::failure::Failure;
use crate::input::file_kind::{FileKind, head_of_file};
use crate::input::files::{self, UserFiles};

/// The description of the network, and the speeds that Slurm does not state.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct NetworkArgs {
    /// The network: a scenario of `netsig lab list`, a .toml file, or Slurm's: topology.conf,
    /// topology.yaml, or the output of `scontrol show topology`.
    #[arg(long, value_name = "SCENARIO|FILE")]
    pub network: Option<String>,
    /// The rate of the hosts' links, for a network of Slurm.
    #[arg(long, requires = "network")]
    pub rate: Option<BitsPerSecond>,
    /// The rate of the links between switches, for a network of Slurm [default: that of the
    /// hosts' links].
    #[arg(long, value_name = "RATE", requires = "network")]
    pub uplink_rate: Option<BitsPerSecond>,
    /// The buffer of a port, for a network of Slurm [default: 128 KiB].
    #[arg(long, value_name = "BYTES", requires = "network")]
    pub port_buffer: Option<Bytes>,
}

impl NetworkArgs {
    /// The name as a path, since it may name a file.
    pub fn path(&self) -> Option<&Path> {
        self.network.as_deref().map(Path::new)
    }

    /// Loads the network, if one is named: a .toml file, one of Slurm's, or a shipped scenario.
    ///
    /// # Errors
    /// If there is no network of that name, or its file cannot be used.
    pub fn load(&self) -> Result<Option<Network>, Failure> {
        self.load_by(SlurmSpeeds::load)
    }

    fn load_by(
        &self,
        load: fn(&SlurmSpeeds, &str, &UserFiles) -> Result<Network, Refusal>,
    ) -> Result<Option<Network>, Failure> {
        let Some(named) = &self.network else {
            return Ok(None);
        };
        let speeds = SlurmSpeeds {
            rate: self.rate,
            uplink_rate: self.uplink_rate,
            port_buffer: self.port_buffer,
        };
        let loaded = load(&speeds, named, &UserFiles);
        let network = loaded.map_err(|refusal| misnamed(named).unwrap_or(refusal))?;
        Ok(Some(network))
    }

    /// As [`Self::load`], and checks that there are hosts for `procs` processes.
    ///
    /// # Errors
    /// The errors of [`Self::load`], and if the network has fewer hosts.
    pub fn with_hosts_for(&self, procs: Option<Procs>) -> Result<Option<Network>, Failure> {
        let network = self.load()?;
        if let (Some(network), Some(procs)) = (&network, procs) {
            network.refuse_more_than_hosts(procs).map_err(Failure::usage)?;
        }
        Ok(network)
    }

    /// As [`Self::load`], but a network of Slurm needs no --rate.
    ///
    /// # Errors
    /// The errors of [`Self::load`].
    pub fn load_switches(&self) -> Result<Option<Network>, Failure> {
        self.load_by(SlurmSpeeds::load_switches)
    }
}

/// The refusal of a file of another kind that is named as a network, if the file can be read again.
fn misnamed(named: &str) -> Option<Refusal> {
    let path = Path::new(named);
    let text = files::is_lasting(path).then(|| head_of_file(path).ok())??;
    FileKind::Network.misnamed(named, &text)
}
