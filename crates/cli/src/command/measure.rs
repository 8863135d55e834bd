//! `netsig measure`: carries out a plan and writes a data file.

use std::path::Path;

use anyhow::anyhow;
use netsig_core::data::Rejection;

use crate::campaign::Campaign;
use crate::campaign::kept;
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::quote;
use crate::print::rows::to_stdout;

/// Run a measurement plan and write every repetition to a data file.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    campaign: Campaign,
    /// Print the commands that would be run, one a line, and measure nothing.
    #[arg(long, display_order = 6)]
    dry_run: bool,
}

/// Runs the command.
///
/// # Errors
/// As [`Campaign::carry_out`], or if ranks received wrong data.
pub fn run(args: &Args) -> Result<(), Failure> {
    let campaign = &args.campaign;
    if args.dry_run {
        let commands = campaign.commands()?;
        return Ok(to_stdout(|out| {
            let mut lines = commands.iter().map(|command| quote::line(command));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        })?);
    }
    campaign.carry_out("measuring")?;
    report(&campaign.output)
}

/// Prints a summary of the data. Wrong data are an error: they indicate a defect of the MPI or the
/// network.
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
