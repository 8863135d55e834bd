//! Which MPI there is, and the command line that starts netsig's rank program with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use netsig_core::units::Procs;

use crate::args::LaunchArgs;
use crate::failure::Failure;

/// An MPI implementation that netsig knows.
#[derive(Debug, PartialEq, Eq)]
struct Flavour {
    /// What people call it.
    name: &'static str,
    /// What its `mpirun --version` says.
    mark: &'static str,
    /// Where `make` builds the rank program for it, below the build directory.
    directory: &'static str,
    /// The option that names a host file.
    hostfile: &'static str,
}

const FLAVOURS: [Flavour; 2] = [
    Flavour {
        name: "Open MPI",
        mark: "open-mpi.org",
        directory: "openmpi",
        hostfile: "--hostfile",
    },
    Flavour {
        name: "MPICH",
        mark: "HYDRA",
        directory: "mpich",
        hostfile: "-f",
    },
];

/// Everything needed to start the rank program.
#[derive(Debug)]
pub struct Launcher {
    mpirun: PathBuf,
    rank_program: PathBuf,
    host_options: Vec<OsString>,
}

impl Launcher {
    /// Finds mpirun and the rank program for its MPI.
    ///
    /// # Errors
    /// If either is missing, or the MPI is none that netsig knows.
    pub fn find(args: &LaunchArgs) -> Result<Self, Failure> {
        let mpirun = match &args.mpirun {
            Some(path) => absolute(path)?,
            None => in_path("mpirun").ok_or_else(|| {
                Failure::usage("mpirun is not in PATH; install Open MPI or MPICH, load its module, or give --mpirun")
            })?,
        };
        let flavour = flavour(&mpirun)?;
        let rank_program = match &args.rank_program {
            Some(path) if path.is_file() => absolute(path)?,
            Some(path) => {
                return Err(Failure::usage(format!(
                    "{}: there is no rank program; give its path",
                    path.display()
                )));
            }
            None => beside_netsig(flavour)?,
        };
        let host_options = match &args.hostfile {
            Some(file) if file.is_file() => vec![flavour.hostfile.into(), absolute(file)?.into()],
            Some(file) => {
                return Err(Failure::usage(format!(
                    "{}: there is no host file; give its path",
                    file.display()
                )));
            }
            None => Vec::new(),
        };
        Ok(Self {
            mpirun,
            rank_program,
            host_options,
        })
    }

    /// The command that starts `procs` ranks with `arguments` for each.
    pub fn command(&self, procs: Procs, arguments: &[OsString]) -> Vec<OsString> {
        let mut words = vec![
            self.mpirun.clone().into(),
            "-np".into(),
            procs.to_string().into(),
        ];
        words.extend(self.host_options.iter().cloned());
        words.push(self.rank_program.clone().into());
        words.extend(arguments.iter().cloned());
        words
    }
}

/// `path` from the root, so that it holds in any directory.
///
/// # Errors
/// If there is no current directory.
pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::usage(format!("{}: {error}; check the path", path.display())))
}

fn in_path(program: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories)
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())
}

fn flavour(mpirun: &Path) -> Result<&'static Flavour, Failure> {
    let shown = mpirun.display();
    let output = Command::new(mpirun)
        .arg("--version")
        .output()
        .map_err(|error| {
            Failure::usage(format!(
                "{shown}: cannot be started ({error}); give the path of an mpirun"
            ))
        })?;
    let text = String::from_utf8_lossy(&output.stdout);
    FLAVOURS
        .iter()
        .find(|flavour| text.contains(flavour.mark))
        .ok_or_else(|| {
            Failure::usage(format!(
                "{shown}: is the mpirun of neither Open MPI nor MPICH; give one with --mpirun"
            ))
        })
}

/// The rank program in the place where `make` leaves it: `openmpi/release` or
/// `mpich/release` in the build directory that holds netsig itself, or beside netsig
/// under the name of the MPI.
fn beside_netsig(flavour: &Flavour) -> Result<PathBuf, Failure> {
    let netsig = std::env::current_exe().map_err(|error| Failure::Work(error.into()))?;
    let directory = netsig.parent().unwrap_or(Path::new("/"));
    let candidates = [
        directory.join(format!("netsig-rank-{}", flavour.directory)),
        directory
            .join("..")
            .join(flavour.directory)
            .join("release")
            .join("netsig-rank"),
    ];
    candidates
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Failure::usage(format!(
                "netsig's rank program for {} is not built; run `make {}`, or give --rank-program",
                flavour.name, flavour.directory
            ))
        })
}
