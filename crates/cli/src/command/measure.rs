//! `netsig measure`: carries out a plan and leaves a data file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use netsig_core::data::Rejection;

use crate::campaign::kept;
use crate::campaign::{Campaign, Options, Start};
use crate::failure::Failure;
use crate::input::args::{LaunchArgs, Place, limit, place, precision};
use crate::input::files;
use crate::print::quote;
use crate::print::rows::to_stdout;

/// Run a measurement plan and write every repetition to a data file.
#[derive(clap::Args)]
pub struct Args {
    /// The plan (TOML, see FORMATS.md).
    plan: PathBuf,
    /// The data file (CSV); it must not exist yet, unless --resume is given.
    #[arg(short, long, value_name = "DATA")]
    output: PathBuf,
    /// Where: mpi, lab:SCENARIO (emulated cluster) or sim:SCENARIO (simulated transport).
    #[arg(long, value_name = "PLACE", default_value = "mpi", value_parser = place)]
    on: Place,
    /// Go on with the data of the same plan that an interrupted run has left.
    #[arg(long)]
    resume: bool,
    /// How long everything may take, such as 10m; the least informative points are left
    /// out if they must be.
    #[arg(long, value_name = "TIME", value_parser = limit)]
    budget: Option<Duration>,
    /// Repeat until the median is known to this share of itself, such as 2%; replaces the
    /// plan's.
    #[arg(long, value_name = "SHARE", value_parser = precision)]
    precision: Option<String>,
    /// How long a rank may take for one step before its launch is given up.
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = limit)]
    timeout: Duration,
    /// Print the commands that would be run, one a line, and measure nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    launch: LaunchArgs,
}

/// Runs the command.
///
/// # Errors
/// As [`Campaign::carry_out`], or if ranks received wrong data.
pub fn run(args: &Args) -> Result<(), Failure> {
    let campaign = Campaign {
        plan: &args.plan,
        output: &args.output,
        place: &args.on,
        launch: &args.launch,
        options: Options {
            start: if args.resume {
                Start::Resumed
            } else {
                Start::Anew
            },
            timeout: args.timeout,
            budget: args.budget,
            precision: args.precision.clone(),
        },
    };
    if args.dry_run {
        let commands = campaign.commands()?;
        return Ok(to_stdout(|out| {
            let mut lines = commands.iter().map(|command| quote::line(command));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        })?);
    }
    campaign.carry_out("measuring")?;
    report(&args.output)
}

/// Says what there is. Wrong data are the end of the trust in an MPI or a network.
fn report(output: &Path) -> Result<(), Failure> {
    let data = files::dataset(output)?;
    eprintln!("{}", kept::summary(&data, output));
    let wrong = kept::rejected(&data, Rejection::WrongData);
    if wrong == 0 {
        return Ok(());
    }
    Err(anyhow!(
        "{}: wrong data arrived in {wrong} of {} repetitions, which are recorded as failures and never as times; check the MPI library and the network",
        output.display(),
        data.samples.len() + data.rejected.len()
    )
    .into())
}
