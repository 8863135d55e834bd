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
    direction: Direction,
    partner: c_int,
    /// The first byte of memory that `count` and the datatype count from.
    start: usize,
    count: c_int,
    /// Of the whole message, if it is in pieces; else it is bytes.
    pieces: Option<UserDatatype>,
}

/// Which way a message goes.
#[derive(Clone, Copy)]
pub enum Direction {
    /// To this rank.
    Receive,
    /// From this rank.
    Send,
}

impl Message {
    /// A message to or from `partner` of the blocks in `slots`.
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

    /// Posts its receive or send.
    ///
    /// # Safety
    /// `memory` is that of the blocks this message was made for. It stays where it is until the
    /// request is complete, and till then nothing else touches the message's blocks; those of a
    /// send others may read.
    pub unsafe fn post(&self, memory: *mut u8, comm: ffi::MPI_Comm) -> ffi::MPI_Request {
        // SAFETY: a constant of the MPI library.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        let (count, partner, datatype) = (self.count, self.partner, self.datatype());
        let to = &raw mut request;
        // SAFETY: the caller vouches for the memory, and the message's places lie in it. MPI's
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
