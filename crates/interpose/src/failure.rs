//! Reports failures of schedules like the MPI library. The error handler of the program's communicator gets the class
//! of the failure and the name of the program's call.
//!
//! MPICH raises errors of messages on `MPI_COMM_WORLD`, whatever their communicator is. While a schedule runs, that
//! handler therefore returns ([`without_world`]).

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::loaded;
use crate::operation::CalledOperation;

/// Reports the failure of a schedule for a call on `comm`; returns the code for the program.
pub fn reported(comm: ffi::MPI_Comm, operation: CalledOperation, error: MpiError) -> c_int {
    let code = named(operation, error.0);
    invoke(comm, code, &name_of(operation));
    code
}

/// The C name of the program's call.
fn name_of(operation: CalledOperation) -> CString {
    let (first, rest) = operation.name().split_at(1);
    let text = format!("MPI_{}{}", first.to_uppercase(), rest.replace('-', "_"));
    CString::new(text).expect("names have no null byte")
}

/// Calls the communicator's error handler.
#[cfg(not(open_mpi))]
fn invoke(comm: ffi::MPI_Comm, code: c_int, _: &CStr) {
    // SAFETY: a communicator of the program and a code of MPI.
    unsafe { ffi::PMPI_Comm_call_errhandler(comm, code) };
}

/// Calls the communicator's error handler. Open MPI's internal function takes the name of the call, which the handler
/// that ends the job prints. MPI's public function would have it print another name.
#[cfg(open_mpi)]
fn invoke(comm: ffi::MPI_Comm, code: c_int, name: &CStr) {
    /// Arguments: handler, communicator, kind of the object, code, name of the call.
    type Invoke = unsafe extern "C" fn(ffi::MPI_Errhandler, ffi::MPI_Comm, c_int, c_int, *const c_char) -> c_int;
    /// The kind of communicators.
    const COMMUNICATOR: c_int = 1;
    let found = function(c"ompi_errhandler_invoke");
    // SAFETY: Open MPI's function of this name has this type in versions 3 to 5; a communicator of the
    // program, a code of MPI, and a handler that is given back.
    unsafe {
        let Some(found) = found else {
            ffi::PMPI_Comm_call_errhandler(comm, code);
            return;
        };
        let mut handler = ffi::RSMPI_ERRORS_RETURN;
        ffi::PMPI_Comm_get_errhandler(comm, &raw mut handler);
        let invoke: Invoke = transmute::<*mut c_void, Invoke>(found);
        invoke(handler, comm, COMMUNICATOR, code, name.as_ptr());
        ffi::PMPI_Errhandler_free(&raw mut handler);
    }
}

/// The code for the program: Open MPI's codes are classes.
#[cfg(open_mpi)]
fn named(_: CalledOperation, code: c_int) -> c_int {
    code
}

/// A code of the same class whose text names the program's call, like the codes of MPICH's own collectives; the code
/// itself if MPICH's function is missing.
#[cfg(not(open_mpi))]
fn named(operation: CalledOperation, code: c_int) -> c_int {
    /// Arguments: earlier code, flag for a fatal error, function, line, class, text, text with arguments.
    type Create =
        unsafe extern "C" fn(c_int, c_int, *const c_char, c_int, c_int, *const c_char, *const c_char, ...) -> c_int;
    let Some(found) = function(c"MPIR_Err_create_code") else {
        return code;
    };
    let function = name_of(operation);
    let lower_name = format!("**{}", function.to_string_lossy().to_lowercase());
    let text = CString::new(lower_name).expect("names have no null byte");
    let line = c_int::try_from(line!()).unwrap_or(0);
    // SAFETY: MPICH's function of this name has this type in versions 3 and 4.
    unsafe {
        let create = transmute::<*mut c_void, Create>(found);
        create(
            code,
            0,
            function.as_ptr(),
            line,
            ffi::MPI_ERR_OTHER.cast_signed(),
            text.as_ptr(),
            std::ptr::null(),
        )
    }
}

/// The MPI library's function of this name, if it has one.
fn function(name: &CStr) -> Option<*mut c_void> {
    let found = loaded::all_symbols(name).into_iter().next();
    found.filter(|found| !found.is_null())
}

/// Runs a schedule. Open MPI raises errors on the communicator of the messages.
#[cfg(open_mpi)]
pub fn without_world<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Runs a schedule while the handlers of `MPI_COMM_WORLD` and `MPI_COMM_SELF` return.
#[cfg(not(open_mpi))]
pub fn without_world<T>(work: impl FnOnce() -> T) -> T {
    let _quiet = quiet::QuietHandlers::new();
    work()
}

#[cfg(not(open_mpi))]
mod quiet {
    use std::sync::Mutex;

    use mpi::ffi;

    use crate::lock;

    /// Number of schedules in progress, in all threads, and the program's handlers meanwhile.
    static KEPT: Mutex<(u32, Option<[ffi::MPI_Errhandler; 2]>)> = Mutex::new((0, None));

    /// Errors return as long as a value of this type lives.
    pub struct QuietHandlers;

    /// The communicators on which MPICH raises errors of messages, by version.
    fn communicators() -> [ffi::MPI_Comm; 2] {
        // SAFETY: constants of the MPI library.
        unsafe { [ffi::RSMPI_COMM_WORLD, ffi::RSMPI_COMM_SELF] }
    }

    impl QuietHandlers {
        pub fn new() -> Self {
            let mut kept = lock(&KEPT);
            kept.0 += 1;
            kept.1.get_or_insert_with(|| communicators().map(replaced));
            Self
        }
    }

    /// Replaces the handler of a communicator by one that returns; gives the old handler.
    fn replaced(comm: ffi::MPI_Comm) -> ffi::MPI_Errhandler {
        // SAFETY: a communicator and handlers of the MPI library.
        unsafe {
            let mut handler = ffi::RSMPI_ERRORS_RETURN;
            ffi::PMPI_Comm_get_errhandler(comm, &raw mut handler);
            ffi::PMPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN);
            handler
        }
    }

    impl Drop for QuietHandlers {
        fn drop(&mut self) {
            let mut kept = lock(&KEPT);
            kept.0 -= 1;
            if kept.0 > 0 {
                return;
            }
            for (comm, mut handler) in communicators().into_iter().zip(kept.1.take().into_iter().flatten()) {
                // SAFETY: the program's handler, which `replaced` got, is set again and given back.
                unsafe {
                    ffi::PMPI_Comm_set_errhandler(comm, handler);
                    ffi::PMPI_Errhandler_free(&raw mut handler);
                }
            }
        }
    }
}
