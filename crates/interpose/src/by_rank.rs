//! Calls with a length for each rank, as exchanges of pieces that differ from pair to pair.
//!
//! | operation | pieces that are not empty |
//! |---|---|
//! | allgatherv | of each rank the same for all |
//! | gatherv | for the root |
//! | scatterv | of the root |
//!
//! Only the root of a gatherv or scatterv reads the arrays of numbers: they are not significant elsewhere.

use std::ffi::c_int;

use mpi::ffi;
use netsig_base::algorithm::Collective;

use crate::call::{CallBuffers, CallNumbers, EqualPieces, PairPieces, ProgramCall, is_in_place};
use crate::datatype;
use crate::member::CommMember;
use crate::operation::ByRankOperation;

/// A call of the program with a piece on one side and an array of pieces on the other.
#[derive(Clone, Copy)]
pub struct ByRankCall {
    /// The operation.
    pub operation: ByRankOperation,
    /// The program's communicator.
    pub comm: ffi::MPI_Comm,
    /// The root; 0 without one.
    pub root: c_int,
    /// The piece of this rank: received in a scatterv, else sent.
    pub piece: EqualPieces,
    /// The pieces of all ranks: sent in a scatterv, else received.
    pub pieces: PairPieces,
}

impl ByRankCall {
    /// The call without its buffers, for a communicator on which all calls are passed on: its arrays may have other
    /// lengths than here assumed.
    pub fn without_buffers(&self) -> ProgramCall {
        let nothing = PairPieces::nothing(self.piece.datatype);
        self.with_sides(nothing, nothing)
    }

    /// The call as the exchange of a process of its communicator.
    pub fn exchange(&self, member: CommMember) -> ProgramCall {
        let Ok(root) = usize::try_from(self.root) else {
            return self.refused();
        };
        let rank = member.rank.0 as usize;
        let is_root = root == rank;
        let has_pieces = is_root || self.operation == ByRankOperation::Allgatherv;
        let array = if has_pieces {
            self.pieces
        } else {
            PairPieces::nothing(self.piece.datatype)
        };
        if has_pieces && array.is_wrong(member.procs) {
            return self.refused();
        }
        let Some(piece) = self.piece_of(rank, has_pieces) else {
            return self.refused();
        };
        let only_for_root = CallNumbers::At {
            rank: root,
            number: piece.count,
        };
        let side = |counts| PairPieces {
            buffer: piece.buffer,
            counts,
            displacements: CallNumbers::Alike(0),
            datatype: piece.datatype,
        };
        match self.operation {
            ByRankOperation::Allgatherv => self.with_sides(side(CallNumbers::Alike(piece.count)), array),
            ByRankOperation::Gatherv => self.with_sides(side(only_for_root), array),
            ByRankOperation::Scatterv => self.with_sides(array, side(only_for_root)),
        }
    }

    /// The piece of this rank, which may lie in the array of the pieces; `None` if MPI refuses it.
    fn piece_of(&self, rank: usize, has_pieces: bool) -> Option<EqualPieces> {
        if is_in_place(self.piece.buffer) {
            return has_pieces.then(|| self.pieces.piece_at(rank));
        }
        let bytes = self.piece.bytes()?;
        let is_aliased = has_pieces
            && bytes > 0
            && !self.piece.buffer.is_null()
            && self.pieces.piece_at(rank).buffer == self.piece.buffer;
        (!is_aliased).then_some(self.piece)
    }

    fn with_sides(&self, send: PairPieces, receive: PairPieces) -> ProgramCall {
        ProgramCall {
            collective: Collective::Alltoallv,
            comm: self.comm,
            root: self.root,
            buffers: CallBuffers::ByPair {
                by_rank: Some(self.operation),
                send,
                receive,
            },
        }
    }

    /// The form of arguments that MPI refuses: the other ranks learn of them, and the call is passed on.
    fn refused(&self) -> ProgramCall {
        let nowhere = PairPieces {
            counts: CallNumbers::Ints(std::ptr::null()),
            ..PairPieces::nothing(self.piece.datatype)
        };
        self.with_sides(nowhere, nowhere)
    }
}

impl PairPieces {
    /// Empty pieces.
    fn nothing(datatype: ffi::MPI_Datatype) -> Self {
        Self {
            buffer: std::ptr::null_mut(),
            counts: CallNumbers::Alike(0),
            displacements: CallNumbers::Alike(0),
            datatype,
        }
    }

    /// The piece of a rank; the arrays have valid numbers for it.
    fn piece_at(&self, rank: usize) -> EqualPieces {
        // SAFETY: the program gives a number for each rank; only an array without data may be missing.
        let (count, displacement) = unsafe {
            let count = self.counts.get(rank);
            (count, if count > 0 { self.displacements.get(rank) } else { 0 })
        };
        let place = isize::try_from(displacement).unwrap_or(0);
        let offset = place.wrapping_mul(datatype::extent(self.datatype));
        EqualPieces {
            buffer: self.buffer.wrapping_byte_offset(offset),
            count,
            datatype: self.datatype,
        }
    }
}
