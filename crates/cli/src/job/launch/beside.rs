//! Finds the programs and libraries that `make` builds for each MPI.

use std::path::PathBuf;

use super::flavour::Flavour;
use crate::input::failure::Failure;
use crate::input::files;

/// The rank program for an MPI.
///
/// # Errors
/// If it is not built.
pub fn rank_program(flavour: &Flavour) -> Result<PathBuf, Failure> {
    find(flavour, ["netsig-rank", ""])?.ok_or_else(|| {
        Failure::usage(format!(
            "netsig's rank program for {} is not built; run `make {}`, or give --rank-program",
            flavour.mpi, flavour.directory
        ))
    })
}

/// The library that is preloaded into the ranks of an MPI.
///
/// # Errors
/// If it is not built.
pub fn interposer(flavour: &Flavour) -> Result<PathBuf, Failure> {
    find(flavour, ["libnetsig_interpose", ".so"])?.ok_or_else(|| {
        Failure::usage(format!(
            "netsig's interposer for {} is not built; run `make {}`",
            flavour.mpi, flavour.directory
        ))
    })
}

/// The file with this name and ending: beside netsig with the name of the MPI; or in the build directory
/// that contains netsig, in `openmpi` or `mpich`, of netsig's own kind of build, or a release.
fn find(flavour: &Flavour, [name, ending]: [&str; 2]) -> Result<Option<PathBuf>, Failure> {
    let netsig = std::env::current_exe().map_err(anyhow::Error::from)?;
    let (directory, mpi) = (files::parent(&netsig), flavour.directory);
    let builds = [directory.file_name(), Some("release".as_ref())];
    let builds = builds.into_iter().flatten();
    let builds = builds.map(|build| directory.join("..").join(mpi).join(build));
    let mut places = [directory.join(format!("{name}-{mpi}{ending}"))]
        .into_iter()
        .chain(builds.map(|build| build.join(format!("{name}{ending}"))));
    Ok(places.find(|path| path.is_file()))
}
