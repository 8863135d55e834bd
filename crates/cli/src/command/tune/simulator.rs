//! Parameters of the network for simulators: a platform of `SimGrid`, options of `LogGOPSim`.

use std::path::Path;

use netsig_base::units::list::List;
use netsig_base::units::parameter::ParameterError;
use netsig_model::profile::Profile;
use netsig_model::tune::simgrid::{self, Topology};
use netsig_model::tune::{Simulator, loggopsim};

use super::Args;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::kind::Kind;
use crate::input::output::Output;
use crate::print::notes::print;

/// Writes the file for a simulator.
///
/// # Errors
/// If an option is for another target, or the profile or network cannot be used.
pub fn run(args: &Args, simulator: Simulator) -> Result<(), Failure> {
    let kind = match simulator {
        Simulator::SimGrid => Kind::Platform,
        Simulator::LogGopSim => Kind::LogGopSim,
    };
    if args.size.is_some() || args.library.is_some() {
        return Err(Failure::usage(
            "--size and --library are for MPI libraries; a simulator takes the network alone",
        ));
    }
    let reads = [Some(args.profile.as_path()), args.network.path()];
    let reads: Vec<&Path> = reads.into_iter().flatten().collect();
    let output = Output::replacing("--output", &args.output, kind, &reads)?;
    let profile = files::profile(&args.profile)?;
    let (text, note) = match simulator {
        Simulator::SimGrid => (platform(args, &profile)?, None),
        Simulator::LogGopSim => {
            let refused = |error: ParameterError| Failure::data(error.to_string()).about(&args.profile);
            let text = loggopsim::parameters(&profile, &name(args)).map_err(refused)?;
            (text, Some(loggopsim::note(&profile).map_err(refused)?))
        }
    };
    output.replace(text.as_bytes())?;
    print(&note);
    Ok(())
}

fn name(args: &Args) -> String {
    files::name(&args.profile)
}

/// The platform of the described network, else of so many hosts on one switch.
fn platform(args: &Args, profile: &Profile) -> Result<String, Failure> {
    let network = args.network.load()?;
    args.refuse_other_rate(profile, network.as_ref())?;
    let hosts = args.procs.as_ref().map(List::largest);
    let topology = match (&network, hosts) {
        (Some(network), _) => Topology::Described(network),
        (None, Some(hosts)) => Topology::Star(hosts),
        (None, None) => {
            return Err(Failure::usage(
                "a platform has hosts: give their number with --procs, or the network with --network",
            ));
        }
    };
    let text = simgrid::platform(profile, &name(args), topology);
    text.map_err(|error| Failure::data(error.to_string()).about(&args.profile))
}
