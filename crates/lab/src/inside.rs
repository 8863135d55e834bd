//! `lab-inside NAME COMMAND…`: the first process of the new namespaces. Builds the network given in
//! the environment, runs the command and exits with its code; the kernel then removes the
//! namespaces.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use netsig_base::network::Network;
use netsig_base::text::refusal::Refusal;

use crate::delay::{DelayEmulation, UNDELAYED};
use crate::error::{LabError, system_or};
use crate::{INSIDE, filesystem, first_process, launch, network};

/// The variable that passes the scenario's text to this process.
pub(crate) const SCENARIO: &str = "NETSIG_LAB_SCENARIO";

/// Runs the hidden command with the arguments after its name.
pub(crate) fn run(mut args: impl Iterator<Item = OsString>) -> Result<ExitCode, LabError> {
    let misused = || LabError::Misused { command: INSIDE };
    let name = args.next().ok_or_else(misused)?;
    let program = args.next().ok_or_else(misused)?;
    let text = std::env::var(SCENARIO).map_err(|_| misused())?;
    // Only the first process of a PID namespace may build the network: any other process would
    // change the network of the machine itself.
    if std::process::id() != 1 {
        return Err(misused());
    }
    let network = Network::parse(&name.to_string_lossy(), &text).map_err(Refusal::from)?;
    filesystem::prepare(&network)?;
    let delays = match std::env::var_os(UNDELAYED) {
        None => DelayEmulation::Emulated,
        Some(_) => DelayEmulation::Zero,
    };
    network::build(&network, delays)?;
    let mut command = Command::new(&program);
    command
        .args(args)
        .env_remove(SCENARIO)
        .envs(launch::environment(&network));
    let remedy = "give the path of a program on this machine";
    first_process::run(&mut command).map_err(system_or("run", program, remedy))
}
