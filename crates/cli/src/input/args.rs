//! Option values of several commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::duration;
use netsig_model::fit::{Covariance, parse_options};
use netsig_model::model::segment::Segment;
use strum::{EnumMessage, IntoEnumIterator};

/// Place of a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasurementPlace {
    /// On the hosts on which `mpirun` starts processes.
    Mpi,
    /// In an emulated cluster.
    Lab(String),
    /// On the simulated transport, with the parameters stated in a scenario.
    Simulated(String),
}

/// Parses `mpi`, `lab:SCENARIO` or `sim:SCENARIO`.
///
/// # Errors
/// If the text is none of these.
pub fn place(text: &str) -> Result<MeasurementPlace, String> {
    match text.split_once(':') {
        None if text == "mpi" => Ok(MeasurementPlace::Mpi),
        Some(("lab", scenario)) if !scenario.is_empty() => Ok(MeasurementPlace::Lab(scenario.to_owned())),
        Some(("sim", scenario)) if !scenario.is_empty() => Ok(MeasurementPlace::Simulated(scenario.to_owned())),
        _ => Err("write mpi, lab:SCENARIO or sim:SCENARIO; `netsig lab list` names the scenarios".to_owned()),
    }
}

/// The covariance that a fit assumes. `None` for the automatic choice: that of the repetitions if
/// it explains the residuals, otherwise by bandwidth share.
#[derive(Debug, Clone, PartialEq)]
pub struct CovarianceChoice(pub Option<Covariance>);

/// Parses `auto` or the name of a covariance.
///
/// # Errors
/// If the text is none of these.
pub fn covariance(text: &str) -> Result<CovarianceChoice, String> {
    parse_options::parse_covariance(text).map(CovarianceChoice)
}

/// Parses a time limit: a duration of at least a second.
///
/// # Errors
/// If the text is no such duration.
pub fn limit(text: &str) -> Result<Duration, String> {
    duration(text)
        .ok()
        .and_then(|duration| Duration::try_from_secs_f64(duration.0).ok())
        .filter(|limit| *limit >= Duration::from_secs(1))
        .ok_or_else(|| "write a duration from 1 s, such as 90s, 10m or 2h".to_owned())
}

/// Parses a number of things, at least one.
///
/// # Errors
/// If the text is no such number.
pub fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "write a whole number from 1".to_owned())
}

/// Parses a precision such as `2%` and returns it in the form of a plan.
///
/// # Errors
/// If the precision is not above 0 and below 100 %.
pub fn precision(text: &str) -> Result<String, String> {
    let percent = text.trim().strip_suffix('%').map(str::trim);
    percent
        .filter(|number| number.parse::<f64>().is_ok_and(|number| number > 0.0 && number < 100.0))
        .map(|number| format!("{number}%"))
        .ok_or_else(|| "write a share of the median such as 2%".to_owned())
}

/// Parses a size of at least one byte.
///
/// # Errors
/// If the text is no such size.
pub fn segment(text: &str) -> anyhow::Result<Segment> {
    Ok(Segment::new(text.parse()?)?)
}

/// Parses the name of a variant; the help lists all names with the variants' documentation.
pub fn variant<T>() -> impl TypedValueParser<Value = T>
where
    T: IntoEnumIterator + EnumMessage + Clone + Send + Sync + 'static,
{
    let names = T::iter().map(|variant| {
        let help = variant.get_documentation().unwrap_or_default();
        PossibleValue::new(variant.get_serializations()[0]).help(help.trim_end_matches('.'))
    });
    PossibleValuesParser::new(names).map(|name| {
        let mut variants = T::iter();
        let named = variants.find(|variant| variant.get_serializations()[0] == name);
        named.expect("clap asks for one of the names")
    })
}

/// The first of these options that is present.
pub fn first_given(options: &[(&'static str, bool)]) -> Option<&'static str> {
    let given = options.iter().find(|(_, is_given)| *is_given);
    given.map(|(option, _)| *option)
}

/// An MPI library that netsig drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MpiChoice {
    Openmpi,
    Mpich,
}

impl From<MpiChoice> for MpiFlavour {
    fn from(mpi: MpiChoice) -> Self {
        match mpi {
            MpiChoice::Openmpi => Self::OpenMpi,
            MpiChoice::Mpich => Self::Mpich,
        }
    }
}

/// The program that starts MPI programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LauncherChoice {
    /// srun within a Slurm allocation, else the mpirun in PATH.
    Auto,
    /// The mpirun of Open MPI.
    Openmpi,
    /// The mpirun of MPICH.
    Mpich,
    /// Slurm's srun.
    Srun,
}

/// The launcher of MPI programs and its options.
#[derive(Debug, Clone, clap::Args)]
pub struct LaunchArgs {
    /// Launcher of MPI programs.
    #[arg(long, value_enum, default_value = "auto")]
    pub launcher: LauncherChoice,
    /// The mpirun to use [default: the one in PATH].
    #[arg(long, value_name = "PATH")]
    pub mpirun: Option<PathBuf>,
    /// The hosts to start on, in the form that this mpirun reads.
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// Number of ranks on each host. Ranks that share a host exchange data through its memory,
    /// so that their times are not those of the network.
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub ppn: u32,
    /// A further word for mpirun or srun, such as --launcher-option=--oversubscribe; may be
    /// repeated. An option that netsig gives too replaces netsig's.
    #[arg(long = "launcher-option", value_name = "OPTION", allow_hyphen_values = true)]
    pub launcher_options: Vec<String>,
    /// The rank program, built against the same MPI [default: found beside netsig].
    #[arg(long, value_name = "PATH", env = "NETSIG_RANK_PROGRAM")]
    pub rank_program: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_duration_from_a_second_on() {
        for text in ["0", "-1", "0.5s", "inf", "NaN", "ten", "10 d"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }
}
