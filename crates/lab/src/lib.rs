//! netsig-lab: an emulated cluster on one machine, from Linux namespaces.
//!
//! Real MPI runs over the kernel's TCP between network namespaces, connected by rate-limited
//! switches with finite buffers: contention, drops and stalls are real, not modelled. Needs no root
//! where user namespaces work.
//!
//! The outer process ([`command`], [`Running`]) starts the same executable again in new namespaces,
//! where the hidden command `lab-inside` builds the network and runs the user's command. There
//! `mpirun` starts its daemons on the hosts through a second hidden command, `lab-agent`, instead
//! of ssh. So every program that uses the lab must call [`entry`] at the start of `main`.

mod agent;
mod capability;
mod catalogue;
mod delay;
mod drops;
mod error;
mod fidelity;
mod inside;
mod interrupt;
mod lane;
mod launch;
mod netns;
mod network;
mod outside;
mod probe;
mod reap;
mod softnet;
mod stage;
mod tap;
mod tool;
mod wire;

use std::ffi::OsString;
use std::process::ExitCode;

use netsig_base::text::shown::message;

pub use capability::{Capabilities, Capability, check, delay_warning, verify};
pub use catalogue::{Disk, SHIPPED, load};
pub use drops::{PortDrops, port_drops};
pub use error::LabError;
pub use fidelity::fidelity_warning;
pub use interrupt::{BY_SIGNAL, Watch};
pub use launch::shim_in_use;
pub use network::clusters;
pub use outside::{Outcome, Running, command, exec};

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
        eprintln!("netsig lab: {}", message(error.to_string()));
        ExitCode::FAILURE
    }))
}
