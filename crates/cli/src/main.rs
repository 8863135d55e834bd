//! netsig: the command line. One file per subcommand; each parses, calls the library and
//! prints.

mod args;
mod asked;
mod bounds;
mod campaign;
mod compare;
mod death;
mod demo;
mod estimate;
mod failure;
mod files;
mod filter;
mod fit;
mod import;
mod input;
mod job;
mod kept;
mod lab;
mod launch;
mod links;
mod measure;
mod models;
mod notes;
mod pairs;
mod parameters;
mod plan;
mod plot;
mod predict;
mod progress;
mod quote;
mod regimes;
mod resume;
mod rows;
mod select;
mod series;
mod simulate;
mod space;
mod stall;
mod vigil;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Measures, predicts and improves MPI collective communication under network contention.
#[derive(Parser)]
#[command(name = "netsig", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Args),
    Lab(lab::Args),
    Plan(plan::Args),
    Measure(measure::Args),
    Import(import::Args),
    Fit(fit::Args),
    Compare(compare::Args),
    Predict(predict::Args),
    Select(select::Args),
    Simulate(Box<simulate::Args>),
    Bounds(bounds::Args),
    Models(models::Args),
}

fn main() -> ExitCode {
    if let Some(code) = netsig_lab::entry(std::env::args_os()) {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if shows_help(error.kind()) => error.exit(),
        Err(error) => return Failure::from(error).report(),
    };
    let done = match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Bounds(args) => bounds::run(&args),
        Command::Models(args) => models::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Whether the user asked for, or needs, more than a line.
fn shows_help(kind: ErrorKind) -> bool {
    [
        ErrorKind::DisplayHelp,
        ErrorKind::DisplayVersion,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
    ]
    .contains(&kind)
}
