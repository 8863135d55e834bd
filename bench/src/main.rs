//! `netsig-bench`: compares figures of netsig with their targets. Exit code 1: a target is missed;
//! 2: a benchmark could not run.

mod accuracy;
mod cell;
mod draw;
mod effort;
mod figure;
mod goal;
mod grid;
mod interpose;
mod judge;
mod learn;
mod plan;
mod plogpt;
mod process;
mod select;
mod simulator;
mod site;
mod smpi;
mod speed;
mod tables;
mod truth;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use effort::Effort;

/// The networks of a benchmark.
#[derive(clap::Args)]
struct Drawn {
    /// The seed; 1 to 20 are for development.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of networks.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    networks: u32,
}

/// Measures netsig and holds the figures against their targets.
#[derive(Parser)]
enum Command {
    /// Errors of predictions, and of other methods, on emulated networks drawn from a seed.
    Accuracy {
        #[command(flatten)]
        drawn: Drawn,
        /// Measures the missing data and prints no figure.
        #[arg(long)]
        measure: bool,
    },
    /// Penalties and gains of the algorithms that netsig selects, on emulated networks drawn from a
    /// seed.
    Select {
        #[command(flatten)]
        drawn: Drawn,
        /// Time for measuring a network.
        #[arg(long, value_enum, default_value = "full")]
        effort: Effort,
        /// Measures the missing data and prints no figure.
        #[arg(long)]
        measure: bool,
    },
    /// Real programs and algorithms with and without the preloaded library, on emulated networks drawn
    /// from a seed and on one that is fixed.
    Interpose {
        #[command(flatten)]
        drawn: Drawn,
        /// Time for measuring a network.
        #[arg(long, value_enum, default_value = "full")]
        effort: Effort,
        #[command(flatten)]
        further: interpose::Further,
    },
    /// All-to-alls between emulated sites drawn from a seed: discovery, predictions, selected algorithms.
    Grid {
        #[command(flatten)]
        drawn: Drawn,
        /// Time for measuring a network.
        #[arg(long, value_enum, default_value = "full")]
        effort: Effort,
    },
    /// Times of netsig's commands, fits, predictions and campaigns.
    Speed,
    /// Processor time and memory of `netsig simulate`.
    Simulator,
    /// Two all-to-alls on emulated trees of switches beside their PlogPT predictions.
    Plogpt,
    /// The processor seconds and the most megabytes of a program.
    Usage {
        /// The program with its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        program: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Accuracy {
            drawn: Drawn { seed, networks },
            measure,
        } => accuracy::run(seed, networks, measure),
        Command::Select {
            drawn: Drawn { seed, networks },
            effort,
            measure,
        } => select::run(seed, networks, effort, measure),
        Command::Interpose {
            drawn: Drawn { seed, networks },
            effort,
            further,
        } => interpose::run(seed, networks, effort, &further),
        Command::Grid {
            drawn: Drawn { seed, networks },
            effort,
        } => grid::run(seed, networks, effort),
        Command::Speed => speed::run(),
        Command::Simulator => simulator::run(),
        Command::Plogpt => plogpt::run(),
        Command::Usage { program } => process::usage(&program),
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

/// The root of the workspace.
fn root() -> PathBuf {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    bench
        .parent()
        .expect("bench lies in the workspace")
        .to_owned()
}
