//! The construction of a datatype, as MPI reports it.

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

use mpi::ffi;

use crate::loaded;

#[cfg(open_mpi)]
mod combiner {
    pub use mpi::ffi::{
        MPI_COMBINER_CONTIGUOUS as CONTIGUOUS, MPI_COMBINER_DUP as DUP, MPI_COMBINER_F90_COMPLEX as F90_COMPLEX,
        MPI_COMBINER_F90_INTEGER as F90_INTEGER, MPI_COMBINER_F90_REAL as F90_REAL, MPI_COMBINER_NAMED as NAMED,
    };
}
#[cfg(not(open_mpi))]
mod combiner {
    pub use mpi::ffi::{
        MPIR_Combiner_enum_MPI_COMBINER_CONTIGUOUS as CONTIGUOUS, MPIR_Combiner_enum_MPI_COMBINER_DUP as DUP,
        MPIR_Combiner_enum_MPI_COMBINER_F90_COMPLEX as F90_COMPLEX,
        MPIR_Combiner_enum_MPI_COMBINER_F90_INTEGER as F90_INTEGER,
        MPIR_Combiner_enum_MPI_COMBINER_F90_REAL as F90_REAL, MPIR_Combiner_enum_MPI_COMBINER_NAMED as NAMED,
    };
}

/// The functions of MPI 4 for large counts. The functions for C ints refuse datatypes that were made with large counts.
#[derive(Clone, Copy)]
struct LargeCountFunctions {
    envelope: GetEnvelope,
    contents: GetContents,
}

type GetEnvelope = unsafe extern "C" fn(
    ffi::MPI_Datatype,
    *mut ffi::MPI_Count,
    *mut ffi::MPI_Count,
    *mut ffi::MPI_Count,
    *mut ffi::MPI_Count,
    *mut c_int,
) -> c_int;
type GetContents = unsafe extern "C" fn(
    ffi::MPI_Datatype,
    ffi::MPI_Count,
    ffi::MPI_Count,
    ffi::MPI_Count,
    ffi::MPI_Count,
    *mut c_int,
    *mut ffi::MPI_Aint,
    *mut ffi::MPI_Count,
    *mut ffi::MPI_Datatype,
) -> c_int;

/// Looks the functions up at run time; `None` if the program's MPI library has none. Its version may differ from the
/// version of this build, and a program does not start if a linked function is missing.
fn large_count_functions() -> Option<LargeCountFunctions> {
    static FOUND: OnceLock<Option<LargeCountFunctions>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let envelope = loaded::next_symbol(c"PMPI_Type_get_envelope_c");
        let contents = loaded::next_symbol(c"PMPI_Type_get_contents_c");
        let are_found = !envelope.is_null() && !contents.is_null();
        // SAFETY: functions of these types, by the MPI standard.
        are_found.then(|| unsafe {
            LargeCountFunctions {
                envelope: transmute::<*mut c_void, GetEnvelope>(envelope),
                contents: transmute::<*mut c_void, GetContents>(contents),
            }
        })
    })
}

/// The construction of a datatype, and the numbers of its arguments.
#[derive(Default)]
pub struct DatatypeEnvelope {
    combiner: c_int,
    integers: ffi::MPI_Count,
    addresses: ffi::MPI_Count,
    large: ffi::MPI_Count,
    datatypes: ffi::MPI_Count,
}

impl DatatypeEnvelope {
    /// The envelope of a datatype.
    pub fn of(datatype: ffi::MPI_Datatype) -> Self {
        let Some(large) = large_count_functions() else {
            return Self::of_ints(datatype);
        };
        let mut envelope = Self::default();
        // SAFETY: a valid datatype.
        unsafe {
            (large.envelope)(
                datatype,
                &raw mut envelope.integers,
                &raw mut envelope.addresses,
                &raw mut envelope.large,
                &raw mut envelope.datatypes,
                &raw mut envelope.combiner,
            );
        }
        envelope
    }

    fn of_ints(datatype: ffi::MPI_Datatype) -> Self {
        let (mut integers, mut addresses, mut datatypes, mut combiner) = (0, 0, 0, 0);
        // SAFETY: a valid datatype.
        unsafe {
            ffi::PMPI_Type_get_envelope(
                datatype,
                &raw mut integers,
                &raw mut addresses,
                &raw mut datatypes,
                &raw mut combiner,
            );
        }
        Self {
            combiner,
            integers: integers.into(),
            addresses: addresses.into(),
            large: 0,
            datatypes: datatypes.into(),
        }
    }

    fn is_one_of(&self, combiners: &[u32]) -> bool {
        combiners.contains(&self.combiner.cast_unsigned())
    }

    /// True for a datatype of the MPI library, which is not freed, including those that Fortran requests by precision
    /// or range.
    pub fn is_predefined(&self) -> bool {
        use combiner::{F90_COMPLEX, F90_INTEGER, F90_REAL, NAMED};
        self.is_one_of(&[NAMED, F90_REAL, F90_COMPLEX, F90_INTEGER])
    }

    /// True for a datatype that the MPI library names.
    pub fn is_named(&self) -> bool {
        self.is_one_of(&[combiner::NAMED])
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
        let (mut integer, mut address, mut count) = (0, 0, 0);
        // SAFETY: a series has at most one number, no address and one datatype.
        unsafe {
            let mut inner = ffi::RSMPI_DATATYPE_NULL;
            match large_count_functions() {
                Some(large) => (large.contents)(
                    series,
                    self.integers,
                    0,
                    self.large,
                    1,
                    &raw mut integer,
                    &raw mut address,
                    &raw mut count,
                    &raw mut inner,
                ),
                None => ffi::PMPI_Type_get_contents(
                    series,
                    c_int::from(self.integers > 0),
                    0,
                    1,
                    &raw mut integer,
                    &raw mut address,
                    &raw mut inner,
                ),
            };
            inner
        }
    }
}
