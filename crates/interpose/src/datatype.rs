//! Datatypes of the program: length, layout, and copies to and from contiguous memory.
//!
//! A schedule moves bytes. It may move the program's own memory if the datatype is *plain*: one element
//! after the other without gaps, in the order of the type map. All others are packed and unpacked by MPI.

use std::ffi::{c_int, c_void};

use mpi::ffi;
use netsig_mpi::MpiError;

/// The constructions of plain datatypes.
#[cfg(open_mpi)]
mod combiner {
    pub use mpi::ffi::{
        MPI_COMBINER_CONTIGUOUS as CONTIGUOUS, MPI_COMBINER_DUP as DUP, MPI_COMBINER_NAMED as NAMED,
    };
}
#[cfg(not(open_mpi))]
mod combiner {
    pub use mpi::ffi::{
        MPIR_Combiner_enum_MPI_COMBINER_CONTIGUOUS as CONTIGUOUS,
        MPIR_Combiner_enum_MPI_COMBINER_DUP as DUP, MPIR_Combiner_enum_MPI_COMBINER_NAMED as NAMED,
    };
}

/// Size of a datatype in bytes; `None` if it cannot be told, as for a null handle.
pub fn size(datatype: ffi::MPI_Datatype) -> Option<u64> {
    let mut bytes: c_int = 0;
    // SAFETY: the null type is a constant of the MPI library; the others are the program's.
    let code = unsafe {
        if datatype == ffi::RSMPI_DATATYPE_NULL {
            return None;
        }
        ffi::PMPI_Type_size(datatype, &raw mut bytes)
    };
    MpiError::check(code).ok()?;
    u64::try_from(bytes).ok()
}

/// Distance between consecutive elements in bytes.
#[allow(
    clippy::useless_conversion,
    reason = "MPI_Aint of Open MPI is isize, of MPICH i64"
)]
pub fn extent(datatype: ffi::MPI_Datatype) -> isize {
    let (mut lower, mut extent) = (0, 0);
    // SAFETY: a valid datatype of the program.
    unsafe { ffi::PMPI_Type_get_extent(datatype, &raw mut lower, &raw mut extent) };
    isize::try_from(extent).unwrap_or(0)
}

/// The construction of a datatype.
struct Envelope {
    combiner: c_int,
    integers: c_int,
    addresses: c_int,
    datatypes: c_int,
}

/// True if elements lie one after the other in the order of the type map: a predefined type without gaps,
/// a contiguous series of such types, or a duplicate of one.
pub fn is_plain(datatype: ffi::MPI_Datatype) -> bool {
    let envelope = Envelope::of(datatype);
    if envelope.is_named() {
        let bytes = size(datatype).and_then(|bytes| isize::try_from(bytes).ok());
        return bytes == Some(extent(datatype));
    }
    let is_series = envelope.is(combiner::CONTIGUOUS) || envelope.is(combiner::DUP);
    if !is_series || envelope.datatypes != 1 || envelope.integers > 1 || envelope.addresses > 0 {
        return false;
    }
    let mut inner = contents(datatype, &envelope);
    let is_plain = is_plain(inner);
    if !Envelope::of(inner).is_named() {
        // SAFETY: `contents` returned a new handle.
        unsafe { ffi::PMPI_Type_free(&raw mut inner) };
    }
    is_plain
}

impl Envelope {
    fn of(datatype: ffi::MPI_Datatype) -> Self {
        let mut own = Self {
            combiner: 0,
            integers: 0,
            addresses: 0,
            datatypes: 0,
        };
        // SAFETY: a valid datatype.
        unsafe {
            ffi::PMPI_Type_get_envelope(
                datatype,
                &raw mut own.integers,
                &raw mut own.addresses,
                &raw mut own.datatypes,
                &raw mut own.combiner,
            )
        };
        own
    }

    fn is(&self, combiner: u32) -> bool {
        self.combiner == combiner.cast_signed()
    }

    /// True for a predefined datatype.
    fn is_named(&self) -> bool {
        self.is(combiner::NAMED)
    }
}

/// The datatype in a series or a duplicate: a new handle, unless it is predefined.
fn contents(datatype: ffi::MPI_Datatype, envelope: &Envelope) -> ffi::MPI_Datatype {
    let (mut integer, mut address) = (0, 0);
    // SAFETY: the arrays have the lengths of the envelope, at most one each.
    unsafe {
        let mut inner = ffi::RSMPI_DATATYPE_NULL;
        ffi::PMPI_Type_get_contents(
            datatype,
            envelope.integers,
            0,
            1,
            &raw mut integer,
            &raw mut address,
            &raw mut inner,
        );
        inner
    }
}

/// Elements of a datatype in the program's memory.
#[derive(Debug, Clone, Copy)]
pub struct Elements {
    /// Address that displacements of the type map count from.
    pub buffer: *mut c_void,
    /// Number of elements.
    pub count: c_int,
    /// Their type.
    pub datatype: ffi::MPI_Datatype,
}

impl Elements {
    /// Copies the elements to the `bytes` at the address `to`.
    ///
    /// # Errors
    /// If MPI refuses it.
    ///
    /// # Safety
    /// The elements are memory of the program that may be read; `to` is memory of that length that may be
    /// written.
    pub unsafe fn pack(self, to: usize, bytes: usize, comm: ffi::MPI_Comm) -> Result<(), MpiError> {
        let mut position = 0;
        let size = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        let to = std::ptr::with_exposed_provenance_mut(to);
        self.apart_from_null(
            |Self {
                 buffer,
                 count,
                 datatype,
             }| {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    ffi::PMPI_Pack(buffer, count, datatype, to, size, &raw mut position, comm)
                }
            },
        )
    }

    /// Copies the `bytes` at the address `from` to the elements.
    ///
    /// # Errors
    /// If MPI refuses it.
    ///
    /// # Safety
    /// As of [`Elements::pack`], with reading and writing exchanged.
    pub unsafe fn unpack(
        self,
        from: usize,
        bytes: usize,
        comm: ffi::MPI_Comm,
    ) -> Result<(), MpiError> {
        let mut position = 0;
        let size = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        let from = std::ptr::with_exposed_provenance(from);
        self.apart_from_null(
            |Self {
                 buffer,
                 count,
                 datatype,
             }| {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    ffi::PMPI_Unpack(from, size, &raw mut position, buffer, count, datatype, comm)
                }
            },
        )
    }

    /// Calls a function of MPI with the elements. `MPI_BOTTOM` is null, which MPICH 4.0 refuses to pack: the
    /// same elements then count from another address.
    fn apart_from_null(self, call: impl FnOnce(Self) -> c_int) -> Result<(), MpiError> {
        const ELSEWHERE: isize = 64;
        if !self.buffer.is_null() {
            return MpiError::check(call(self));
        }
        let before: [ffi::MPI_Aint; 1] = [-64];
        // SAFETY: one block of the program's datatype; the new one is freed here.
        unsafe {
            let mut datatype = ffi::RSMPI_DATATYPE_NULL;
            MpiError::check(ffi::PMPI_Type_create_hindexed(
                1,
                &raw const self.count,
                before.as_ptr(),
                self.datatype,
                &raw mut datatype,
            ))?;
            let committed = ffi::PMPI_Type_commit(&raw mut datatype);
            let done = MpiError::check(committed).and_then(|()| {
                MpiError::check(call(Self {
                    buffer: self.buffer.wrapping_byte_offset(ELSEWHERE),
                    count: 1,
                    datatype,
                }))
            });
            ffi::PMPI_Type_free(&raw mut datatype);
            done
        }
    }
}
