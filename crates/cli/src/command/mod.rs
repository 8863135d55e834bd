//! The subcommands, one file each: parse, call the library, print.

mod bounds;
mod compare;
mod demo;
mod discover;
mod doctor;
mod fit;
mod generate;
mod import;
mod lab;
mod learn;
mod measure;
mod models;
mod plan;
mod predict;
mod report;
mod run;
mod select;
mod simulate;
mod tune;

use clap::{Parser, Subcommand};

use crate::input::failure::Failure;
use crate::input::verbosity::QuietArgs;

/// The first line of the examples in the help of a command; each further line is one.
const EXAMPLES_HEADING: &str = "Examples:";

const EXAMPLES: &str = "\
Examples:
  netsig demo
  netsig learn 'alltoall library up to 32' --max-procs 8 --budget 2m -o data.csv --hostfile hosts
  netsig predict data.toml --collective alltoall --algorithm library --procs 16,32 --size 1KiB..256KiB
  netsig lab exec ethernet-8x50 -- mpirun -np 8 ./any-mpi-program";

/// Measures, predicts and improves MPI collective communication under network contention.
#[derive(Parser)]
#[command(name = "netsig", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How much is printed.
    #[command(flatten)]
    pub quiet: QuietArgs,
}

/// The subcommands, in the order of the help.
#[derive(Subcommand)]
pub enum Command {
    Demo(demo::Args),
    Doctor(Box<doctor::Args>),
    Lab(lab::Args),
    Learn(Box<learn::Args>),
    Plan(plan::Args),
    Measure(measure::Args),
    Import(import::Args),
    Fit(fit::Args),
    Compare(compare::Args),
    Predict(predict::Args),
    Select(select::Args),
    Report(report::Args),
    Tune(tune::Args),
    Run(run::Args),
    Simulate(Box<simulate::Args>),
    Discover(Box<discover::Args>),
    Bounds(bounds::Args),
    Models(models::Args),
    Generate(generate::Args),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// The errors of the `run` of the command.
    pub fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Demo(args) => demo::run(args),
            Self::Doctor(args) => doctor::run(args),
            Self::Lab(args) => lab::run(args),
            Self::Learn(args) => learn::run(args),
            Self::Plan(args) => plan::run(args),
            Self::Measure(args) => measure::run(args),
            Self::Import(args) => import::run(args),
            Self::Fit(args) => fit::run(args),
            Self::Compare(args) => compare::run(args),
            Self::Predict(args) => predict::run(args),
            Self::Select(args) => select::run(args),
            Self::Report(args) => report::run(args),
            Self::Tune(args) => tune::run(args),
            Self::Run(args) => run::run(args),
            Self::Simulate(args) => simulate::run(args),
            Self::Bounds(args) => bounds::run(args),
            Self::Models(args) => models::run(args),
            Self::Generate(args) => generate::run(args),
            Self::Discover(args) => discover::run(args),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::*;

    /// The built command and all its subcommands but help.
    fn all(command: &Command) -> Vec<&Command> {
        let below = command.get_subcommands().flat_map(all);
        std::iter::once(command).chain(below).collect()
    }

    #[test]
    fn every_help_ends_in_examples_that_parse() {
        let mut netsig = Cli::command().disable_help_subcommand(true);
        netsig.build();
        for command in all(&netsig) {
            let name = command.get_bin_name().unwrap_or("netsig");
            let help = command.get_after_help().unwrap_or_default().to_string();
            let (heading, examples) = help.split_once('\n').unwrap_or_default();
            assert_eq!(heading, EXAMPLES_HEADING, "{name}");
            assert!((2..=4).contains(&examples.lines().count()), "{name}");
            for example in examples.lines() {
                let words = shlex::split(example).unwrap();
                assert!(words.join(" ").starts_with(name), "{example}");
                let parsed = Cli::try_parse_from(words);
                assert!(parsed.is_ok(), "{example}: {}", parsed.err().unwrap());
            }
        }
    }
}
