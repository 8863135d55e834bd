//! The hosts of all processes.

use std::ffi::{c_char, c_int};

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::agreement::broadcast_in_parts;

/// Longest name of a host; longer ones are cut, as in measurements.
const LONGEST_NAME: usize = 64;

/// The host of each rank of a communicator of `procs` processes. All ranks must call this.
///
/// # Errors
/// If MPI fails.
pub fn hosts(world: ffi::MPI_Comm, procs: c_int) -> Result<Vec<String>, MpiError> {
    let mut name: [c_char; 1024] = [0; 1024];
    let mut length = 0;
    let mut all = vec![0u8; LONGEST_NAME * usize::try_from(procs).unwrap_or(0)];
    let size = c_int::try_from(LONGEST_NAME).expect("a short name");
    // SAFETY: no MPI has longer names than the first array; the others have the stated lengths, which
    // each rank's bytes fill.
    unsafe {
        MpiError::check(ffi::PMPI_Get_processor_name(name.as_mut_ptr(), &raw mut length))?;
        // Few pairs of ranks exchange messages: on a connection whose short round trip is known, Linux sends longer
        // bursts (tcp_tso_rtt_log).
        MpiError::check(ffi::PMPI_Gather(
            name.as_ptr().cast(),
            size,
            ffi::RSMPI_UINT8_T,
            all.as_mut_ptr().cast(),
            size,
            ffi::RSMPI_UINT8_T,
            0,
            world,
        ))?;
    }
    broadcast_in_parts(&mut all, world)?;
    let names = all.chunks(LONGEST_NAME).map(|name| {
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(LONGEST_NAME);
        String::from_utf8_lossy(&name[..end]).into_owned()
    });
    Ok(names.collect())
}
