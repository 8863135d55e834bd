//! Datatypes of the program: length, layout, and copies to and from contiguous memory.
//!
//! A schedule moves bytes. It may move the program's own memory if the datatype is *plain*: one element after the other
//! without gaps, in the order of the type map. MPI packs and unpacks all other datatypes.

use std::ffi::{c_int, c_void};

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::envelope::DatatypeEnvelope;

/// Size of a datatype in bytes; `None` if MPI gives none, as for a null handle.
pub fn size(datatype: ffi::MPI_Datatype) -> Option<u64> {
    let mut bytes: ffi::MPI_Count = 0;
    // SAFETY: the null type is a constant of the MPI library; the others are the program's.
    let code = unsafe {
        if datatype == ffi::RSMPI_DATATYPE_NULL {
            return None;
        }
        ffi::PMPI_Type_size_x(datatype, &raw mut bytes)
    };
    MpiError::check(code).ok()?;
    u64::try_from(bytes).ok()
}

/// Distance between consecutive elements in bytes.
#[allow(clippy::useless_conversion, reason = "MPI_Aint of Open MPI is isize, of MPICH i64")]
pub fn extent(datatype: ffi::MPI_Datatype) -> isize {
    let (mut lower, mut extent) = (0, 0);
    // SAFETY: a valid datatype of the program.
    unsafe { ffi::PMPI_Type_get_extent(datatype, &raw mut lower, &raw mut extent) };
    isize::try_from(extent).unwrap_or(0)
}

/// Length of an element in memory, from its first byte to its last.
#[allow(clippy::useless_conversion, reason = "MPI_Aint of Open MPI is isize, of MPICH i64")]
pub fn true_extent(datatype: ffi::MPI_Datatype) -> usize {
    let (mut lower, mut extent) = (0, 0);
    // SAFETY: a valid datatype of the program.
    unsafe { ffi::PMPI_Type_get_true_extent(datatype, &raw mut lower, &raw mut extent) };
    usize::try_from(extent).unwrap_or(0)
}

/// True if elements lie one after the other in the order of the type map. This holds for a predefined type without
/// gaps, and for a contiguous series or a duplicate of such types.
pub fn is_plain(datatype: ffi::MPI_Datatype) -> bool {
    let envelope = DatatypeEnvelope::of(datatype);
    if envelope.is_predefined() {
        let bytes = size(datatype).and_then(|bytes| isize::try_from(bytes).ok());
        return bytes == Some(extent(datatype));
    }
    if !envelope.is_series() {
        return false;
    }
    let mut inner = envelope.inner(datatype);
    let is_plain = is_plain(inner);
    if !DatatypeEnvelope::of(inner).is_predefined() {
        // SAFETY: `inner` returned a new handle.
        unsafe { ffi::PMPI_Type_free(&raw mut inner) };
    }
    is_plain
}

/// Elements of a datatype in the program's memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatatypeElements {
    /// Address from which the displacements of the type map count.
    pub buffer: *mut c_void,
    /// Number of elements.
    pub count: i64,
    /// Their type.
    pub datatype: ffi::MPI_Datatype,
}

/// Some of the elements, as many as MPI copies in one call.
struct ElementsPart {
    buffer: *mut c_void,
    count: c_int,
    datatype: ffi::MPI_Datatype,
    /// Place of their packed data.
    address: usize,
    bytes: c_int,
}

impl DatatypeElements {
    /// Copies the elements to the `bytes` at the address `to`.
    ///
    /// # Errors
    /// If MPI refuses it.
    ///
    /// # Safety
    /// The elements are memory of the program that may be read; `to` is memory of that length that may be
    /// written.
    pub unsafe fn pack(self, to: usize, bytes: usize, comm: ffi::MPI_Comm) -> Result<(), MpiError> {
        self.each_part(to, bytes, |part| {
            let mut position = 0;
            let to = std::ptr::with_exposed_provenance_mut(part.address);
            let ElementsPart {
                buffer,
                count,
                datatype,
                bytes,
                ..
            } = part;
            // SAFETY: guaranteed by the caller.
            unsafe { ffi::PMPI_Pack(buffer, count, datatype, to, bytes, &raw mut position, comm) }
        })
    }

    /// Copies the `bytes` at the address `from` to the elements.
    ///
    /// # Errors
    /// If MPI refuses it.
    ///
    /// # Safety
    /// The elements are memory of the program that may be written; `from` is memory of that length that may be read.
    pub unsafe fn unpack(self, from: usize, bytes: usize, comm: ffi::MPI_Comm) -> Result<(), MpiError> {
        self.each_part(from, bytes, |part| {
            let mut position = 0;
            let from = std::ptr::with_exposed_provenance(part.address);
            let ElementsPart {
                buffer,
                count,
                datatype,
                bytes,
                ..
            } = part;
            // SAFETY: guaranteed by the caller.
            unsafe { ffi::PMPI_Unpack(from, bytes, &raw mut position, buffer, count, datatype, comm) }
        })
    }

    /// Calls a function of MPI with all elements, in parts whose length is a C int. `address` is the address of the
    /// packed data.
    fn each_part(self, address: usize, bytes: usize, call: impl Fn(ElementsPart) -> c_int) -> Result<(), MpiError> {
        let Some(element) = usize::try_from(self.count)
            .ok()
            .and_then(|count| bytes.checked_div(count))
        else {
            return Ok(());
        };
        let int = |number: usize| c_int::try_from(number).unwrap_or(c_int::MAX);
        let count = bytes.checked_div(element).unwrap_or(0);
        let most = (c_int::MAX as usize).checked_div(element).unwrap_or(1).max(1);
        let extent = extent(self.datatype);
        (0..count).step_by(most).try_for_each(|first| {
            let some = most.min(count - first);
            ElementsPart {
                buffer: self
                    .buffer
                    .wrapping_byte_offset(extent.wrapping_mul(first.cast_signed())),
                count: int(some),
                datatype: self.datatype,
                address: address + first * element,
                bytes: int(some * element),
            }
            .call_with_nonnull(&call)
        })
    }
}

impl ElementsPart {
    /// Calls a function of MPI with the elements. MPICH 4.0 refuses to pack from `MPI_BOTTOM`, which is null:
    /// displacements then count from another address.
    fn call_with_nonnull(self, call: impl Fn(Self) -> c_int) -> Result<(), MpiError> {
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
                    ..self
                }))
            });
            ffi::PMPI_Type_free(&raw mut datatype);
            done
        }
    }
}
