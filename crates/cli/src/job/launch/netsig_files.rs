//! Finds the programs and libraries that netsig has for each MPI: beside an installed netsig, in its library folder, or
//! in a build directory.

use std::path::{Path, PathBuf};

use super::implementation::MpiImplementation;
use crate::input::failure::Failure;
use crate::input::files;

/// The library folder of an installation, beside the folder of its programs.
const LIBRARY_FOLDER: &str = "lib/netsig";

/// A file that netsig has for each MPI.
struct NetsigFile {
    name: &'static str,
    ending: &'static str,
    /// Its purpose, in the message that the file is missing.
    purpose: &'static str,
    /// The end of that message.
    remedy: &'static str,
}

impl NetsigFile {
    /// Finds the file for an MPI.
    ///
    /// # Errors
    /// If there is none.
    fn find(&self, implementation: &MpiImplementation) -> Result<PathBuf, Failure> {
        let Self {
            name,
            ending,
            purpose,
            remedy,
        } = self;
        let netsig = std::env::current_exe().map_err(anyhow::Error::from)?;
        let (folder, mpi) = (files::parent(&netsig), implementation.directory);
        let libraries = files::parent(folder).join(LIBRARY_FOLDER);
        let installed = format!("{name}-{mpi}{ending}");
        let beside = [folder, &libraries].map(|directory| directory.join(&installed));
        let built = builds(folder, mpi)
            .into_iter()
            .map(|build| build.join(format!("{name}{ending}")));
        let mut places = beside.into_iter().chain(built);
        places.find(|path| path.is_file()).ok_or_else(|| {
            Failure::usage(format!(
                "netsig's {purpose} for {}, {installed}, is neither in {} nor in {}; run `make {mpi}` where netsig was built, or `make install`, or install netsig's package{remedy}",
                implementation.mpi,
                folder.display(),
                libraries.display()
            ))
        })
    }
}

/// The rank program for an MPI.
///
/// # Errors
/// If there is none.
pub fn rank_program(implementation: &MpiImplementation) -> Result<PathBuf, Failure> {
    let file = NetsigFile {
        name: "netsig-rank",
        ending: "",
        purpose: "rank program",
        remedy: ", or give --rank-program",
    };
    file.find(implementation)
}

/// The library that is preloaded into the ranks of an MPI.
///
/// # Errors
/// If there is none.
pub fn interposer(implementation: &MpiImplementation) -> Result<PathBuf, Failure> {
    let file = NetsigFile {
        name: "libnetsig_interpose",
        ending: ".so",
        purpose: "interposer",
        remedy: "",
    };
    file.find(implementation)
}

/// The build directories for an MPI beside the one that contains netsig: of netsig's own kind of
/// build, and of a release.
fn builds(folder: &Path, mpi: &str) -> Vec<PathBuf> {
    let optional_kinds = [folder.file_name(), Some("release".as_ref())];
    let builds = files::parent(folder).join(mpi);
    let kinds = optional_kinds.into_iter().flatten();
    kinds.map(|kind| builds.join(kind)).collect()
}
