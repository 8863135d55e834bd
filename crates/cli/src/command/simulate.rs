//! `netsig simulate`: times of an algorithm, or of a program in GOAL, on a network model.

use std::path::Path;

use anyhow::Context;
use netsig_sim::setup::SimMethod;
use netsig_sim::simulate::{SimModel, SimPoint};

use crate::input::args;
use crate::input::failure::Failure;
use crate::input::partial::PartialResults;
use crate::print::notes::{print, print_remark, print_warning};
use crate::print::rows::{PrintArgs, PrintFormat, print_rows};
use crate::simulate::exports::{SimulationExports, SimulationFiles};
use crate::simulate::options::{NetworkOptions, ProgramOptions};
use crate::simulate::recorders::SimulationRecorders;
use crate::simulate::result_rows::SimulationRow;
use crate::simulate::sweep::SweepOptions;
use crate::simulate::{goal, points, result_rows, sweep};

/// Simulate collectives, or a program in GOAL, on a network model.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    program: ProgramOptions,
    #[command(flatten)]
    network: NetworkOptions,
    /// The method; a closed form gives exactly the time that following all events gives.
    #[arg(long, value_parser = args::variant::<SimMethod>(), default_value = "auto", conflicts_with = "sweep")]
    method: SimMethod,
    #[command(flatten)]
    exports: SimulationExports,
    #[command(flatten)]
    sweep: SweepOptions,
    /// The number of simulations at once; 0 is one on each processor [default: 0].
    #[arg(long, value_name = "N", env = "RAYON_NUM_THREADS")]
    threads: Option<u16>,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig simulate --network tree-2x6x40 --collective alltoall --procs 12 --size 64KiB --model tcp
  netsig simulate --profile data.toml --collective bcast --algorithm binomial,chain --procs 1048576 --size 1KiB
  netsig simulate --goal program.goal --profile data.toml --timeline trace.json --gantt chart.svg
  netsig simulate --sweep sweep.toml --shard 1/8 -o part-1.csv";

/// Runs the command.
///
/// # Errors
/// If an argument or file cannot be used, or the simulation has no result.
pub fn run(args: &Args) -> Result<(), Failure> {
    let method = args.method;
    use_threads(args.threads)?;
    if let Some(plan) = &args.sweep.sweep {
        return sweep::run(plan, &args.sweep);
    }
    args.sweep.refuse_without_plan()?;
    let files = args.exports.output_files(method, &args.reads())?;
    if args.program.goal.is_some() && method == SimMethod::ClosedForm {
        return Err(Failure::usage(
            "a program in GOAL has no closed form; leave out --method closed-form",
        ));
    }
    let sim_model = args.network.sim_model()?;
    if let Some(doubt) = &sim_model.rate_doubt {
        print_warning(doubt);
    }
    let answers = match &args.program.goal {
        Some(path) => PartialResults::of([goal::simulate(path, &sim_model, &files)]),
        None => collective(args, &sim_model, &files)?,
    };
    answers.conclude(|answers| {
        if let Some(note) = &sim_model.note {
            print_remark(note);
        }
        result_rows::print_doubt(&answers);
        if args.print.format == PrintFormat::Table {
            result_rows::print_loss_note(&answers);
        }
        Ok(print_rows(&result_rows::rows(answers), args.print)?)
    })
}

impl Args {
    /// The files that the command reads.
    fn reads(&self) -> Vec<&Path> {
        let network = &self.network;
        let placement = network.placement.as_deref().map(Path::new);
        let paths = [&network.profile, &self.program.goal].map(|path| path.as_deref());
        let named = [network.network.path(), placement];
        named.into_iter().chain(paths).flatten().collect()
    }
}

/// Simulates all requested cells.
fn collective(
    args: &Args,
    sim_model: &SimModel,
    files: &SimulationFiles,
) -> Result<PartialResults<SimulationRow>, Failure> {
    let PartialResults {
        found: points,
        mut missing,
    } = points(args, sim_model)?;
    if let Some(note) = args
        .program
        .collective
        .and_then(|one| sim_model.note_on_operations(one))
    {
        print(&[note]);
    }
    let mut answers = match files.single_point(&points)? {
        None => PartialResults::of(points::simulate_all(&points, &points::bar(&points))),
        Some(point) => PartialResults::of([with_files(point, files)]),
    };
    missing.append(&mut answers.missing);
    Ok(PartialResults { missing, ..answers })
}

/// Simulates a point and writes its files.
fn with_files(point: &SimPoint, files: &SimulationFiles) -> Result<SimulationRow, Failure> {
    files.check_case(point.case)?;
    let answer = if files.need_events() {
        let mut recorders = SimulationRecorders::new(files, point.case.procs)?;
        let (answer, outcome) = points::observe(point, &mut recorders)?;
        files.write_tables(&outcome)?;
        recorders.finish(&point.title())?;
        answer
    } else {
        points::simulate(point)?
    };
    files.write_goal(|mut out| point.write_goal(&mut out))?;
    Ok(answer)
}

/// The points that can be simulated. If the user names no algorithm, a note lists the first reason
/// for leaving algorithms out.
fn points<'a>(args: &Args, sim_model: &'a SimModel) -> Result<PartialResults<SimPoint<'a>>, Failure> {
    let (mut found, mut missing, mut left_out) = (Vec::new(), Vec::new(), None);
    for case in args.program.cases()?.all() {
        let method = args.method;
        let point = SimPoint {
            sim_model,
            case,
            method,
        };
        match point.problem() {
            Ok(None) => found.push(point),
            Ok(Some(problem)) if args.program.algorithm.is_none() => {
                left_out = left_out.or(Some(problem));
            }
            Ok(Some(problem)) | Err(problem) => missing.push(problem.into()),
        }
    }
    match left_out {
        Some(problem) if found.is_empty() => missing.push(problem.into()),
        Some(problem) => {
            print_remark(format!(
                "algorithms that cannot be simulated are left out, such as: {problem}"
            ));
        }
        None => {}
    }
    Ok(PartialResults { found, missing })
}

fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else {
        return Ok(());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
    Ok(pool.build_global().context("no threads can be started")?)
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::*;

    #[test]
    fn nothing_that_a_plan_says_is_an_option_beside_it() {
        let mut command = Args::augment_args(clap::Command::new("simulate"));
        command.build();
        let sweep = command.get_arguments().find(|arg| arg.get_id() == "sweep");
        let refused = command.get_arg_conflicts_with(sweep.unwrap());
        let empty = || clap::Command::new("empty");
        for options in [
            ProgramOptions::augment_args(empty()),
            NetworkOptions::augment_args(empty()),
        ] {
            for option in options.get_arguments() {
                let is_refused = refused.iter().any(|arg| arg.get_id() == option.get_id());
                assert!(is_refused, "{}", option.get_id());
            }
        }
    }
}
