//! The subcommands, one file each: parse, call the library, print.

mod bounds;
mod compare;
mod demo;
mod discover;
mod doctor;
mod fit;
mod import;
mod lab;
mod learn;
mod measure;
mod models;
mod plan;
mod predict;
mod run;
mod select;
mod simulate;
mod tune;

use clap::Subcommand;

use crate::input::failure::Failure;

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
    Tune(tune::Args),
    Run(run::Args),
    Simulate(Box<simulate::Args>),
    Discover(Box<discover::Args>),
    Bounds(bounds::Args),
    Models(models::Args),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// As the `run` of the command.
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
            Self::Tune(args) => tune::run(args),
            Self::Run(args) => run::run(args),
            Self::Simulate(args) => simulate::run(args),
            Self::Bounds(args) => bounds::run(args),
            Self::Models(args) => models::run(args),
            Self::Discover(args) => discover::run(args),
        }
    }
}
