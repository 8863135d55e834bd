//! Finds the programs and libraries that netsig has for each MPI: beside netsig or in the library
//! folder where netsig is installed, in a build directory where it was built.

use std::path::{Path, PathBuf};

use super::flavour::Flavour;
use crate::input::failure::Failure;
use crate::input::files;

/// The library folder of an installation, beside the folder of its programs.
const LIBRARIES: &str = "lib/netsig";

/// The rank program for an MPI.
///
/// # Errors
/// If there is none.
pub fn rank_program(flavour: &Flavour) -> Result<PathBuf, Failure> {
    let remedy = ", or give --rank-program";
    find(flavour, ["netsig-rank", ""], ("rank program", remedy))
}

/// The library that is preloaded into the ranks of an MPI.
///
/// # Errors
/// If there is none.
pub fn interposer(flavour: &Flavour) -> Result<PathBuf, Failure> {
    let file = ["libnetsig_interpose", ".so"];
    find(flavour, file, ("interposer", ""))
}

/// The file with this name and ending for an MPI.
///
/// # Errors
/// If there is none. `what` says its purpose, and `remedy` completes the advice.
fn find(flavour: &Flavour, [name, ending]: [&str; 2], (what, remedy): (&str, &str)) -> Result<PathBuf, Failure> {
    let netsig = std::env::current_exe().map_err(anyhow::Error::from)?;
    let (folder, mpi) = (files::parent(&netsig), flavour.directory);
    let libraries = files::parent(folder).join(LIBRARIES);
    let installed = format!("{name}-{mpi}{ending}");
    let beside = [folder, &libraries].map(|own| own.join(&installed));
    let built = builds(folder, mpi)
        .into_iter()
        .map(|build| build.join(format!("{name}{ending}")));
    let mut places = beside.into_iter().chain(built);
    places.find(|path| path.is_file()).ok_or_else(|| {
        Failure::usage(format!(
            "netsig's {what} for {}, {installed}, is neither in {} nor in {}; run `make {mpi}` where netsig was built, or `make install`, or install netsig's package{remedy}",
            flavour.mpi,
            folder.display(),
            libraries.display()
        ))
    })
}

/// The build directories for an MPI beside the one that contains netsig: of netsig's own kind of
/// build, and of a release.
fn builds(folder: &Path, mpi: &str) -> Vec<PathBuf> {
    let kinds = [folder.file_name(), Some("release".as_ref())];
    let builds = files::parent(folder).join(mpi);
    let kinds = kinds.into_iter().flatten();
    kinds.map(|kind| builds.join(kind)).collect()
}
