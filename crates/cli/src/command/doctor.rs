//! `netsig doctor`: checks the requirements of a measurement, and names a cure for each failure. It checks the
//! installation and the hosts. A trial job checks the state of the hosts and the connections between them.

mod check_row;
mod installed;
mod local;
mod measurement;
mod trial;

use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use itertools::Itertools as _;
use netsig_base::network::Network;
use netsig_base::units::Procs;

use self::check_row::CheckRow;
use self::installed::InstallationChecks;
use self::trial::DoctorTrial;
use crate::campaign::examination::EXAMINE;
use crate::campaign::planless_job::PlanlessJob;
use crate::input::args::{self, LaunchArgs, MeasurementPlace};
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::notes::warn_if_unfaithful;
use crate::print::rows::{PrintArgs, print_rows};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Check what works here, by a trial job on the hosts, with the cure for what does not; exit code 1 if
/// `measure` would not work.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Place of measurements: mpi or lab:SCENARIO (emulated cluster).
    #[arg(long = "on", value_name = "PLACE", default_value = "mpi", value_parser = args::place)]
    place: MeasurementPlace,
    /// Number of ranks of the trial job [default: --ppn on each host].
    #[arg(long, value_name = "N")]
    procs: Option<Procs>,
    /// Longest duration of a step of a rank; messages between two hosts have half of it.
    #[arg(long, value_name = "TIME", default_value = "20", value_parser = args::limit)]
    timeout: Duration,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig doctor --hostfile hosts
  netsig doctor --on lab:ethernet-8x50 --mpirun mpirun.mpich
  netsig doctor --format csv";

/// The file that a measurement would write.
const DATA: &str = "data.csv";

/// Runs the command.
///
/// # Errors
/// If the options cannot be used, or a check failed.
pub fn run(args: &Args) -> Result<(), Failure> {
    let scenario = scenario(&args.place)?;
    scenario.iter().for_each(warn_if_unfaithful);
    if let Some(file) = &args.launch.hostfile {
        files::text(file)?;
    }
    let rows = rows(args, scenario.as_ref())?;
    print(&rows, args.print)?;
    let failed = rows.iter().filter(|row| row.has_failed());
    match failed.map(|row| row.check).join(", ").as_str() {
        "" => Ok(()),
        names => Err(anyhow!("measuring would not work: {names}; follow the cures above").into()),
    }
}

fn scenario(place: &MeasurementPlace) -> Result<Option<Network>, Failure> {
    match place {
        MeasurementPlace::Mpi => Ok(None),
        MeasurementPlace::Lab(name) => Ok(Some(netsig_lab::load(name)?)),
        MeasurementPlace::Simulated(_) => Err(Failure::usage(
            "sim: needs nothing of this machine; give --on lab:SCENARIO, or leave --on out",
        )),
    }
}

/// All checks, in the order of printing.
fn rows(args: &Args, scenario: Option<&Network>) -> Result<Vec<CheckRow>, Failure> {
    let planless_job = PlanlessJob {
        subcommand: EXAMINE,
        label: "examining the hosts",
        scenario,
        output: Path::new(DATA),
        timeout: args.timeout,
    };
    let InstallationChecks { mut rows, launcher } = InstallationChecks::find(args, &planless_job);
    rows.extend([local::directory(), local::check_lab(&args.place)]);
    let is_sound = |rows: &[CheckRow]| !rows.iter().any(CheckRow::has_failed);
    let startable = launcher.filter(|_| is_sound(&rows));
    rows.extend(match &startable {
        Some((launcher, procs)) => DoctorTrial::run(&planless_job, launcher, *procs)?.rows(args.launch.ppn),
        None => trial::skipped(),
    });
    let ready = startable.filter(|_| is_sound(&rows));
    rows.push(measurement::measurement_check(args, ready.as_ref()));
    Ok(rows)
}

fn print(rows: &[CheckRow], print: PrintArgs) -> Result<(), Failure> {
    let table = PrintedRows::of(rows)
        .column("check", |row| PrintedCell::text(row.check))
        .column("state", |row| PrintedCell::text(row.state))
        .sentences("detail", |row| {
            PrintedCell::shown_as(&*row.detail, row.detail_and_cure())
        })
        .column("cure", |row| PrintedCell::text(&row.cure).hidden())
        .rows;
    Ok(print_rows(&table, print)?)
}
