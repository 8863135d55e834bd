//! Error codes of MPI calls.

use std::os::raw::c_int;

use mpi::ffi;

/// The code of an MPI call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MpiError(pub c_int);

impl MpiError {
    /// A fault of netsig.
    pub const INTERNAL: Self = Self(ffi::MPI_ERR_INTERN.cast_signed());

    /// The result of a call that returned `code`.
    ///
    /// # Errors
    /// If the code is not `MPI_SUCCESS`.
    #[expect(clippy::cast_possible_wrap, reason = "MPI_SUCCESS is 0")]
    pub fn check(code: c_int) -> Result<(), Self> {
        if code == ffi::MPI_SUCCESS as c_int {
            return Ok(());
        }
        Err(Self(code))
    }
}
