//! `netsig-bench`: compares figures of netsig with their targets. Exit code 1: a target is missed;
//! 2: a benchmark could not run.

mod accuracy;
mod grid;
mod harness;
mod interpose;
mod plogpt;
mod real;
mod select;
mod simulator;
mod speed;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use harness::effort::BenchEffort;
use harness::process;
use harness::series::NetworkSeries;
use netsig_base::algorithm::Collective;

/// Measures netsig and holds the figures against their targets.
#[derive(Parser)]
enum BenchCommand {
    /// Errors of predictions, and of other methods, on emulated networks drawn from a seed.
    Accuracy {
        #[command(flatten)]
        series: NetworkSeries,
        /// Measures the missing data and prints no figure.
        #[arg(long)]
        measure: bool,
    },
    /// Penalties and gains of the algorithms that netsig selects, on emulated networks drawn from a
    /// seed.
    Select {
        #[command(flatten)]
        series: NetworkSeries,
        /// Time for measuring a network.
        #[arg(long, value_enum, default_value = "full")]
        effort: BenchEffort,
        /// The collectives to judge [default: all].
        #[arg(long, value_delimiter = ',')]
        collectives: Vec<Collective>,
        /// Measures the missing data and prints no figure.
        #[arg(long)]
        measure: bool,
    },
    /// Real programs and algorithms with and without the preloaded library, on emulated networks drawn from a seed and
    /// on a fixed network.
    Interpose {
        #[command(flatten)]
        series: NetworkSeries,
        /// Time for measuring a network.
        #[arg(long, value_enum, default_value = "full")]
        effort: BenchEffort,
        /// The collectives to judge [default: all].
        #[arg(long, value_delimiter = ',')]
        collectives: Vec<Collective>,
        #[command(flatten)]
        further: interpose::FurtherPrograms,
    },
    /// All-to-alls between emulated sites drawn from a seed: discovery, predictions, selected algorithms.
    Grid {
        #[command(flatten)]
        series: NetworkSeries,
        /// Time for measuring a network.
        #[arg(long, value_enum, default_value = "full")]
        effort: BenchEffort,
    },
    /// Errors and intervals of predictions on real machines, beside rivals without a model.
    Real {
        /// Folder with the folders `peak` and `fugaku` of reductions, which are judged alone.
        #[arg(long, value_name = "FOLDER")]
        reductions: Option<PathBuf>,
    },
    /// Share of long messages that the papers' signature predicts within 10 %, network by network.
    Saturated,
    /// Times of netsig's commands, fits, predictions and campaigns.
    Speed,
    /// Processor time and memory of `netsig simulate`.
    Simulator,
    /// Two all-to-alls on emulated trees of switches beside their PlogPT predictions.
    Plogpt,
    /// Processor seconds and peak memory of a program.
    Usage {
        /// The program with its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        program: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let done = match BenchCommand::parse() {
        BenchCommand::Accuracy { series, measure } => accuracy::run(series, measure),
        BenchCommand::Select {
            series,
            effort,
            collectives,
            measure,
        } => select::run(series, effort, &collectives, measure),
        BenchCommand::Interpose {
            series,
            effort,
            collectives,
            further,
        } => interpose::run(series, effort, &collectives, &further),
        BenchCommand::Grid { series, effort } => grid::run(series, effort),
        BenchCommand::Real { reductions: None } => real::run(),
        BenchCommand::Real {
            reductions: Some(folder),
        } => real::run_reductions(&folder),
        BenchCommand::Saturated => real::saturated::run(),
        BenchCommand::Speed => speed::run(),
        BenchCommand::Simulator => simulator::run(),
        BenchCommand::Plogpt => plogpt::run(),
        BenchCommand::Usage { program } => process::print_usage(&program),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("netsig-bench: {error:#}");
            ExitCode::from(2)
        }
    }
}
