//! `netsig learn`: measures for a prediction, fits, and prints the verdict.

use std::path::PathBuf;

use netsig_measure::prediction_scope::PredictionScope;

use super::{fit, measure};
use crate::campaign::Campaign;
use crate::input::failure::Failure;
use crate::input::interrupt;
use crate::input::prediction_scope::MeasurementScopeArgs;
use crate::input::verbosity::VerboseArgs;
use crate::print::progress_sentence;

/// Measure for a prediction and fit: `measure --prediction` and `fit` in one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The prediction: 'COLLECTIVE [ALGORITHM,...] up to N' [default algorithm: library].
    #[arg(value_name = "PREDICTION", value_parser = PredictionScope::parse)]
    predicted: PredictionScope,
    #[command(flatten)]
    aim: MeasurementScopeArgs,
    #[command(flatten)]
    campaign: Campaign,
    /// The profile to write [default: the data file's name with the ending .toml].
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    #[command(flatten)]
    verbose: VerboseArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig learn 'alltoall library up to 32' --max-procs 8 --budget 2m -o data.csv --hostfile hosts
  netsig learn 'allreduce library,rabenseifner,ring up to 32' --budget 2m -o allreduce.csv --hostfile hosts
  netsig learn 'bcast library,binomial,pipeline:4096 up to 12' --on lab:ethernet-12x40 -o bcast.csv
  netsig learn 'alltoall library,windowed:segment=4096,window=4 up to 32' --size 1KiB..64KiB -o alltoall.csv --resume";

/// Runs the command.
///
/// # Errors
/// The errors of `measure` and `fit`.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.verbose.apply()?;
    let data = &args.campaign.output;
    let given_profile = args.profile.clone();
    let profile = given_profile.unwrap_or_else(|| data.with_extension("toml"));
    let fit = fit::Args::with_defaults(data, &profile, args.campaign.network.clone());
    // An unusable profile is refused before anything is measured.
    fit.output()?;
    let measured = args.campaign.steer(&args.predicted, &args.aim)?;
    measure::report(&measured, data)?;
    let (data, profile) = (data.display(), profile.display());
    interrupt::set_kept_message(format!(
        "the repetitions are in {data}; go on with netsig fit {data} -o {profile}"
    ));
    fit::run(&fit)?;
    progress_sentence::print(format_args!(
        "The repetitions are in {data}, the profile is {profile}: see netsig predict and select."
    ));
    Ok(())
}
