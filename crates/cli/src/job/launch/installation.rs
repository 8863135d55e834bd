//! The installed MPI: the parts that a [`Launcher`](super::Launcher) needs, each found separately.

use std::path::{Path, PathBuf};
use std::process::Command;

use netsig_base::algorithm::MpiFlavour;
use netsig_model::tune::LibraryVersion;

use super::{FoundLauncher, implementation, installed, netsig_files, rank_program, refuse_other_mpi};
use crate::input::args::{LaunchArgs, MeasurementPlace};
use crate::input::failure::Failure;

/// The launcher of MPI programs, with its MPI.
pub struct MpiInstallation(FoundLauncher);

/// A rank program that can be started.
pub struct RankProgram {
    /// Its path.
    pub path: PathBuf,
    /// Its own text on its version and its MPI.
    pub version: String,
}

impl MpiInstallation {
    /// Finds the launcher.
    ///
    /// # Errors
    /// If there is none of a supported MPI.
    pub fn find(args: &LaunchArgs, place: &MeasurementPlace) -> Result<Self, Failure> {
        FoundLauncher::find(args, place).map(Self)
    }

    /// The launcher's program.
    pub fn program(&self) -> &Path {
        &self.0.program
    }

    /// The MPI of the mpirun; for srun, of the mpirun in PATH.
    pub fn mpi(&self) -> Option<MpiFlavour> {
        self.0.implementation.map(|implementation| implementation.mpi)
    }

    /// The rank program for the MPI.
    ///
    /// # Errors
    /// If there is none, it cannot be started, or it was built with another MPI.
    pub fn rank_program(&self, args: &LaunchArgs) -> Result<RankProgram, Failure> {
        let path = rank_program(args, self.0.implementation)?;
        let version = version(&path)?;
        if let (None, Some(implementation)) = (self.0.allocation, self.0.implementation) {
            let built_with = implementation::of_rank_program(&path);
            refuse_other_mpi(&self.0.program, implementation, &path, built_with)?;
        }
        Ok(RankProgram { path, version })
    }

    /// The interposer for the MPI, if the MPI is known.
    ///
    /// # Errors
    /// If it is not built.
    pub fn interposer(&self) -> Result<Option<PathBuf>, Failure> {
        self.0.implementation.map(netsig_files::interposer).transpose()
    }
}

/// The version of an installed MPI, if it has an mpirun in PATH that prints one.
pub fn version_of(mpi: MpiFlavour) -> Option<LibraryVersion> {
    LibraryVersion::find(&installed(mpi).ok()?.1)
}

/// The text of a rank program on its version.
fn version(program: &Path) -> Result<String, Failure> {
    let problem = |why: String| {
        let remedy = "load the module of the MPI with which it was built, or build it again";
        Failure::usage(format!("cannot be started ({why}); {remedy}")).about(program)
    };
    let started = Command::new(program).arg("--version").output();
    let output = started.map_err(|error| problem(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let error_text = String::from_utf8_lossy(&output.stderr);
    Err(problem(
        error_text.lines().next().unwrap_or("no reason given").to_owned(),
    ))
}
