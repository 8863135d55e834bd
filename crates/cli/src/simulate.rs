//! `netsig simulate`: what an algorithm, or a program in GOAL, takes on a network model.

mod answers;
mod exports;
mod gantt;
mod goal;
mod lanes;
mod network;
mod options;
mod points;
mod ports;
mod recorders;
mod settings;
mod source;
mod sweep;
mod timeline;

use anyhow::Context;
use netsig_core::sim::setup::Method;

use crate::failure::Failure;
use crate::rows::Format;
use answers::Answer;
use exports::Exports;
use options::{MethodChoice, NetworkOptions, ProgramOptions};
use points::Point;
use recorders::Recorders;
use source::Source;
use sweep::SweepOptions;

/// Simulate collectives, or a program in GOAL, on a network model.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    program: ProgramOptions,
    #[command(flatten)]
    network: NetworkOptions,
    /// How times are found; a closed form gives exactly what following all events gives.
    #[arg(long, value_enum, default_value = "auto", conflicts_with = "sweep")]
    method: MethodChoice,
    #[command(flatten)]
    exports: Exports,
    #[command(flatten)]
    sweep: SweepOptions,
    /// How many simulations run at once; 0 is one on each processor [default: 0].
    #[arg(long, value_name = "N", env = "RAYON_NUM_THREADS")]
    threads: Option<u16>,
    /// How to print it; a sweep is csv.
    #[arg(long, value_enum, default_value = "table", conflicts_with = "sweep")]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// If an argument or file cannot be used, or the simulation cannot answer.
pub fn run(args: &Args) -> Result<(), Failure> {
    let method = args.method.into();
    use_threads(args.threads)?;
    if let Some(plan) = &args.sweep.sweep {
        return sweep::run(plan, &args.sweep);
    }
    args.exports.check(method, args.program.goal.as_deref())?;
    let source = Source::new(&args.network)?;
    let answers = match &args.program.goal {
        Some(path) => vec![goal::simulate(path, &source, &args.exports)?],
        None => collective(args, &source, method)?,
    };
    for note in &source.notes {
        eprintln!("netsig: note: {note}");
    }
    if args.format == Format::Table {
        answers::tell_losses(&answers);
    }
    Ok(answers::rows(answers).print(args.format)?)
}

/// Simulates every cell that is asked for.
fn collective(args: &Args, source: &Source, method: Method) -> Result<Vec<Answer>, Failure> {
    let cases = args.program.cases()?;
    let points: Vec<Point> = cases
        .all()
        .map(|case| Point {
            source,
            case,
            method,
        })
        .collect();
    points.iter().try_for_each(Point::check)?;
    let Some(point) = args.exports.only(&points)? else {
        return points::simulate_all(&points);
    };
    args.exports.check_case(point.case)?;
    if !args.exports.need_events() {
        let answers = points::simulate_all(&points)?;
        args.exports.write_case(point.case)?;
        return Ok(answers);
    }
    let mut recorders = Recorders::new(&args.exports, point.case.procs)?;
    let (answer, outcome) = point.observe(&mut recorders)?;
    args.exports.write_tables(&outcome)?;
    recorders.finish(&point.title())?;
    args.exports.write_case(point.case)?;
    Ok(vec![answer])
}

fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else {
        return Ok(());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
    Ok(pool.build_global().context("no threads can be started")?)
}
