//! A message of a schedule in the form of an MPI call that reads and writes the blocks directly.
//!
//! Blocks that are contiguous in memory are sent as bytes. Others need a derived datatype of their
//! offsets and lengths, which takes time to build: messages are built before the clock starts.

use std::os::raw::c_int;

use mpi::datatype::{Equivalence, UncommittedUserDatatype, UserDatatype};
use mpi::traits::AsRaw;
use mpi::{Address, Count, ffi};
use netsig_core::schedule::Slot;
use netsig_core::units::Rank;

use crate::blocks::Blocks;

/// Tag of all messages of the executor; MPI's order of messages distinguishes them.
const TAG: c_int = 0x5167;

/// A message's partner, and the location of its blocks in the memory of [`Blocks`].
pub struct Message {
    direction: Direction,
    partner: c_int,
    /// Offset in the memory at which the message begins.
    start: usize,
    count: c_int,
    /// Datatype of the whole message if its blocks are not contiguous; otherwise its type is bytes.
    pieces: Option<UserDatatype>,
}

/// Direction of a message.
#[derive(Clone, Copy)]
pub enum Direction {
    /// To this rank.
    Receive,
    /// From this rank.
    Send,
}

impl Message {
    /// A message of the blocks `slots` to or from `partner`.
    pub fn new(direction: Direction, partner: Rank, slots: &[Slot], blocks: &Blocks) -> Self {
        let row = blocks.in_a_row(slots);
        Self {
            direction,
            partner: c_int::try_from(partner.0).expect("MPI numbers ranks with a C int"),
            start: row.as_ref().map_or(0, |row| row.start),
            count: row.as_ref().map_or(1, |row| length(row.len())),
            pieces: row.is_none().then(|| pieces(slots, blocks)),
        }
    }

    /// Posts the receive or send.
    ///
    /// # Safety
    /// `memory` belongs to the blocks of this message and must not move until the request is
    /// complete. Until then no other access writes the message's blocks, or reads those of a
    /// receive.
    pub unsafe fn post(&self, memory: *mut u8, comm: ffi::MPI_Comm) -> ffi::MPI_Request {
        // SAFETY: a constant of the MPI library.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        let (count, partner, datatype) = (self.count, self.partner, self.datatype());
        let to = &raw mut request;
        // SAFETY: the caller guarantees the memory, and the message's offsets lie in it. MPI's
        // default error handler ends the program on failure.
        unsafe {
            let start = memory.add(self.start).cast();
            match self.direction {
                Direction::Receive => {
                    ffi::MPI_Irecv(start, count, datatype, partner, TAG, comm, to)
                }
                Direction::Send => {
                    ffi::MPI_Isend(start.cast_const(), count, datatype, partner, TAG, comm, to)
                }
            };
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

/// A committed datatype of `slots`, in that order, with offsets in the memory.
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
