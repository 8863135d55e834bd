//! What of MPI is installed here: the parts that a [`Launcher`](super::Launcher) needs, each told on its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use netsig_base::algorithm::MpiFlavour;
use netsig_model::tune::Version;

use super::{Base, beside, flavour, installed, rank_program, refuse_other};
use crate::input::args::{LaunchArgs, Place};
use crate::input::failure::Failure;

/// The launcher of MPI programs, with its MPI.
pub struct Survey(Base);

/// A rank program that can be started.
pub struct RankProgram {
    /// Its path.
    pub path: PathBuf,
    /// What it prints about its version and its MPI.
    pub version: String,
}

impl Survey {
    /// Finds the launcher.
    ///
    /// # Errors
    /// If there is none of a supported MPI.
    pub fn find(args: &LaunchArgs, place: &Place) -> Result<Self, Failure> {
        Base::find(args, place).map(Self)
    }

    /// The launcher's program.
    pub fn program(&self) -> &Path {
        &self.0.program
    }

    /// The MPI: of the mpirun, with srun of the mpirun in PATH.
    pub fn mpi(&self) -> Option<MpiFlavour> {
        self.0.flavour.map(|flavour| flavour.mpi)
    }

    /// The rank program for the MPI.
    ///
    /// # Errors
    /// If there is none, it cannot be started, or it was built with another MPI.
    pub fn rank_program(&self, args: &LaunchArgs) -> Result<RankProgram, Failure> {
        let path = rank_program(args, self.0.flavour)?;
        let version = version(&path)?;
        if let (None, Some(flavour)) = (self.0.allocation, self.0.flavour) {
            let built_with = flavour::of_rank_program(&path);
            refuse_other(&self.0.program, flavour, &path, built_with)?;
        }
        Ok(RankProgram { path, version })
    }

    /// The interposer for the MPI, if the MPI is known.
    ///
    /// # Errors
    /// If it is not built.
    pub fn interposer(&self) -> Result<Option<PathBuf>, Failure> {
        self.0.flavour.map(beside::interposer).transpose()
    }
}

/// The version of an installed MPI, if it has an mpirun in PATH that prints one.
pub fn version_of(mpi: MpiFlavour) -> Option<Version> {
    Version::find(&installed(mpi).ok()?.1)
}

/// What a rank program prints about its version.
fn version(program: &Path) -> Result<String, Failure> {
    let problem = |why: String| {
        let remedy = "load the module of the MPI with which it was built, or build it again";
        Failure::usage(format!("cannot be started ({why}); {remedy}")).about(program)
    };
    let output = Command::new(program).arg("--version").output();
    let output = output.map_err(|error| problem(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(problem(said.lines().next().unwrap_or("no reason given").to_owned()))
}
