//! Parameters of the network for simulators: a platform of `SimGrid`, options of `LogGOPSim`.

use std::path::Path;

use netsig_base::units::list::QuantityList;
use netsig_base::units::parameter::ParameterError;
use netsig_model::profile::Profile;
use netsig_model::tune::simgrid::{self, PlatformTopology};
use netsig_model::tune::{TargetSimulator, loggopsim};

use super::Args;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::output::OutputPath;
use crate::print::notes::print;

/// Writes the file for a simulator.
///
/// # Errors
/// If an option is for another target, or the profile or network cannot be used.
pub fn run(args: &Args, simulator: TargetSimulator) -> Result<(), Failure> {
    let kind = match simulator {
        TargetSimulator::SimGrid => FileKind::Platform,
        TargetSimulator::LogGopSim => FileKind::LogGopSim,
    };
    if args.size.is_some() || args.library.is_some() || args.commutative {
        return Err(Failure::usage(
            "--size, --library and --commutative are for MPI libraries; a simulator takes the network alone",
        ));
    }
    let optional_reads = [Some(args.profile.as_path()), args.network.path()];
    let reads: Vec<&Path> = optional_reads.into_iter().flatten().collect();
    let output = OutputPath::replacing("--output", &args.output, kind, &reads)?;
    let profile = files::profile(&args.profile)?;
    let (text, note) = match simulator {
        TargetSimulator::SimGrid => (platform(args, &profile)?, None),
        TargetSimulator::LogGopSim => {
            let refused = |error: ParameterError| Failure::data(error.to_string()).about(&args.profile);
            let text = loggopsim::parameters(&profile, &profile_name(args)).map_err(refused)?;
            (text, Some(loggopsim::accuracy_note(&profile).map_err(refused)?))
        }
    };
    output.replace(text.as_bytes())?;
    print(&note);
    Ok(())
}

fn profile_name(args: &Args) -> String {
    files::name(&args.profile)
}

/// The platform of the described network, else of the given number of hosts on one switch.
fn platform(args: &Args, profile: &Profile) -> Result<String, Failure> {
    let network = args.network.load()?;
    args.refuse_other_rate(profile, network.as_ref())?;
    let hosts = args.procs.as_ref().map(QuantityList::largest);
    let topology = PlatformTopology::of(network.as_ref(), hosts)?;
    let text = simgrid::platform(profile, &profile_name(args), topology);
    text.map_err(|error| Failure::data(error.to_string()).about(&args.profile))
}
