//! netsig-lab: an emulated cluster on one machine, from Linux namespaces.
//!
//! Real MPI runs over the kernel's TCP between network namespaces, connected by rate-limited
//! switches with finite buffers: contention, drops and stalls are real, not modelled. Needs no root
//! where user namespaces work.
//!
//! The outer process ([`command`], [`RunningCommand`]) starts the same executable again in new namespaces,
//! where the hidden command `lab-inside` builds the network and runs the user's command. There
//! `mpirun` starts its daemons on the hosts through a second hidden command, `lab-agent`, instead
//! of ssh. So every program that uses the lab must call [`entry`] at the start of `main`.

mod agent;
mod capability;
mod catalogue;
mod delay;
mod delay_queue;
mod drops;
mod error;
mod fidelity;
mod filesystem;
mod first_process;
mod inside;
mod interrupt;
mod launch;
mod netns;
mod network;
mod probe;
mod running_command;
mod softnet;
mod tap;
mod tool;
mod wire;

use std::ffi::OsString;
use std::process::ExitCode;

use netsig_base::text::sanitised::printable_message;

pub use capability::{LabCapabilities, LabCapability, check, delay_warning, verify};
pub use catalogue::{MachineFiles, SHIPPED_SCENARIOS, load};
pub use drops::{PortDrops, port_drops};
pub use error::LabError;
pub use fidelity::fidelity_warning;
pub use interrupt::{SIGNAL_EXIT_CODE_BASE, SignalWatch};
pub use launch::shim_in_use;
pub use network::clusters;
pub use running_command::{CommandOutcome, RunningCommand, command, exec};

/// The hidden first argument that selects the process that builds the network.
const INSIDE: &str = "lab-inside";

/// The hidden first argument that selects the substitute for ssh.
const AGENT: &str = "lab-agent";

/// Runs the hidden command of the lab if `args` (the program's name first) has one, and returns its
/// exit code; otherwise returns `None`. Call it at the start of `main`, before any thread starts.
pub fn entry(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter().skip(1);
    let result = match args.next()?.to_str()? {
        INSIDE => inside::run(args),
        AGENT => agent::run(args),
        _ => return None,
    };
    Some(result.unwrap_or_else(|error| {
        eprintln!("netsig lab: {}", printable_message(error.to_string()));
        ExitCode::FAILURE
    }))
}
