//! A message of a schedule as MPI is told of it: straight from and into the blocks.
//!
//! Blocks that follow each other in memory are bytes in a row. Others become a derived
//! datatype of their places and lengths, which takes time to make: messages are made before
//! the clock starts.

use std::os::raw::c_int;

use mpi::datatype::{Equivalence, UncommittedUserDatatype, UserDatatype};
use mpi::traits::AsRaw;
use mpi::{Address, Count, ffi};
use netsig_core::schedule::Slot;
use netsig_core::units::Rank;

use crate::blocks::Blocks;

/// All messages of the executor carry this tag; order tells them apart.
const TAG: c_int = 0x5167;

/// The partner of a message and where its blocks lie in the memory of [`Blocks`].
pub struct Message {
    partner: c_int,
    /// The first byte of memory that `count` and the datatype count from.
    start: usize,
    count: c_int,
    /// Of the whole message, if it is in pieces; else it is bytes.
    pieces: Option<UserDatatype>,
}

/// `MPI_Irecv` or `MPI_Isend`, which differ in the kind of pointer they take.
type Post<P> = unsafe extern "C" fn(
    P,
    c_int,
    ffi::MPI_Datatype,
    c_int,
    c_int,
    ffi::MPI_Comm,
    *mut ffi::MPI_Request,
) -> c_int;

impl Message {
    /// A message to or from `partner` of the blocks in `slots`.
    pub fn new(partner: Rank, slots: &[Slot], blocks: &Blocks) -> Self {
        let partner = c_int::try_from(partner.0).expect("MPI numbers ranks with a C int");
        match blocks.in_a_row(slots) {
            Some(row) => Self {
                partner,
                start: row.start,
                count: length(row.len()),
                pieces: None,
            },
            None => Self {
                partner,
                start: 0,
                count: 1,
                pieces: Some(pieces(slots, blocks)),
            },
        }
    }

    /// Posts the receive of this message.
    ///
    /// # Safety
    /// `memory` is that of the blocks this message was made for. It stays where it is,
    /// and nothing else touches the message's blocks, until the request is complete.
    pub unsafe fn receive(&self, memory: *mut u8, comm: ffi::MPI_Comm) -> ffi::MPI_Request {
        // SAFETY: the caller vouches for the memory, and the message's places lie in it.
        unsafe { self.post(ffi::MPI_Irecv, memory.add(self.start).cast(), comm) }
    }

    /// Posts the send of this message.
    ///
    /// # Safety
    /// As for [`Message::receive`], but others may read the blocks.
    pub unsafe fn send(&self, memory: *const u8, comm: ffi::MPI_Comm) -> ffi::MPI_Request {
        // SAFETY: as for `receive`.
        unsafe { self.post(ffi::MPI_Isend, memory.add(self.start).cast(), comm) }
    }

    /// Posts it with MPI's function for its direction.
    ///
    /// # Safety
    /// From `start` on is the memory that the message's bytes or pieces count from; see
    /// [`Message::receive`].
    unsafe fn post<P>(&self, mpi: Post<P>, start: P, comm: ffi::MPI_Comm) -> ffi::MPI_Request {
        // SAFETY: a constant of the MPI library.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the caller vouches for the memory. MPI's default error handler ends the
        // program on failure.
        unsafe {
            mpi(
                start,
                self.count,
                self.datatype(),
                self.partner,
                TAG,
                comm,
                &raw mut request,
            );
        }
        request
    }

    fn datatype(&self) -> ffi::MPI_Datatype {
        match &self.pieces {
            Some(pieces) => pieces.as_raw(),
            // SAFETY: a constant of the MPI library.
            None => unsafe { ffi::RSMPI_UINT8_T },
        }
    }
}

/// The places of `slots` in memory, in that order, as one committed datatype.
fn pieces(slots: &[Slot], blocks: &Blocks) -> UserDatatype {
    let places = slots.iter().map(|&slot| blocks.place(slot));
    let address = |start| Address::try_from(start).expect("memory has addresses");
    let (lengths, starts): (Vec<Count>, Vec<Address>) = places
        .map(|place| (length(place.len()), address(place.start)))
        .unzip();
    let byte = u8::equivalent_datatype();
    UncommittedUserDatatype::heterogeneous_indexed(&lengths, &starts, &byte).commit()
}

fn length(bytes: usize) -> c_int {
    c_int::try_from(bytes).expect("plans limit messages to what a C int counts")
}
