//! Facts about the processes of the program, from the MPI library and the environment.

use std::ffi::{CStr, c_char, c_int};

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::choice::FLAVOUR;
use crate::next::NextFunction;
use crate::roll_call::ProcessPlace;

/// The place of this process in the whole job.
pub fn place_in_job(world: ffi::MPI_Comm) -> ProcessPlace {
    let (mut rank, mut procs) = (0, 1);
    // SAFETY: a valid communicator.
    unsafe {
        ffi::PMPI_Comm_rank(world, &raw mut rank);
        ffi::PMPI_Comm_size(world, &raw mut procs);
    }
    ProcessPlace { world, rank, procs }
}

/// True for a process that `MPI_Comm_spawn` started.
pub fn is_spawned() -> bool {
    // SAFETY: constants of the MPI library.
    unsafe {
        let mut parent = ffi::RSMPI_COMM_NULL;
        ffi::PMPI_Comm_get_parent(&raw mut parent);
        parent != ffi::RSMPI_COMM_NULL
    }
}

/// Number of processes that share memory with this one.
pub fn on_this_host(world: ffi::MPI_Comm) -> Result<u64, MpiError> {
    let mut size = 0;
    // SAFETY: constants of the MPI library, and a communicator that is freed here.
    unsafe {
        let mut host = ffi::RSMPI_COMM_NULL;
        MpiError::check(ffi::PMPI_Comm_split_type(
            world,
            ffi::RSMPI_COMM_TYPE_SHARED,
            0,
            ffi::RSMPI_INFO_NULL,
            &raw mut host,
        ))?;
        MpiError::check(ffi::PMPI_Comm_size(host, &raw mut size))?;
        MpiError::check(ffi::PMPI_Comm_free(&raw mut host))?;
    }
    Ok(u64::try_from(size).unwrap_or(1))
}

/// True if the program uses the MPI of this build.
pub fn is_own_mpi() -> bool {
    static VERSION: NextFunction = NextFunction::new(c"PMPI_Get_library_version");
    type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
    let mut buffer: [c_char; 8192] = [0; 8192];
    let mut length = 0;
    // SAFETY: the function has this type in every MPI, and writes no more than its longest text, which is
    // shorter than the array.
    let text = unsafe {
        VERSION.function::<Version>()(buffer.as_mut_ptr(), &raw mut length);
        CStr::from_ptr(buffer.as_ptr()).to_string_lossy()
    };
    text.starts_with(&FLAVOUR.to_string())
}

/// True on the first rank, by the environment alone: for a job whose MPI cannot be called.
pub fn first_by_environment() -> bool {
    let names = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"];
    let rank = names.iter().find_map(|name| std::env::var(name).ok());
    rank.is_none_or(|rank| rank == "0")
}
