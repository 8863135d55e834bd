//! `netsig lab`: what this machine can emulate, the scenarios, and running commands in
//! an emulated cluster.

use std::ffi::OsString;

use clap::Subcommand;
use netsig_lab::{Capabilities, Need};

use crate::failure::Failure;
use crate::print::notes::warn_if_unfaithful;
use crate::print::rows::{Cell, Format, Rows};

/// Emulate a cluster on this machine: real MPI over real TCP between namespaces.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Say what this machine can emulate; exit code 1 if nothing.
    Check {
        /// How to print it.
        #[arg(long, value_enum, default_value = "table")]
        format: Format,
    },
    /// List the scenarios that netsig ships.
    List {
        /// How to print it.
        #[arg(long, value_enum, default_value = "table")]
        format: Format,
    },
    /// Run a command in an emulated cluster; mpirun there needs no further options.
    Exec {
        /// A shipped scenario's name or the path of a scenario file.
        scenario: String,
        /// The command and its arguments.
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<OsString>,
    },
}

/// Runs the command.
///
/// # Errors
/// If nothing can be emulated, or the scenario not, or the run is void or fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.action {
        Action::Check { format } => check(*format),
        Action::List { format } => list(*format),
        Action::Exec { scenario, command } => exec(scenario, command),
    }
}

fn check(format: Format) -> Result<(), Failure> {
    let capabilities = netsig_lab::check();
    capability_rows(&capabilities).print(format)?;
    if capabilities.can_run() {
        return Ok(());
    }
    Err(Failure::Work(anyhow::anyhow!(
        "this machine cannot emulate a cluster; see what to do above"
    )))
}

fn capability_rows(capabilities: &Capabilities) -> Rows {
    let mut rows = Rows::new(&["capability", "needed", "state", "detail"]);
    for row in capabilities.rows() {
        let needed = match row.need {
            Need::Required => "yes",
            Need::Optional => "no",
        };
        let (state, detail) = match &row.found {
            Ok(found) => ("ok", found.clone()),
            Err(missing) => ("MISSING", format!("{}; {}", missing.why, missing.remedy)),
        };
        rows.push(vec![
            Cell::text(row.name),
            Cell::text(needed),
            Cell::text(state),
            Cell::text(detail),
        ]);
    }
    rows
}

fn list(format: Format) -> Result<(), Failure> {
    let mut rows = Rows::new(&["scenario", "hosts", "network", "description"]);
    for (name, _) in netsig_lab::shipped() {
        let scenario = netsig_lab::load(name)?;
        rows.push(vec![
            Cell::text(*name),
            Cell::count(scenario.hosts.get().into()),
            Cell::text(scenario.summary()),
            Cell::text(scenario.description),
        ]);
    }
    Ok(rows.print(format)?)
}

fn exec(name: &str, command: &[OsString]) -> Result<(), Failure> {
    let scenario = netsig_lab::load(name)?;
    warn_if_unfaithful(&scenario);
    let outcome = netsig_lab::exec(&scenario, command)?;
    if let Some(reason) = outcome.void_reason() {
        return Err(Failure::Work(anyhow::anyhow!(reason)));
    }
    match u8::try_from(outcome.code) {
        Ok(0) => Ok(()),
        code => Err(Failure::Passed(code.unwrap_or(1))),
    }
}
