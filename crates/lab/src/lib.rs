//! netsig-lab: an emulated cluster on one machine, from Linux namespaces.
//!
//! Real MPI runs over real kernel TCP between network namespaces that a rate-limited
//! switch with finite buffers joins: contention, drops and stalls come from a network
//! and not from a model. Needs no root where user namespaces work.
//!
//! The outside ([`command`], [`Running`]) starts this very executable again within fresh
//! namespaces, where the hidden command `lab-inside` builds the network and runs the
//! user's command. `mpirun` there starts its daemons on the hosts through a second
//! hidden command, `lab-agent`, in place of ssh. So every program that uses the lab
//! must call [`entry`] first thing in `main`.

mod agent;
mod capability;
mod catalogue;
mod error;
mod fidelity;
mod inside;
mod interrupt;
mod launch;
mod netns;
mod network;
mod outside;
mod probe;
mod reap;
mod softnet;
mod stage;
mod tool;

use std::ffi::OsString;
use std::process::ExitCode;

pub use capability::{Capabilities, Capability, check, verify};
pub use catalogue::{SHIPPED, load};
pub use error::LabError;
pub use fidelity::fidelity_warning;
pub use interrupt::Watch;
pub use outside::{BY_SIGNAL, Outcome, Running, command, exec};

/// The hidden first argument of the process that builds the network.
const INSIDE: &str = "lab-inside";

/// The hidden first argument of the process that stands in for ssh.
const AGENT: &str = "lab-agent";

/// Runs a hidden command of the lab if `args` (the program's name first) is one, and
/// returns the program's exit code then. Call it first thing in `main`, before any
/// thread is started.
pub fn entry(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter().skip(1);
    let result = match args.next()?.to_str()? {
        INSIDE => inside::run(args),
        AGENT => agent::run(args),
        _ => return None,
    };
    Some(result.unwrap_or_else(|error| {
        eprintln!("netsig lab: {error}");
        ExitCode::FAILURE
    }))
}
