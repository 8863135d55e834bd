//! Other libraries in the same program that a schedule cannot be combined with.

use std::ffi::{CStr, c_void};

use crate::loaded::{self, behind, file_of, first};

/// The functions that a schedule may replace.
const REPLACED: [&CStr; 6] = [
    c"MPI_Alltoall",
    c"MPI_Alltoallv",
    c"MPI_Bcast",
    c"MPI_Scatter",
    c"MPI_Gather",
    c"MPI_Allgather",
];

/// The file of another library that intercepts a function of this one, in front of it or behind it.
pub fn other() -> Option<String> {
    let ours = file_of(other as *mut c_void)?;
    let mpi = file_of(behind(c"PMPI_Alltoall"))?;
    let seen = REPLACED.iter().flat_map(|name| [first(name), behind(name)]);
    let mut files = seen.filter_map(file_of);
    // A program that takes the address of a function appears to have it.
    // SAFETY: any value may be asked for.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
    let entry = usize::try_from(entry).unwrap_or(0);
    let program = file_of(std::ptr::without_provenance_mut(entry));
    files.find(|file| *file != ours && *file != mpi && Some(file) != program.as_ref())
}

/// True if a library is loaded by which programs use NVIDIA's, AMD's or Intel's GPUs: a schedule copies a process's
/// own piece itself, which it cannot in their memory.
pub fn is_gpu_in_use() -> bool {
    let libraries = ["libcuda.so", "libamdhip64.so", "libze_loader.so"];
    let names = loaded::names();
    let mut files = names.iter().map(|name| name.to_string_lossy());
    files.any(|file| libraries.iter().any(|own| file.contains(own)))
}
