//! Other libraries in the same program that exclude schedules.

use std::ffi::{CStr, c_void};

use crate::loaded::{self, file_of, first_symbol, next_symbol};

/// The functions that a schedule may replace.
const REPLACED: [&CStr; 11] = [
    c"MPI_Alltoall",
    c"MPI_Alltoallv",
    c"MPI_Bcast",
    c"MPI_Scatter",
    c"MPI_Gather",
    c"MPI_Allgather",
    c"MPI_Allreduce",
    c"MPI_Reduce",
    c"MPI_Reduce_scatter",
    c"MPI_Reduce_scatter_block",
    c"MPI_Barrier",
];

/// The file of another library that intercepts a function of this one, in front of it or behind it.
pub fn other_tool() -> Option<String> {
    let ours = file_of(other_tool as *mut c_void)?;
    let mpi = file_of(next_symbol(c"PMPI_Alltoall"))?;
    let seen = REPLACED.iter().flat_map(|name| [first_symbol(name), next_symbol(name)]);
    let mut files = seen.filter_map(file_of);
    // A program that takes the address of a function appears to define it. SAFETY: getauxval accepts any value.
    let entry_value = unsafe { libc::getauxval(libc::AT_ENTRY) };
    let entry = usize::try_from(entry_value).unwrap_or(0);
    let program = file_of(std::ptr::without_provenance_mut(entry));
    files.find(|file| *file != ours && *file != mpi && Some(file) != program.as_ref())
}

/// True if a library for NVIDIA's, AMD's or Intel's GPUs is loaded. A schedule itself copies a process's piece for
/// itself, which is impossible in the memory of a GPU.
pub fn is_gpu_in_use() -> bool {
    let libraries = ["libcuda.so", "libamdhip64.so", "libze_loader.so"];
    let names = loaded::names();
    let mut files = names.iter().map(|name| name.to_string_lossy());
    files.any(|file| libraries.iter().any(|library| file.contains(library)))
}
