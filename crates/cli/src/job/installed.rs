//! The installed MPI: its version, and the file of its library.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use netsig_base::algorithm::MpiFlavour;
use netsig_model::tune::LibraryVersion;

use crate::input::failure::Failure;
use crate::input::files;
use crate::job::launch;

/// File names of MPICH's library.
const MPICH_LIBRARIES: [&str; 3] = ["libmpich.so.12", "libmpi.so.12", "libmpich.so"];

/// End of the directories in which Debian keeps libraries of a machine.
const MACHINE_SUFFIX: &str = "-linux-gnu";

/// Version of the installed MPI, as its mpirun prints it.
///
/// # Errors
/// If there is no mpirun of this MPI, or it prints no version.
pub fn version(mpi: MpiFlavour) -> Result<LibraryVersion, Failure> {
    let (mpirun, text) = launch::installed(mpi)?;
    LibraryVersion::find(&text).ok_or_else(|| {
        let problem = "prints no version; name one in --for, as in openmpi-4.1";
        Failure::usage(problem).about(mpirun)
    })
}

/// Applies `find` to the library of the installed MPICH.
///
/// # Errors
/// If `find` finds nothing in any file of the library.
pub fn in_mpich<T>(find: impl Fn(&[u8]) -> Option<T>) -> Result<T, Failure> {
    let (mpirun, _) = launch::installed(MpiFlavour::Mpich)
        .map_err(|_| Failure::usage("no MPICH is in PATH; give the path of its libmpich.so.12 by --library"))?;
    let library_folders = directories(&mpirun).into_iter();
    let files = library_folders.flat_map(|directory| MPICH_LIBRARIES.map(|name| directory.join(name)));
    let mut found = files.filter_map(|file| find(&fs::read(file).ok()?));
    found.next().ok_or_else(|| {
        let problem = "no libmpich.so with a selection tree is near it; give its path by --library";
        Failure::usage(problem).about(mpirun)
    })
}

/// Applies `find` to the library at `path`.
///
/// # Errors
/// If the file cannot be read, or `find` finds nothing.
pub fn in_library<T>(path: &Path, find: impl Fn(&[u8]) -> Option<T>) -> Result<T, Failure> {
    let bytes = files::read(path, |path| fs::read(path))?;
    find(&bytes).ok_or_else(|| {
        let problem = "holds no selection tree of MPICH 4; name its libmpich.so.12";
        Failure::usage(problem).about(path)
    })
}

/// Directories of libraries, those of the environment first.
fn directories(mpirun: &Path) -> Vec<PathBuf> {
    let of_environment = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = std::env::split_paths(&of_environment).collect();
    let program = mpirun.canonicalize().unwrap_or_else(|_| mpirun.to_owned());
    let Some(prefix) = program.parent().and_then(Path::parent) else {
        return all;
    };
    let library = prefix.join("lib");
    let is_of_machine = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| name.ends_with(MACHINE_SUFFIX))
    };
    let entries = fs::read_dir(&library).into_iter().flatten().flatten();
    let machine_folders = entries.map(|entry| entry.path()).filter(is_of_machine);
    all.extend([library.clone(), prefix.join("lib64")]);
    all.extend(machine_folders);
    all
}
