//! `netsig lab`: shows the capabilities of this machine and the scenarios, runs commands in an emulated cluster, and
//! shows there the drops of its switches.

use std::ffi::OsString;

use anyhow::anyhow;
use clap::Subcommand;

use crate::input::failure::Failure;
use crate::print::notes::warn_if_unfaithful;
use crate::print::rows::{PrintArgs, print_rows};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Emulate a cluster on this machine: real MPI over real TCP between namespaces.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: LabAction,
}

#[derive(Subcommand)]
enum LabAction {
    /// List the capabilities of this machine for emulation; exit code 1 if it has too few.
    #[command(after_help = CHECK_EXAMPLES)]
    Check {
        #[command(flatten)]
        print: PrintArgs,
    },
    /// List the scenarios that netsig ships.
    #[command(after_help = LIST_EXAMPLES)]
    List {
        #[command(flatten)]
        print: PrintArgs,
    },
    /// Run a command in an emulated cluster; mpirun there needs no further options.
    #[command(after_help = EXEC_EXAMPLES)]
    Exec {
        /// A shipped scenario's name or the path of a scenario file.
        scenario: String,
        /// The command and its arguments.
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<OsString>,
    },
    /// Print the packets that the switches' ports sent and dropped; works inside an emulated cluster.
    #[command(after_help = DROPS_EXAMPLES)]
    Drops {
        #[command(flatten)]
        print: PrintArgs,
    },
}

const EXAMPLES: &str = "\
Examples:
  netsig lab check
  netsig lab list
  netsig lab exec ethernet-8x50 -- mpirun -np 8 ./any-mpi-program";

const CHECK_EXAMPLES: &str = "\
Examples:
  netsig lab check
  netsig lab check --format json";

const LIST_EXAMPLES: &str = "\
Examples:
  netsig lab list
  netsig lab list --format csv";

const EXEC_EXAMPLES: &str = "\
Examples:
  netsig lab exec ethernet-8x50 -- mpirun -np 8 ./any-mpi-program
  netsig lab exec wan-6-6-30x5 -- mpirun.mpich -np 12 ./program
  netsig lab exec ethernet-8x50 -- sh -c 'mpirun -np 8 ./program && netsig lab drops'
  netsig lab exec ./sites.toml -- bash";

const DROPS_EXAMPLES: &str = "\
Examples:
  netsig lab drops
  netsig lab drops --format csv";

/// Runs the command.
///
/// # Errors
/// If the lab cannot run here, the scenario cannot be emulated, or the run is void or fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.action {
        LabAction::Check { print } => check(*print),
        LabAction::List { print } => list(*print),
        LabAction::Exec { scenario, command } => exec(scenario, command),
        LabAction::Drops { print } => drops(*print),
    }
}

fn check(print: PrintArgs) -> Result<(), Failure> {
    let capabilities = netsig_lab::check();
    let rows = PrintedRows::of(&capabilities.rows)
        .column("capability", |row| PrintedCell::text(row.name))
        .column("needed", |row| {
            PrintedCell::text(if row.is_needed { "yes" } else { "no" })
        })
        .column("state", |row| {
            PrintedCell::text(if row.found.is_ok() { "ok" } else { "MISSING" })
        })
        .sentences("detail", |row| {
            PrintedCell::text(row.found.as_ref().unwrap_or_else(|missing| missing))
        })
        .rows;
    print_rows(&rows, print)?;
    if capabilities.can_run() {
        return Ok(());
    }
    Err(anyhow!("this machine cannot emulate a cluster; follow the remedies above").into())
}

fn list(print: PrintArgs) -> Result<(), Failure> {
    let shipped = netsig_lab::SHIPPED_SCENARIOS.iter();
    let scenarios = shipped.map(|(name, _)| Ok((*name, netsig_lab::load(name)?)));
    let rows = PrintedRows::of(scenarios.collect::<Result<Vec<_>, Failure>>()?)
        .column("scenario", |(name, _)| PrintedCell::text(name))
        .column("hosts", |(_, scenario)| PrintedCell::number(scenario.hosts().get()))
        .detail(1, "network", |(_, scenario)| PrintedCell::text(scenario.summary()))
        .sentences("description", |(_, scenario)| PrintedCell::text(&scenario.description))
        .rows;
    Ok(print_rows(&rows, print)?)
}

fn drops(print: PrintArgs) -> Result<(), Failure> {
    let rows = PrintedRows::of(netsig_lab::port_drops()?)
        .column("switch", |port| PrintedCell::text(&port.switch))
        .column("port", |port| PrintedCell::text(&port.port))
        .column("packets", |port| PrintedCell::number(port.sent))
        .column("dropped", |port| PrintedCell::number(port.dropped))
        .rows;
    Ok(print_rows(&rows, print)?)
}

fn exec(name: &str, command: &[OsString]) -> Result<(), Failure> {
    let scenario = netsig_lab::load(name)?;
    warn_if_unfaithful(&scenario);
    let outcome = netsig_lab::exec(&scenario, command)?;
    if let Some(reason) = outcome.void_reason() {
        return Err(anyhow!(reason).into());
    }
    Failure::check_exit_code(outcome.code)
}
