//! The attribute in which a communicator of the program keeps its record.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::fault;
use crate::record::CommunicatorRecord;
use crate::session;

/// Makes the key of the records among a communicator's attributes.
///
/// # Errors
/// If MPI fails.
pub fn keyval() -> Result<c_int, MpiError> {
    let mut keyval = 0;
    // SAFETY: two callbacks of the types that MPI expects.
    let code =
        unsafe { ffi::PMPI_Comm_create_keyval(Some(no_copy), Some(forget), &raw mut keyval, std::ptr::null_mut()) };
    MpiError::check(code).map(|()| keyval)
}

/// Frees what this library keeps of a communicator that the program frees.
unsafe extern "C" fn forget(_: ffi::MPI_Comm, _: c_int, attribute: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the attribute is a pointer of `Arc::into_raw`, which MPI hands back once.
    let record = unsafe { Arc::from_raw(attribute.cast_const().cast::<CommunicatorRecord>()) };
    // At worst the report lacks its calls.
    let _ = fault::catch_panic(|| session::settle_record(&*record));
    0
}

/// Leaves the attribute out of duplicates of a communicator.
unsafe extern "C" fn no_copy(
    _: ffi::MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI gives the address of an int.
    unsafe { *flag = 0 };
    0
}
