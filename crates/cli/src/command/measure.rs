//! `netsig measure`: carries out a plan, or a campaign that steers itself, and writes a data file.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use netsig_base::data::{Dataset, RejectionReason};
use netsig_measure::prediction_scope::PredictionScope;

use crate::campaign::Campaign;
use crate::campaign::data_file;
use crate::input::failure::Failure;
use crate::input::prediction_scope::MeasurementScopeArgs;
use crate::input::verbosity::VerboseArgs;
use crate::print::notes::print_warning;
use crate::print::progress_sentence;
use crate::print::quote;
use crate::print::rows::to_stdout;

/// Run a measurement plan, or plan and measure for a prediction, and write every repetition to a
/// data file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The plan (TOML, see FORMATS.md), or --prediction.
    #[arg(required_unless_present = "predicted")]
    plan: Option<PathBuf>,
    /// The prediction: 'COLLECTIVE [ALGORITHM,...] up to N' [default algorithm: library]; each
    /// launch is planned from the data of those before it, within --budget [default: 2m].
    #[arg(
        long = "prediction",
        alias = "for",
        value_name = "PREDICTION",
        value_parser = PredictionScope::parse,
        conflicts_with_all = ["plan", "dry_run"]
    )]
    predicted: Option<PredictionScope>,
    #[command(flatten)]
    aim: MeasurementScopeArgs,
    #[command(flatten)]
    campaign: Campaign,
    /// Print the commands that would be run, one a line, and measure nothing.
    #[arg(long, display_order = 6)]
    dry_run: bool,
    #[command(flatten)]
    verbose: VerboseArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig measure plans/complete.toml -o data.csv --hostfile hosts --budget 10m --precision 2%
  netsig measure plans/complete.toml -o data.csv --hostfile hosts --resume
  netsig measure plans/complete.toml -o data.csv --launcher srun --dry-run
  netsig measure --prediction 'alltoall library up to 32' --budget 2m -o data.csv --on lab:ethernet-8x50";

/// Runs the command.
///
/// # Errors
/// The errors of [`Campaign::carry_out`], and if ranks received wrong data.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.verbose.apply()?;
    let campaign = &args.campaign;
    let plan = match (&args.plan, &args.predicted) {
        (Some(plan), _) => plan,
        (None, Some(predicted)) => {
            let data = campaign.steer(predicted, &args.aim)?;
            return report(&data, &campaign.output);
        }
        (None, None) => return Err(Failure::usage("no plan; name one, or give --prediction")),
    };
    if args.dry_run {
        let commands = campaign.commands(plan)?;
        return Ok(to_stdout(|out| {
            let mut lines = commands.iter().map(|command| quote::line(command));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        })?);
    }
    let data = campaign.carry_out(plan, "measuring")?;
    report(&data, &campaign.output)
}

/// Prints a summary of the data in `output`.
///
/// # Errors
/// If ranks received wrong data, which indicate a defect of the MPI or the network.
pub fn report(data: &Dataset, output: &Path) -> Result<(), Failure> {
    progress_sentence::print(data_file::summary(data, output));
    if let Some(warning) = data_file::busy_warning(data) {
        print_warning(warning);
    }
    let wrong = data_file::rejected_count(data, RejectionReason::WrongData);
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
