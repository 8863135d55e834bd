//! `netsig plan`: proposes measurements for a prediction within a budget.

use std::path::{Path, PathBuf};
use std::time::Duration;

use netsig_base::units::{Procs, Seconds};
use netsig_measure::budget::BudgetTooSmall;
use netsig_measure::estimate::{NetworkRates, estimate};
use netsig_measure::plan::MeasurementPlan;
use netsig_measure::steer::SteerTarget;
use netsig_model::predict::outside_domain::FAR;

use crate::campaign::estimate::duration_in_words;
use crate::input::args::limit;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::output::OutputPath;
use crate::input::prediction_scope::{self, LEAST_PROCS, MeasurementScopeArgs, PredictionScope};
use crate::print::notes::print_remark;
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
    #[arg(long = "prediction", alias = "for", value_name = "PREDICTION", value_parser = prediction_scope::predicted)]
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
    let half = (args.predicted.procs.get() / 2).max(LEAST_PROCS);
    let host_count = args.hosts.map(|hosts| hosts.get().min(half));
    let host_procs = host_count.and_then(|hosts| Procs::new(hosts).ok());
    let hosts_option = host_procs.map(|hosts| ("--hosts", hosts));
    let mut target = args.aim.target(&args.predicted, hosts_option)?;
    let mut rates = NetworkRates::assumed();
    if let Some(profile) = &args.profile {
        rates.hockney = files::profile(profile)?.hockney.model();
    }
    let budget = Seconds(args.budget.as_secs_f64());
    let mut proposed = target.proposal(&rates, budget);
    // Fewer processes cost less. They are better than no plan while the target is not too far for a
    // prediction from them. If the budget is too small in all cases, the first error is reported.
    while let (Err(_), None, Some(fewer)) = (&proposed, args.aim.most, fewer_procs(args, &target)) {
        target.most_procs = fewer;
        proposed = target.proposal(&rates, budget).or(proposed);
    }
    let plan = proposed.map_err(|BudgetTooSmall { least }| {
        Failure::usage(format!(
            "the smallest useful plan takes {}, and the budget is {}; raise --budget, or name fewer algorithms, sizes or processes",
            duration_in_words(Seconds(least.0.ceil())),
            duration_in_words(budget)
        ))
    })?;
    plan.check()
        .map_err(|problem| Failure::usage(format!("--size: {problem}")))?;
    let expected = estimate(&plan, &rates).high;
    let text = header(args, &rates, expected) + &plan.to_toml();
    match &output {
        Some(output) => output.replace(text.as_bytes())?,
        None => data_to_stdout(|out| out.write_all(text.as_bytes()))?,
    }
    report(args, &plan, expected);
    Ok(())
}

/// Half of the processes to measure, if predictions for the target are still possible from them.
fn fewer_procs(args: &Args, target: &SteerTarget) -> Option<Procs> {
    let half_count = target.most_procs.get() / 2;
    let reaches = half_count.saturating_mul(FAR) >= args.predicted.procs.get();
    let half = Procs::new(half_count).ok()?;
    (reaches && half.get() >= LEAST_PROCS).then_some(half)
}

/// The purpose of the plan, as comments.
fn header(args: &Args, rates: &NetworkRates, expected: Seconds) -> String {
    let budget = Seconds(args.budget.as_secs_f64());
    let (alpha, beta) = (rates.hockney.alpha(), rates.hockney.beta());
    let source = match args.profile {
        Some(_) => "From the profile",
        None => "Assumed",
    };
    format!(
        "# Proposed for {}\n# Budget {budget}; expected {expected}, the start of every job being \
         taken for {}\n# {source}: alpha = {alpha}, beta = {beta}\n",
        args.predicted, rates.launch_overhead
    )
}

/// Prints the duration of the plan, and notes on its limits.
fn report(args: &Args, plan: &MeasurementPlan, expected: Seconds) {
    eprintln!("about {}", duration_in_words(expected));
    let (most, target) = (plan.procs(), args.predicted.procs);
    if target.get() > most.get().saturating_mul(FAR) {
        print_remark(format!(
            "{target} is more than {FAR} times the {most} processes to measure, where predict only extrapolates on demand; measure more"
        ));
    }
}
