//! How a datatype was made.

use std::ffi::c_int;

use mpi::ffi;

#[cfg(open_mpi)]
mod combiner {
    pub use mpi::ffi::{
        MPI_COMBINER_CONTIGUOUS as CONTIGUOUS, MPI_COMBINER_DUP as DUP,
        MPI_COMBINER_F90_COMPLEX as F90_COMPLEX, MPI_COMBINER_F90_INTEGER as F90_INTEGER,
        MPI_COMBINER_F90_REAL as F90_REAL, MPI_COMBINER_NAMED as NAMED,
    };
}
#[cfg(not(open_mpi))]
mod combiner {
    pub use mpi::ffi::{
        MPIR_Combiner_enum_MPI_COMBINER_CONTIGUOUS as CONTIGUOUS,
        MPIR_Combiner_enum_MPI_COMBINER_DUP as DUP,
        MPIR_Combiner_enum_MPI_COMBINER_F90_COMPLEX as F90_COMPLEX,
        MPIR_Combiner_enum_MPI_COMBINER_F90_INTEGER as F90_INTEGER,
        MPIR_Combiner_enum_MPI_COMBINER_F90_REAL as F90_REAL,
        MPIR_Combiner_enum_MPI_COMBINER_NAMED as NAMED,
    };
}

/// A number of an envelope. The functions for C ints refuse datatypes that were made with large counts.
#[cfg(large_counts)]
type Count = ffi::MPI_Count;
#[cfg(not(large_counts))]
type Count = c_int;

/// The construction of a datatype, and the numbers of its arguments.
#[derive(Default)]
pub struct Envelope {
    combiner: c_int,
    integers: Count,
    addresses: Count,
    large: Count,
    datatypes: Count,
}

impl Envelope {
    /// The envelope of a datatype.
    pub fn of(datatype: ffi::MPI_Datatype) -> Self {
        let mut own = Self::default();
        // SAFETY: a valid datatype.
        unsafe {
            #[cfg(large_counts)]
            ffi::PMPI_Type_get_envelope_c(
                datatype,
                &raw mut own.integers,
                &raw mut own.addresses,
                &raw mut own.large,
                &raw mut own.datatypes,
                &raw mut own.combiner,
            );
            #[cfg(not(large_counts))]
            ffi::PMPI_Type_get_envelope(
                datatype,
                &raw mut own.integers,
                &raw mut own.addresses,
                &raw mut own.datatypes,
                &raw mut own.combiner,
            );
        }
        own
    }

    fn is_one_of(&self, combiners: &[u32]) -> bool {
        combiners.contains(&self.combiner.cast_unsigned())
    }

    /// True for a datatype of the MPI library's own, which is not freed. Those that Fortran asks for by
    /// precision or range are among them.
    pub fn is_predefined(&self) -> bool {
        use combiner::{F90_COMPLEX, F90_INTEGER, F90_REAL, NAMED};
        self.is_one_of(&[NAMED, F90_REAL, F90_COMPLEX, F90_INTEGER])
    }

    /// True for a series of one datatype, or a duplicate of it.
    pub fn is_series(&self) -> bool {
        let numbers = self.integers + self.large;
        self.is_one_of(&[combiner::CONTIGUOUS, combiner::DUP])
            && self.datatypes == 1
            && numbers <= 1
            && self.addresses == 0
    }

    /// The datatype in a series: a new handle, unless it is predefined.
    pub fn inner(&self, series: ffi::MPI_Datatype) -> ffi::MPI_Datatype {
        let mut integer: c_int = 0;
        let mut address: ffi::MPI_Aint = 0;
        // SAFETY: the arrays have the lengths of the envelope, at most one each.
        unsafe {
            let mut inner = ffi::RSMPI_DATATYPE_NULL;
            #[cfg(large_counts)]
            {
                let mut large: Count = 0;
                ffi::PMPI_Type_get_contents_c(
                    series,
                    self.integers,
                    0,
                    self.large,
                    1,
                    &raw mut integer,
                    &raw mut address,
                    &raw mut large,
                    &raw mut inner,
                );
            }
            #[cfg(not(large_counts))]
            ffi::PMPI_Type_get_contents(
                series,
                self.integers,
                0,
                1,
                &raw mut integer,
                &raw mut address,
                &raw mut inner,
            );
            inner
        }
    }
}
