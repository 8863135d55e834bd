//! `netsig plan`: proposes measurements for a prediction within a budget.

mod wish;

use std::path::{Path, PathBuf};
use std::time::Duration;

use netsig_core::predict::design::Wish;
use netsig_core::predict::design::subject::ASSUMED_LIMIT;
use netsig_core::predict::outside::FAR;
use netsig_core::units::list::List;
use netsig_core::units::{Bytes, Procs, Seconds};
use netsig_measure::estimate::Rates;
use netsig_measure::proposal::{NoProposal, Proposal, propose};

use self::wish::Predicted;
use crate::campaign::estimate::span;
use crate::input::args::limit;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::output::{Kind, Output};
use crate::print::rows::to_stdout;

/// Propose the measurement plan that makes a prediction most certain within a time.
#[derive(clap::Args)]
pub struct Args {
    /// A preliminary profile of the same network, for the duration of measurements [default:
    /// 1 Gbit/s, 50 us].
    profile: Option<PathBuf>,
    /// The time for measuring, such as 60s or 10m.
    #[arg(long, value_name = "TIME", value_parser = limit)]
    budget: Duration,
    /// The prediction: 'COLLECTIVE [ALGORITHM,...] up to N' [default algorithm: library].
    #[arg(long = "for", value_name = "PREDICTION", value_parser = wish::predicted)]
    predicted: Predicted,
    /// The number of hosts: as --most, but at most half of N.
    #[arg(
        long,
        value_name = "HOSTS",
        conflicts_with = "most",
        allow_hyphen_values = true
    )]
    hosts: Option<Procs>,
    /// The most processes to measure, at most N [default: half of N].
    #[arg(long, value_name = "PROCS", allow_hyphen_values = true)]
    most: Option<Procs>,
    /// The sizes to predict.
    #[arg(
        long,
        value_name = "LIST",
        default_value = "256..256KiB",
        allow_hyphen_values = true
    )]
    sizes: List<Bytes>,
    /// The file for the plan [default: standard output].
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
}

/// The fewest processes to measure: fewer do not show growth.
const LEAST: u32 = 3;

/// The most sizes to plan for.
const MOST_SIZES: usize = 64;

/// Runs the command.
///
/// # Errors
/// If the profile or the output cannot be used, the model does not describe an algorithm, or the
/// budget is too small.
pub fn run(args: &Args) -> Result<(), Failure> {
    let reads: Vec<&Path> = args.profile.as_deref().into_iter().collect();
    let output = args.output.as_deref();
    let output = output.map(|path| Output::replacing("--output", path, Kind::Plan, &reads));
    let output = output.transpose()?;
    let most = args.most()?;
    let sizes = args.sizes.items();
    if sizes.len() > MOST_SIZES {
        return Err(Failure::usage(format!(
            "--sizes: {} are too many to plan for; write up to {MOST_SIZES}, such as 256..256KiB",
            sizes.len()
        )));
    }
    let profile = args.profile.as_deref().map(files::profile).transpose()?;
    let mut rates = Rates::ordinary();
    if let Some(profile) = &profile {
        rates.hockney = profile.hockney.model();
    }
    let mut wish = Wish {
        collective: args.predicted.collective,
        target: args.predicted.procs,
        most,
        sizes,
        hockney: rates.hockney,
        profile: profile.as_ref(),
    };
    let budget = Seconds(args.budget.as_secs_f64());
    let mut proposed = propose(&wish, &args.predicted.methods, budget, &rates);
    // Fewer processes cost less. They are better than no plan while the target is not too far for a
    // prediction from them. If the budget is too small in all cases, the first error is reported.
    while let (Err(NoProposal::TooLittle { .. }), None, Some(fewer)) =
        (&proposed, args.most, fewer(&wish))
    {
        wish.most = fewer;
        match propose(&wish, &args.predicted.methods, budget, &rates) {
            Err(NoProposal::TooLittle { .. }) => {}
            other => proposed = other,
        }
    }
    let proposal = proposed.map_err(Failure::usage)?;
    let text = header(args, &wish, &proposal) + &proposal.plan.to_toml();
    match &output {
        Some(output) => output.replace(text.as_bytes())?,
        None => to_stdout(|out| out.write_all(text.as_bytes()))?,
    }
    report(&wish, &proposal);
    Ok(())
}

impl Args {
    /// The largest process count to measure.
    fn most(&self) -> Result<Procs, Failure> {
        let target = self.predicted.procs;
        let half = (target.get() / 2).max(LEAST).min(target.get());
        let (option, most) = match (self.most, self.hosts) {
            (Some(most), _) => ("--most", most.get().min(target.get())),
            (None, Some(hosts)) => ("--hosts", hosts.get().min(half)),
            (None, None) => ("--for", half),
        };
        Procs::new(most).ok().filter(|most| most.get() >= LEAST).ok_or_else(|| {
            Failure::usage(format!(
                "{option}: {most} is too few processes to see how the time grows; write {LEAST} or more"
            ))
        })
    }
}

/// Half of the processes to measure, if predictions for the target are still possible from them.
fn fewer(wish: &Wish) -> Option<Procs> {
    let half = wish.most.get() / 2;
    let reaches = half.saturating_mul(FAR) >= wish.target.get();
    let half = Procs::new(half).ok()?;
    (reaches && half.get() >= LEAST).then_some(half)
}

/// The purpose of the plan, as comments.
fn header(args: &Args, wish: &Wish, proposal: &Proposal) -> String {
    let budget = Seconds(args.budget.as_secs_f64());
    let mut lines = vec![
        format!("Proposed for {} with {}", args.predicted, range(wish.sizes)),
        format!(
            "Budget {budget}; expected {}, the start of every job being taken for {}",
            proposal.cost,
            Rates::ordinary().launch_overhead
        ),
    ];
    if wish.profile.is_none() {
        let Rates { hockney, .. } = Rates::ordinary();
        lines.push(format!(
            "Assumed: alpha = {}, beta = {}, eager limit {ASSUMED_LIMIT}",
            hockney.alpha(),
            hockney.beta()
        ));
    }
    lines.extend(proposal.outlooks.iter().map(|(subject, outlook)| {
        let now = outlook.now.map_or_else(|| "not known".to_owned(), percent);
        let then = percent(outlook.then);
        let grounds = subject.grounds.words(wish.profile);
        format!("{subject}: {then} expected, now {now}; times from {grounds}")
    }));
    format!("# {}\n", lines.join("\n# "))
}

/// Prints the duration of the plan, the expected precision, and notes on its limits.
fn report(wish: &Wish, proposal: &Proposal) {
    let outlooks = || proposal.outlooks.iter().map(|(_, outlook)| outlook.then);
    let [best, worst] = [
        outlooks().fold(f64::INFINITY, f64::min),
        outlooks().fold(0.0, f64::max),
    ];
    let known = match [percent(best), percent(worst)] {
        [best, worst] if best == worst => best,
        [best, worst] => format!("{best} to {worst}"),
    };
    eprintln!(
        "about {}; times among {} are then expected to be known to {known}",
        span(proposal.cost),
        wish.target
    );
    if wish.target.get() > wish.most.get().saturating_mul(FAR) {
        eprintln!(
            "netsig: note: {} is more than {FAR} times the {} processes to measure, where predict only extrapolates on demand; measure more",
            wish.target, wish.most
        );
    }
}

/// The range of sizes in words: `256 B to 256 KiB`.
fn range(sizes: &[Bytes]) -> String {
    match sizes {
        [first, .., last] => format!("{first} to {last}"),
        sizes => sizes.iter().map(Bytes::to_string).collect(),
    }
}

/// Formats a relative half-width in per cent.
fn percent(share: f64) -> String {
    format!("±{:.0} %", share * 100.0)
}
