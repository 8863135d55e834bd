//! The start and the end of MPI in a program.

use std::ffi::{c_char, c_int};

use super::export;
use crate::attribute::keyval;
use crate::next::NextFunction;
use crate::{fault, roll_call, session, store};

export! { MPI_Init(count: *mut c_int, arguments: *mut *mut *mut c_char)
    |pass, _count, _arguments| begin_session(pass())
}

export! { MPI_Init_thread(count: *mut c_int, arguments: *mut *mut *mut c_char, wanted: c_int, provided: *mut c_int)
    |pass, _count, _arguments, _wanted, _provided| begin_session(pass())
}

export! { MPI_Finalize()
    |pass| {
        session::end();
        pass()
    }
}

/// Begins the session if MPI has started.
fn begin_session(code: c_int) -> c_int {
    if code == 0 {
        session::begin(keyval);
    }
    code
}

/// Called by the MPI library in `MPI_Init`, where it publishes its entries in the process manager's store.
///
/// # Safety
/// The requirements of PMIx's function of this name.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "a name of PMIx")]
pub unsafe extern "C" fn PMIx_Commit() -> c_int {
    const NOT_SUPPORTED: c_int = -47;
    type CommitFunction = unsafe extern "C" fn() -> c_int;
    static NEXT: NextFunction = NextFunction::new(c"PMIx_Commit");
    // SAFETY: the function of this name has this type.
    let mut pass = || unsafe { NEXT.find::<CommitFunction>().map_or(NOT_SUPPORTED, |next| next()) };
    fault::guarded(&mut pass, |pass| {
        store::put(roll_call::build());
        pass()
    })
}

/// MPICH's module `mpi_f08` calls the `PMPI_` functions where no argument is a buffer: for the start and the end of MPI, and
/// for barriers. The address of the error code may be missing.
#[cfg(not(open_mpi))]
mod f08 {
    use std::ffi::c_int;

    use super::{export, keyval, session};
    use crate::entry::collectives::synchronise;

    export! { mpi_barrier_f08_(comm: *const c_int, error: *mut c_int)
        |pass, comm, error| {
            // SAFETY: Fortran passes the address of a handle.
            let handle = unsafe { *comm };
            // The program's own function stores the code, if there is room for it.
            let code = synchronise(handle.cast_unsigned() as usize, &mut || {
                let code = pass();
                // SAFETY: Fortran passes the address of an integer, or null.
                if error.is_null() { code } else { unsafe { *error } }
            });
            if !error.is_null() {
                // SAFETY: Fortran passes the address of an integer.
                unsafe { *error = code };
            }
            0
        }
    }

    export! { mpi_init_f08_(error: *mut c_int) |pass, error| begin_session_of_fortran(pass, error) }

    export! { mpi_init_thread_f08_(wanted: *mut c_int, provided: *mut c_int, error: *mut c_int)
        |pass, _wanted, _provided, error| begin_session_of_fortran(pass, error)
    }

    export! { mpi_finalize_f08_(error: *mut c_int)
        |pass, _error| {
            session::end();
            pass()
        }
    }

    fn begin_session_of_fortran(pass: &mut dyn FnMut() -> c_int, error: *mut c_int) -> c_int {
        let code = pass();
        // SAFETY: Fortran passes the address of an integer, or null.
        if error.is_null() || unsafe { *error } == 0 {
            session::begin(keyval);
        }
        code
    }
}
