//! How a datatype was made.

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

/// The functions of MPI 4 for large counts. Those for C ints refuse datatypes that were made with large counts.
#[derive(Clone, Copy)]
struct Large {
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

/// These functions, if the program's MPI library has them: it may be older or newer than the one that this
/// library was built for, and a program does not start if a function that it is linked to is missing.
fn large() -> Option<Large> {
    static FOUND: OnceLock<Option<Large>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let envelope = loaded::behind(c"PMPI_Type_get_envelope_c");
        let contents = loaded::behind(c"PMPI_Type_get_contents_c");
        let are_found = !envelope.is_null() && !contents.is_null();
        // SAFETY: functions of these types, by the MPI standard.
        are_found.then(|| unsafe {
            Large {
                envelope: transmute::<*mut c_void, GetEnvelope>(envelope),
                contents: transmute::<*mut c_void, GetContents>(contents),
            }
        })
    })
}

/// The construction of a datatype, and the numbers of its arguments.
#[derive(Default)]
pub struct Envelope {
    combiner: c_int,
    integers: ffi::MPI_Count,
    addresses: ffi::MPI_Count,
    large: ffi::MPI_Count,
    datatypes: ffi::MPI_Count,
}

impl Envelope {
    /// The envelope of a datatype.
    pub fn of(datatype: ffi::MPI_Datatype) -> Self {
        let Some(large) = large() else {
            return Self::of_ints(datatype);
        };
        let mut own = Self::default();
        // SAFETY: a valid datatype.
        unsafe {
            (large.envelope)(
                datatype,
                &raw mut own.integers,
                &raw mut own.addresses,
                &raw mut own.large,
                &raw mut own.datatypes,
                &raw mut own.combiner,
            );
        }
        own
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
        let (mut integer, mut address, mut count) = (0, 0, 0);
        // SAFETY: a series has at most one number, no address and one datatype.
        unsafe {
            let mut inner = ffi::RSMPI_DATATYPE_NULL;
            match large() {
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
