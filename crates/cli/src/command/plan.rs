//! `netsig plan`: proposes measurements for a prediction within a budget.

use std::path::{Path, PathBuf};
use std::time::Duration;

use netsig_base::units::{Procs, Seconds, duration_in_words};
use netsig_measure::prediction_scope::PredictionScope;
use netsig_measure::proposal::{PlanRequest, ProposedPlan};

use crate::input::args::limit;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::output::OutputPath;
use crate::input::prediction_scope::MeasurementScopeArgs;
use crate::print::notes::print;
use crate::print::rows::data_to_stdout;

/// Propose a measurement plan for a prediction within a time. `netsig measure --prediction` plans and
/// measures in one, at the speed that it finds.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A preliminary profile of the same network, for the duration of measurements [default:
    /// 1 Gbit/s, 50 us].
    profile: Option<PathBuf>,
    /// The time for measuring, such as 60s or 10m.
    #[arg(long, value_name = "TIME", value_parser = limit)]
    budget: Duration,
    /// The prediction: 'COLLECTIVE [ALGORITHM,...] up to N' [default algorithm: library].
    #[arg(long = "prediction", alias = "for", value_name = "PREDICTION", value_parser = PredictionScope::parse)]
    predicted: PredictionScope,
    /// The number of hosts: as --max-procs, but at most half of N.
    #[arg(long, value_name = "HOSTS", conflicts_with = "most", allow_hyphen_values = true)]
    hosts: Option<Procs>,
    #[command(flatten)]
    aim: MeasurementScopeArgs,
    /// The file for the plan [default: standard output].
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  netsig plan --budget 10m --prediction 'alltoall library up to 64' -o plan.toml
  netsig plan data.toml --budget 5m --prediction 'bcast binomial,chain up to 32' --hosts 8";

/// Runs the command.
///
/// # Errors
/// If the profile or the output cannot be used, or the budget is too small.
pub fn run(args: &Args) -> Result<(), Failure> {
    let reads: Vec<&Path> = args.profile.as_deref().into_iter().collect();
    let output_path = args.output.as_deref();
    let checked_output = output_path.map(|path| OutputPath::replacing("--output", path, FileKind::Plan, &reads));
    let output = checked_output.transpose()?;
    let profile = args.profile.as_deref().map(files::profile).transpose()?;
    let request = PlanRequest {
        predicted: &args.predicted,
        sizes: args.aim.sizes.items(),
        operands: args.aim.operands,
        most: args.aim.most,
        hosts: args.hosts,
        hockney: profile.map(|profile| profile.hockney.model()),
        budget: Seconds(args.budget.as_secs_f64()),
    };
    let ProposedPlan { text, expected, notes } = request.propose()?;
    match &output {
        Some(output) => output.replace(text.as_bytes())?,
        None => data_to_stdout(|out| out.write_all(text.as_bytes()))?,
    }
    eprintln!("about {}", duration_in_words(expected));
    print(&notes);
    Ok(())
}
