//! A message of a schedule in the form of an MPI call that reads and writes the blocks directly.
//!
//! Blocks that are contiguous in memory are sent as bytes. Others need a derived datatype of their
//! offsets and lengths, which takes time to build: messages are built before the clock starts.

use std::os::raw::c_int;

use mpi::{Address, ffi};
use netsig_base::schedule::BlockSlot;
use netsig_base::units::Rank;

use crate::channel::MpiChannel;
use crate::error::MpiError;
use crate::layout::MemoryLayout;

/// A message's partner, and the addresses of its blocks.
#[derive(Debug)]
pub struct MpiMessage {
    direction: MessageDirection,
    partner: Rank,
    /// Address at which the message begins; 0 if its datatype contains the addresses.
    start: usize,
    count: c_int,
    /// Datatype of the whole message if its blocks are not contiguous; otherwise its type is bytes.
    pieces: Option<PiecesDatatype>,
}

/// Direction of a message.
#[derive(Debug, Clone, Copy)]
pub enum MessageDirection {
    /// To this rank.
    Receive,
    /// From this rank.
    Send,
    /// From this rank, complete only when its receive has begun.
    SynchronousSend,
}

/// A committed datatype of bytes at several addresses.
#[derive(Debug)]
struct PiecesDatatype(ffi::MPI_Datatype);

impl MpiMessage {
    /// A message of the blocks `slots` to or from `partner`.
    pub fn new(direction: MessageDirection, partner: Rank, slots: &[BlockSlot], layout: &MemoryLayout) -> Self {
        let row = layout.contiguous(slots);
        Self {
            direction,
            partner,
            start: row.as_ref().map_or(0, |row| row.start),
            count: row.as_ref().map_or(1, |row| length(row.len())),
            pieces: row.is_none().then(|| PiecesDatatype::new(slots, layout)),
        }
    }

    /// Posts the receive or send.
    ///
    /// # Errors
    /// If MPI refuses it.
    ///
    /// # Safety
    /// The message's blocks are memory of this process until the request is complete. Until then no
    /// other access writes them, or reads those of a receive.
    pub unsafe fn post(&self, channel: MpiChannel) -> Result<ffi::MPI_Request, MpiError> {
        // SAFETY: a constant of the MPI library.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        let (count, datatype) = (self.count, self.datatype());
        let (partner, tag, comm) = channel.destination(self.partner);
        let to = &raw mut request;
        let start = std::ptr::with_exposed_provenance_mut(self.start);
        // SAFETY: the caller guarantees the memory.
        let code = unsafe {
            match self.direction {
                MessageDirection::Receive => ffi::PMPI_Irecv(start, count, datatype, partner, tag, comm, to),
                MessageDirection::Send => ffi::PMPI_Isend(start.cast_const(), count, datatype, partner, tag, comm, to),
                MessageDirection::SynchronousSend => {
                    ffi::PMPI_Issend(start.cast_const(), count, datatype, partner, tag, comm, to)
                }
            }
        };
        MpiError::check(code).map(|()| request)
    }

    fn datatype(&self) -> ffi::MPI_Datatype {
        match &self.pieces {
            Some(pieces) => pieces.0,
            // SAFETY: a constant of the MPI library.
            None => unsafe { ffi::RSMPI_UINT8_T },
        }
    }
}

impl PiecesDatatype {
    /// A datatype of `slots`, in that order.
    fn new(slots: &[BlockSlot], layout: &MemoryLayout) -> Self {
        let places = slots.iter().map(|&slot| layout.place(slot));
        let address = |start| Address::try_from(start).expect("memory has addresses");
        let (lengths, starts): (Vec<c_int>, Vec<Address>) =
            places.map(|place| (length(place.len()), address(place.start))).unzip();
        // SAFETY: both arrays have the length of the first argument; the type of bytes and the null
        // type are constants of the MPI library.
        unsafe {
            let mut datatype = ffi::RSMPI_DATATYPE_NULL;
            ffi::PMPI_Type_create_hindexed(
                length(lengths.len()),
                lengths.as_ptr(),
                starts.as_ptr(),
                ffi::RSMPI_UINT8_T,
                &raw mut datatype,
            );
            ffi::PMPI_Type_commit(&raw mut datatype);
            Self(datatype)
        }
    }
}

impl Drop for PiecesDatatype {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and not freed elsewhere.
        unsafe {
            ffi::PMPI_Type_free(&raw mut self.0);
        }
    }
}

fn length(bytes: usize) -> c_int {
    c_int::try_from(bytes).expect("messages are limited to what a C int counts")
}
