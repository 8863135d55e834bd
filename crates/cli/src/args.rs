//! Option values that several commands share.

use std::path::PathBuf;

use clap::ValueEnum;
use netsig_core::cells::Statistic;
use netsig_core::fit::Covariance;
use netsig_core::fit::signature::ThresholdChoice;

/// Where a plan is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Wherever `mpirun` starts processes.
    Mpi,
    /// In an emulated cluster.
    Lab(String),
    /// On the simulated transport, with the truth that a scenario states.
    Simulated(String),
}

/// Reads `mpi`, `lab:SCENARIO` or `sim:SCENARIO`.
///
/// # Errors
/// If it is none of these.
pub fn place(text: &str) -> Result<Place, String> {
    match text.split_once(':') {
        None if text == "mpi" => Ok(Place::Mpi),
        Some(("lab", scenario)) if !scenario.is_empty() => Ok(Place::Lab(scenario.to_owned())),
        Some(("sim", scenario)) if !scenario.is_empty() => {
            Ok(Place::Simulated(scenario.to_owned()))
        }
        _ => Err(
            "write mpi, lab:SCENARIO or sim:SCENARIO; `netsig lab list` names the scenarios"
                .to_owned(),
        ),
    }
}

/// Which covariance a fit assumes.
#[derive(Debug, Clone, PartialEq)]
pub enum CovarianceChoice {
    /// From the repetitions where that explains the residuals, else by bandwidth share.
    Auto,
    /// As said.
    Named(Covariance),
}

/// Reads `auto` or the name of a covariance.
///
/// # Errors
/// If it is none of these.
pub fn covariance(text: &str) -> Result<CovarianceChoice, String> {
    let named = match text {
        "auto" => return Ok(CovarianceChoice::Auto),
        "means" => Some(Covariance::Means),
        "proportional" => Some(Covariance::Proportional),
        "bandwidth-share" => Some(Covariance::BandwidthShare),
        "ols" => Some(Covariance::Ols),
        _ => text
            .strip_prefix("ar1:")
            .and_then(|rho| rho.parse().ok())
            .map(Covariance::Ar1),
    };
    named.map(CovarianceChoice::Named).ok_or_else(|| {
        "write auto, means, proportional, bandwidth-share, ols or ar1:RHO".to_owned()
    })
}

/// Reads `auto`, `none` or a size.
///
/// # Errors
/// If it is none of these.
pub fn threshold(text: &str) -> Result<ThresholdChoice, String> {
    match text {
        "auto" => Ok(ThresholdChoice::Search),
        "none" => Ok(ThresholdChoice::None),
        size => size
            .parse()
            .map(ThresholdChoice::At)
            .map_err(|error| format!("{error}, auto or none")),
    }
}

/// A probability strictly between 0 and 1.
///
/// # Errors
/// If it is not.
pub fn confidence(text: &str) -> Result<f64, String> {
    let level: Option<f64> = text.parse().ok();
    level
        .filter(|level| *level > 0.0 && *level < 1.0)
        .ok_or_else(|| "write a level such as 0.95".to_owned())
}

/// Which number stands for the repetitions of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatisticChoice {
    /// The papers' choice; carries the stalls.
    Mean,
    /// What usually happens.
    Median,
}

impl From<StatisticChoice> for Statistic {
    fn from(choice: StatisticChoice) -> Self {
        match choice {
            StatisticChoice::Mean => Self::Mean,
            StatisticChoice::Median => Self::Median,
        }
    }
}

/// How MPI programs are started.
#[derive(Debug, Clone, clap::Args)]
pub struct LaunchArgs {
    /// The mpirun to use [default: the one in PATH].
    #[arg(long, value_name = "PATH")]
    pub mpirun: Option<PathBuf>,
    /// The hosts to start on, in the form that this mpirun reads.
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// The rank program, built against the same MPI [default: found beside netsig].
    #[arg(long, value_name = "PATH", env = "NETSIG_RANK_PROGRAM")]
    pub rank_program: Option<PathBuf>,
}
