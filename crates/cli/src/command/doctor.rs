//! `netsig doctor`: checks what a measurement needs here, each with its cure: what is installed, the hosts,
//! and by a trial job what the ranks find there and whether all hosts answer each other.

mod here;
mod installed;
mod row;
mod trial;
mod work;

use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use itertools::Itertools as _;
use netsig_base::network::Network;
use netsig_base::units::Procs;

use self::installed::Installed;
use self::row::Row;
use self::trial::Trial;
use crate::campaign::errand::Errand;
use crate::campaign::examination::EXAMINE;
use crate::input::args::{self, LaunchArgs, Place};
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::notes::warn_if_unfaithful;
use crate::print::rows::{Cell, PrintArgs, Rows};

/// Check what works here, by a trial job on the hosts, with the cure for what does not; exit code 1 if
/// `measure` would not work.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Place of measurements: mpi or lab:SCENARIO (emulated cluster).
    #[arg(long = "on", value_name = "PLACE", default_value = "mpi", value_parser = args::place)]
    place: Place,
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

fn scenario(place: &Place) -> Result<Option<Network>, Failure> {
    match place {
        Place::Mpi => Ok(None),
        Place::Lab(name) => Ok(Some(netsig_lab::load(name)?)),
        Place::Simulated(_) => Err(Failure::usage(
            "sim: needs nothing of this machine; give --on lab:SCENARIO, or leave --on out",
        )),
    }
}

/// All checks, in the order of printing.
fn rows(args: &Args, scenario: Option<&Network>) -> Result<Vec<Row>, Failure> {
    let errand = Errand {
        work: EXAMINE,
        label: "examining the hosts",
        scenario,
        output: Path::new(DATA),
        timeout: args.timeout,
    };
    let Installed { mut rows, launcher } = Installed::find(args, &errand);
    rows.extend([here::directory(), here::lab(&args.place)]);
    let is_sound = |rows: &[Row]| !rows.iter().any(Row::has_failed);
    let ready = launcher.filter(|_| is_sound(&rows));
    rows.extend(match &ready {
        Some((launcher, procs)) => Trial::run(&errand, launcher, *procs)?.rows(args.launch.ppn),
        None => trial::skipped(),
    });
    let ready = ready.filter(|_| is_sound(&rows));
    rows.push(work::row(args, ready.as_ref()));
    Ok(rows)
}

fn print(rows: &[Row], print: PrintArgs) -> Result<(), Failure> {
    let rows = Rows::of(rows)
        .column("check", |row| Cell::text(row.check))
        .column("state", |row| Cell::text(row.state))
        .column("detail", |row| Cell::text(&row.detail))
        .column("cure", |row| Cell::text(&row.cure))
        .rows;
    Ok(rows.print(print)?)
}
