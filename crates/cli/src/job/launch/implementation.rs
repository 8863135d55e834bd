//! The supported MPI implementations: the mark that identifies their mpirun, and the names of its
//! options.

use std::path::{Path, PathBuf};
use std::process::Command;

use netsig_base::algorithm::MpiFlavour;

use super::in_path;
use crate::input::args::{LauncherChoice, MpiChoice};
use crate::input::failure::Failure;

/// A supported MPI implementation.
#[derive(Debug)]
pub struct MpiImplementation {
    /// The implementation.
    pub mpi: MpiFlavour,
    /// A part of the output of `mpirun --version`.
    version_mark: &'static str,
    /// Possible names of its mpirun.
    programs: &'static [&'static str],
    /// The directory of the programs built for it, relative to the build directory.
    pub directory: &'static str,
    /// The option that names a host file.
    pub hostfile_option: &'static str,
    /// The environment variable that names a host file.
    pub hostfile_variable: &'static str,
    /// The options that place a given number of ranks on each host.
    pub placement_options: fn(u32) -> Vec<String>,
    /// The options that pass an environment variable, name and value, to the ranks.
    pub variable_options: fn(&str, &str) -> Vec<String>,
    /// The word between several programs of a command, after which these options must be repeated.
    pub separator: Option<&'static str>,
}

static OPEN_MPI: MpiImplementation = MpiImplementation {
    mpi: MpiFlavour::OpenMpi,
    version_mark: "open-mpi.org",
    programs: &["mpirun", "mpirun.openmpi", "orterun"],
    directory: "openmpi",
    hostfile_option: "--hostfile",
    hostfile_variable: "OMPI_MCA_orte_default_hostfile",
    placement_options: |ppn| {
        // With several ranks on a host there may be more ranks than processors.
        let slots = if ppn > 1 { ":OVERSUBSCRIBE" } else { "" };
        vec!["--map-by".into(), format!("ppr:{ppn}:node{slots}")]
    },
    variable_options: |name, value| vec!["-x".into(), format!("{name}={value}")],
    separator: Some(":"),
};

static MPICH: MpiImplementation = MpiImplementation {
    mpi: MpiFlavour::Mpich,
    version_mark: "HYDRA",
    programs: &["mpirun", "mpirun.mpich", "mpiexec.hydra"],
    directory: "mpich",
    hostfile_option: "-f",
    hostfile_variable: "HYDRA_HOST_FILE",
    placement_options: |ppn| vec!["-ppn".into(), ppn.to_string()],
    variable_options: |name, value| vec!["-genv".into(), name.into(), value.into()],
    separator: None,
};

/// The implementation `mpi`.
pub fn implementation_of(mpi: MpiChoice) -> &'static MpiImplementation {
    match mpi {
        MpiChoice::Openmpi => &OPEN_MPI,
        MpiChoice::Mpich => &MPICH,
    }
}

/// The MPI of a rank program, if its version text names one.
pub fn of_rank_program(program: &Path) -> Option<&'static MpiImplementation> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names = |implementation: &&&MpiImplementation| text.contains(&implementation.mpi.to_string());
    [&OPEN_MPI, &MPICH].iter().find(names).copied()
}

/// The implementation that `choice` requires, if any.
fn required_by(choice: LauncherChoice) -> Option<&'static MpiImplementation> {
    match choice {
        LauncherChoice::Auto | LauncherChoice::Srun => None,
        LauncherChoice::Openmpi => Some(implementation_of(MpiChoice::Openmpi)),
        LauncherChoice::Mpich => Some(implementation_of(MpiChoice::Mpich)),
    }
}

/// The mpirun at `path`, with its implementation.
///
/// # Errors
/// If the mpirun cannot be started, is not of a supported MPI, or not of the MPI that `choice`
/// requires.
pub fn at(path: PathBuf, choice: LauncherChoice) -> Result<(PathBuf, &'static MpiImplementation), Failure> {
    let found = recognise(&path)?;
    match required_by(choice) {
        Some(wanted) if wanted.mpi != found.mpi => Err(Failure::usage(format!(
            "{}: is the mpirun of {} and not of {}; leave out --launcher or give another --mpirun",
            path.display(),
            found.mpi,
            wanted.mpi
        ))),
        _ => Ok((path, found)),
    }
}

/// The mpirun in PATH, with its implementation.
///
/// # Errors
/// If there is none, or none of the MPI that `choice` requires.
pub fn in_use(choice: LauncherChoice) -> Result<(PathBuf, &'static MpiImplementation), Failure> {
    let Some(wanted) = required_by(choice) else {
        let path = in_path("mpirun").ok_or_else(|| {
            Failure::usage("mpirun is not in PATH; install Open MPI or MPICH, load its module, or give --mpirun")
        })?;
        return at(path, choice);
    };
    let is_wanted = |path: &PathBuf| recognise(path).is_ok_and(|found| found.mpi == wanted.mpi);
    let mut places = wanted.programs.iter().filter_map(|name| in_path(name));
    let path = places.find(is_wanted).ok_or_else(|| {
        Failure::usage(format!(
            "no mpirun of {} is in PATH; install it, load its module, or give --mpirun",
            wanted.mpi
        ))
    })?;
    Ok((path, wanted))
}

/// The first mpirun of `mpi` in PATH, and its version text.
///
/// # Errors
/// If there is none.
pub fn installed(mpi: MpiFlavour) -> Result<(PathBuf, String), Failure> {
    let implementation = [&OPEN_MPI, &MPICH]
        .into_iter()
        .find(|implementation| implementation.mpi == mpi);
    let programs = implementation.map_or(&[][..], |implementation| implementation.programs);
    let print = |path: PathBuf| {
        let text = version(&path).ok()?;
        let is_of_mpi = implementation.is_some_and(|implementation| text.contains(implementation.version_mark));
        is_of_mpi.then_some((path, text))
    };
    let mut places = programs.iter().filter_map(|name| in_path(name));
    places.find_map(print).ok_or_else(|| {
        Failure::usage(format!(
            "no mpirun of {mpi} is in PATH; install it, load its module, or name its version in --for"
        ))
    })
}

/// The version text of an mpirun.
fn version(mpirun: &Path) -> Result<String, Failure> {
    let started = Command::new(mpirun).arg("--version").output();
    let output = started.map_err(|error| {
        let problem = format!("cannot be started ({error}); give the path of an mpirun");
        Failure::usage(problem).about(mpirun)
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The implementation that an mpirun names in its version, if it is a supported one.
///
/// # Errors
/// If the mpirun cannot be started.
pub fn of_mpirun(mpirun: &Path) -> Result<Option<&'static MpiImplementation>, Failure> {
    let text = version(mpirun)?;
    let mut known = [&OPEN_MPI, &MPICH].into_iter();
    Ok(known.find(|implementation| text.contains(implementation.version_mark)))
}

fn recognise(mpirun: &Path) -> Result<&'static MpiImplementation, Failure> {
    of_mpirun(mpirun)?.ok_or_else(|| {
        let problem = "is the mpirun of neither Open MPI nor MPICH; give one with --mpirun";
        Failure::usage(problem).about(mpirun)
    })
}
