//! The buffers of a call as the arrays of a schedule: the program's own memory where its datatypes are
//! plain, else packed copies.

use std::ops::Range;

use mpi::ffi;
use netsig_base::algorithm::Collective;
use netsig_base::units::Procs;
use netsig_mpi::{MpiError, PieceAddresses};

use crate::call::{EqualPieces, PairPieces, is_in_place};
use crate::datatype::{self, DatatypeElements, is_plain};
use crate::growing_memory::GrowingMemory;
use crate::member::CommMember;

/// Memory for packed data, relayed blocks and missing arrays.
#[derive(Debug, Default)]
pub struct PackingMemory {
    /// Packed or copied data of the program.
    pub input: GrowingMemory,
    /// Data for the program.
    pub output: GrowingMemory,
    /// Memory for relayed blocks.
    pub scratch: GrowingMemory,
}

/// The arrays of a schedule, and the elements to unpack at the end.
pub struct ScheduleArrays<P> {
    /// Pieces to send.
    pub input: P,
    /// Pieces to receive.
    pub output: P,
    /// Elements of the program with the place of their packed data.
    pub unpacked: Vec<(DatatypeElements, Range<usize>)>,
}

/// A call with pieces of one size.
pub struct EqualCall {
    /// The operation.
    pub collective: Collective,
    /// The communicator for packing.
    pub comm: ffi::MPI_Comm,
    /// The root.
    pub root: u32,
    /// Length of a piece in bytes.
    pub size: usize,
    /// Pieces to send.
    pub send: EqualPieces,
    /// Pieces to receive.
    pub receive: EqualPieces,
}

impl PackingMemory {
    /// The arrays of pieces of one size, as the addresses of their first pieces.
    ///
    /// # Errors
    /// If MPI cannot pack the elements.
    pub fn equal_arrays(&mut self, call: &EqualCall, member: CommMember) -> Result<ScheduleArrays<usize>, MpiError> {
        let EqualCall {
            collective,
            size,
            send,
            receive,
            ..
        } = *call;
        let is_root = member.rank.0 == call.root;
        let pieces = collective.piece_counts(member.procs);
        let has_input = is_root || !matches!(collective, Collective::Bcast | Collective::Scatter);
        let has_output = match collective {
            Collective::Bcast => !is_root,
            Collective::Gather => is_root,
            _ => true,
        };
        let mut unpacked = Vec::new();
        // Only the root has the output of a gather, and the input of a broadcast or scatter.
        let bytes = match collective {
            Collective::Gather if !is_root => 0,
            _ => size * pieces.output as usize,
        };
        let output = if !has_output || is_in_place(receive.buffer) {
            self.output.address(bytes)
        } else if is_plain(receive.datatype) {
            receive.buffer.expose_provenance()
        } else {
            let start = self.output.address(bytes);
            unpacked.push((receive.elements(pieces.output), start..start + bytes));
            start
        };
        let bytes = match collective {
            Collective::Bcast | Collective::Scatter if !is_root => 0,
            _ => size * pieces.input as usize,
        };
        let packed = |input: &mut GrowingMemory, elements: DatatypeElements| {
            let start = input.address(bytes);
            // SAFETY: the program's elements, and memory of the stated length.
            unsafe { elements.pack(start, bytes, call.comm) }.map(|()| start)
        };
        let input = if !has_input {
            self.input.address(bytes)
        } else if !is_in_place(send.buffer) && is_plain(send.datatype) {
            send.buffer.expose_provenance()
        } else if !is_in_place(send.buffer) {
            packed(&mut self.input, send.elements(pieces.input))?
        } else if collective == Collective::Alltoall {
            packed(&mut self.input, receive.elements(pieces.input))?
        } else if unpacked.is_empty() {
            output + size * member.rank.0 as usize
        } else {
            packed(&mut self.input, receive.piece(member.rank.0))?
        };
        Ok(ScheduleArrays {
            input,
            output,
            unpacked,
        })
    }

    /// The arrays of pieces that differ in size, as the addresses of all pieces.
    ///
    /// # Errors
    /// If MPI cannot pack the elements.
    pub fn pair_arrays(
        &mut self,
        comm: ffi::MPI_Comm,
        send: PairPieces,
        receive: PairPieces,
        member: CommMember,
    ) -> Result<ScheduleArrays<Vec<Range<usize>>>, MpiError> {
        // SAFETY: the program gives a number for each rank.
        let pieces = |side: PairPieces| unsafe { side.pieces(member.procs) };
        let addresses = |pieces: &[(DatatypeElements, usize)]| -> Vec<Range<usize>> {
            // The displacement of a piece without data may be any number.
            let place = |(elements, bytes): &(DatatypeElements, usize)| match bytes {
                0 => 0..0,
                bytes => {
                    let start = elements.buffer.expose_provenance();
                    start..start + bytes
                }
            };
            pieces.iter().map(place).collect()
        };
        let received = pieces(receive);
        let mut unpacked = Vec::new();
        let output = if is_plain(receive.datatype) {
            addresses(&received)
        } else {
            let places = in_a_row(&received, &mut self.output);
            let each = received.iter().map(|(elements, _)| *elements);
            unpacked = each.zip(places.iter().cloned()).collect();
            unpacked.retain(|(_, place)| !place.is_empty());
            places
        };
        let sent = if is_in_place(send.buffer) {
            received
        } else {
            pieces(send)
        };
        let input = if !is_in_place(send.buffer) && is_plain(send.datatype) {
            addresses(&sent)
        } else {
            let places = in_a_row(&sent, &mut self.input);
            for ((elements, bytes), place) in sent.iter().zip(&places) {
                if *bytes > 0 {
                    // SAFETY: the program's elements, and memory of the stated length.
                    unsafe { elements.pack(place.start, *bytes, comm) }?;
                }
            }
            places
        };
        // In place the piece of this rank stays where it is, perhaps in memory that may not be written.
        let kept = sent[member.rank.0 as usize].0;
        unpacked.retain(|(elements, _)| *elements != kept);
        Ok(ScheduleArrays {
            input,
            output,
            unpacked,
        })
    }
}

/// Places of pieces in `room`, one after the other.
fn in_a_row(pieces: &[(DatatypeElements, usize)], room: &mut GrowingMemory) -> Vec<Range<usize>> {
    let total = pieces.iter().map(|(_, bytes)| bytes).sum();
    let mut end = room.address(total);
    let place = |(_, bytes): &(DatatypeElements, usize)| {
        let start = end;
        end += bytes;
        start..end
    };
    pieces.iter().map(place).collect()
}

impl<P> ScheduleArrays<P> {
    /// Copies the packed data to the program's elements.
    ///
    /// # Errors
    /// If MPI cannot unpack them.
    pub fn unpack(&self, comm: ffi::MPI_Comm) -> Result<(), MpiError> {
        self.unpacked.iter().try_for_each(|(elements, place)| {
            // SAFETY: the program's elements, and the packed data of as many.
            unsafe { elements.unpack(place.start, place.len(), comm) }
        })
    }
}

impl ScheduleArrays<Vec<Range<usize>>> {
    /// Length of the longest piece.
    pub fn longest(&self) -> usize {
        let all = self.input.iter().chain(&self.output);
        all.map(Range::len).max().unwrap_or(0)
    }

    /// The arrays in the form of a memory layout.
    pub fn pieces(&mut self) -> [PieceAddresses; 2] {
        [&mut self.input, &mut self.output].map(|array| PieceAddresses::Ranges(std::mem::take(array)))
    }
}

impl EqualPieces {
    /// The elements of `pieces` pieces.
    fn elements(&self, pieces: u32) -> DatatypeElements {
        DatatypeElements {
            buffer: self.buffer,
            count: self.count.saturating_mul(pieces.into()),
            datatype: self.datatype,
        }
    }

    /// The elements of the piece of a rank.
    fn piece(&self, rank: u32) -> DatatypeElements {
        let before = isize::try_from(self.elements(rank).count).unwrap_or(0);
        let offset = before * datatype::extent(self.datatype);
        DatatypeElements {
            buffer: self.buffer.wrapping_byte_offset(offset),
            ..self.elements(1)
        }
    }
}

impl PairPieces {
    /// The elements of each piece, and its length in bytes.
    ///
    /// # Safety
    /// The arrays have a number for each rank.
    unsafe fn pieces(self, procs: Procs) -> Vec<(DatatypeElements, usize)> {
        let extent = datatype::extent(self.datatype);
        let piece = |(rank, bytes): (usize, Option<u64>)| {
            let bytes = bytes.unwrap_or(0);
            let displacement = match bytes {
                0 => 0,
                // SAFETY: guaranteed by the caller; only an array without data may be missing.
                _ => unsafe { self.displacements.get(rank) },
            };
            let place = isize::try_from(displacement).unwrap_or(0);
            let elements = DatatypeElements {
                buffer: self.buffer.wrapping_byte_offset(place.wrapping_mul(extent)),
                // SAFETY: guaranteed by the caller.
                count: unsafe { self.counts.get(rank) },
                datatype: self.datatype,
            };
            (elements, usize::try_from(bytes).unwrap_or(0))
        };
        // SAFETY: guaranteed by the caller.
        let lengths = unsafe { self.lengths(procs) };
        lengths.enumerate().map(piece).collect()
    }
}
