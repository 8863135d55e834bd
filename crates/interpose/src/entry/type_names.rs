//! Names of datatypes. A predefined type is known by its name, which is looked up before the program changes it.

use std::ffi::c_int;

use super::export;
#[cfg(open_mpi)]
use super::fortran;
use crate::handle::{Word, handle};
use crate::operands::keep_name;
use crate::session;

export! { MPI_Type_set_name(datatype: Word, name: Word)
    |pass, datatype, _name| {
        if session::current().is_some() {
            keep_name(handle(datatype));
        }
        pass()
    }
}

/// Functions of Fortran, with the address of the error code and the length of the text as further arguments.
macro_rules! renaming {
    ($($name:ident)+) => {
        $(export! { $name(datatype: *mut c_int, text: Word, error: Word, length: Word)
            |pass, datatype, _text, _error, _length| {
                if session::current().is_some() {
                    keep_name(of_fortran(datatype));
                }
                pass()
            }
        })+
    };
}

#[cfg(open_mpi)]
use fortran::datatype as of_fortran;
#[cfg(open_mpi)]
renaming! { mpi_type_set_name mpi_type_set_name_ mpi_type_set_name__ MPI_TYPE_SET_NAME ompi_type_set_name_f }

/// A handle of MPICH is the same in Fortran.
#[cfg(not(open_mpi))]
fn of_fortran(datatype: *mut c_int) -> mpi::ffi::MPI_Datatype {
    // SAFETY: Fortran passes the address of a handle.
    handle(unsafe { *datatype }.cast_unsigned() as usize)
}

// The module `mpi_f08` calls the `PMPI_` function.
#[cfg(not(open_mpi))]
renaming! { mpi_type_set_name_f08_ }
