//! `netsig tune`: writes the files that make MPI libraries take the fastest of their algorithms, and the
//! parameters of the network for simulators.

mod library;
mod simulator;

use std::path::PathBuf;

use netsig_base::algorithm::ServedOperations;
use netsig_base::network::Network;
use netsig_base::units::list::QuantityList;
use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::rate::refuse_other_rate;
use netsig_model::profile::Profile;
use netsig_model::tune::{NamedTarget, TargetRelease, target_names};

use crate::input::cases::too_far;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::job::installed;

/// Write rules by which an MPI library takes its fastest algorithms, or a network for a simulator.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The profile that `netsig fit` wrote; - is standard input.
    profile: PathBuf,
    /// The library and its version, or a simulator.
    #[arg(long = "for", value_name = "TARGET", help = target_help())]
    target: String,
    /// The file to write; - is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Process counts of the rules [default: all that predict answers]; for a platform without --network, the number of
    /// hosts.
    #[arg(long, value_name = "LIST")]
    procs: Option<QuantityList<Procs>>,
    /// Sizes at which algorithms are compared [default: all that predict answers].
    #[arg(long, alias = "sizes", value_name = "LIST")]
    size: Option<QuantityList<Bytes>>,
    /// MPICH's library, whose own rules the file completes [default: that of the installed MPICH].
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// All operations of the programs commute, as those of MPI do: take also reductions that are wrong for others.
    #[arg(long)]
    commutative: bool,
    #[command(flatten)]
    network: NetworkArgs,
    /// Take also a profile whose messages pass at another rate than the links of --network.
    #[arg(long, requires = "network")]
    extrapolate: bool,
}

impl Args {
    /// Operations for which reductions must be right.
    fn operations(&self) -> ServedOperations {
        if self.commutative {
            ServedOperations::Commutative
        } else {
            ServedOperations::Every
        }
    }

    /// Refuses a profile whose links have another rate than the network's links.
    ///
    /// # Errors
    /// Without --extrapolate.
    fn refuse_other_rate(&self, profile: &Profile, network: Option<&Network>) -> Result<(), Failure> {
        let name = files::name(&self.profile);
        Ok(refuse_other_rate(profile, &name, network, too_far(self.extrapolate))?)
    }
}

const EXAMPLES: &str = "\
Examples:
  netsig tune bcast.toml --for openmpi -o rules.conf
  netsig tune allreduce.toml --for openmpi-4.1 --commutative -o rules.conf
  netsig tune bcast.toml --for mpich-4 --procs 8..64 -o selection.json
  netsig tune data.toml --for simgrid --network ethernet-12x40 -o platform.xml";

/// The help of `--for`.
fn target_help() -> String {
    format!(
        "The library and its version, or a simulator: {}; openmpi and mpich alone are the installed ones",
        target_names().join(", ")
    )
}

/// Runs the command.
///
/// # Errors
/// If the target does not exist, and the errors of the target's own `run`.
pub fn run(args: &Args) -> Result<(), Failure> {
    match NamedTarget::parse(&args.target).map_err(Failure::usage)? {
        NamedTarget::Release(release) => library::run(args, &release),
        NamedTarget::Installed(mpi) => {
            let release = TargetRelease::installed(mpi, installed::version(mpi)?);
            library::run(args, &release.map_err(Failure::usage)?)
        }
        NamedTarget::Simulator(simulator) => simulator::run(args, simulator),
    }
}
