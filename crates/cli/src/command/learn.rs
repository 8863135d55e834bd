//! `netsig learn`: measures for a prediction, fits, and says what was found.

use std::path::PathBuf;

use super::{fit, measure};
use crate::campaign::Campaign;
use crate::input::failure::Failure;
use crate::input::interrupt;
use crate::input::wish::{self, AimArgs, Predicted};

/// Measure for a prediction and fit: `measure --for` and `fit` in one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The prediction: 'COLLECTIVE [ALGORITHM,...] up to N' [default algorithm: library].
    #[arg(value_name = "PREDICTION", value_parser = wish::predicted)]
    predicted: Predicted,
    #[command(flatten)]
    aim: AimArgs,
    #[command(flatten)]
    campaign: Campaign,
    /// The profile to write [default: the data file's name with the ending .toml].
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  netsig learn 'alltoall library up to 32' --most 8 --budget 2m -o data.csv --hostfile hosts
  netsig learn 'bcast library,binomial,pipeline:4096 up to 12' --on lab:ethernet-12x40 -o bcast.csv
  netsig learn 'alltoall library,windowed:segment=4096,window=4 up to 32' --sizes 1KiB..64KiB -o alltoall.csv --resume";

/// Runs the command.
///
/// # Errors
/// As those of `measure` and `fit`.
pub fn run(args: &Args) -> Result<(), Failure> {
    let data = &args.campaign.output;
    let profile = args.profile.clone();
    let profile = profile.unwrap_or_else(|| data.with_extension("toml"));
    let fit = fit::Args::plain(data, &profile, args.campaign.network.clone());
    // An unusable profile is refused before anything is measured.
    fit.output()?;
    let measured = args.campaign.steer(&args.predicted, &args.aim)?;
    measure::report(&measured, data)?;
    let (data, profile) = (data.display(), profile.display());
    interrupt::keeps(format!(
        "the repetitions are in {data}; go on with netsig fit {data} -o {profile}"
    ));
    fit::run(&fit)?;
    eprintln!("The repetitions are in {data}, the profile is {profile}: see netsig predict and select.");
    Ok(())
}
