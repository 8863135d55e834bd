//! A call of a collective by the program, in one form for all entry points.

use std::ffi::{c_int, c_void};

use mpi::ffi;
use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Procs};

use crate::datatype;
use crate::member::CommMember;
use crate::operands::CallOperands;
use crate::operation::{ByRankOperation, CalledOperation};
use crate::size_class::{CallClass, class};

/// `MPI_IN_PLACE`: as the address of one buffer, it stands for the other.
#[cfg(open_mpi)]
const IN_PLACE: usize = 1;
#[cfg(not(open_mpi))]
const IN_PLACE: usize = usize::MAX;

/// Largest length of a rank's data, in bytes, for which a schedule is chosen: MPI counts with C ints.
pub const MOST_BYTES: u64 = i32::MAX as u64;

/// A call with its arguments.
pub struct ProgramCall {
    /// The collective whose schedules run.
    pub collective: Collective,
    /// The program's communicator.
    pub comm: ffi::MPI_Comm,
    /// The root, where there is one.
    pub root: c_int,
    /// The buffers.
    pub buffers: CallBuffers,
}

/// The buffers of a call.
#[derive(Clone, Copy)]
pub enum CallBuffers {
    /// Pieces of one size; a broadcast has the same buffer twice.
    Equal {
        /// Pieces to send.
        send: EqualPieces,
        /// Pieces to receive.
        receive: EqualPieces,
    },
    /// Pieces of different sizes.
    ByPair {
        /// The operation of MPI; `None` for an alltoallv.
        by_rank: Option<ByRankOperation>,
        /// Pieces to send.
        send: PairPieces,
        /// Pieces to receive.
        receive: PairPieces,
    },
    /// Vectors to combine.
    Vectors(VectorBuffers),
    /// None: a barrier.
    Without,
}

/// The buffers of a reduction.
#[derive(Clone, Copy)]
pub struct VectorBuffers {
    /// Address of the vector of this rank.
    pub send: *mut c_void,
    /// Address of the result.
    pub receive: *mut c_void,
    /// Number of elements.
    pub counts: VectorCounts,
    /// Type of the elements.
    pub datatype: ffi::MPI_Datatype,
    /// The operation.
    pub operation: ffi::MPI_Op,
}

/// Number of elements of a vector.
#[derive(Clone, Copy)]
pub enum VectorCounts {
    /// Of the whole vector.
    Whole(i64),
    /// Of the block of each rank.
    EachBlock(i64),
    /// Of the block of each rank, where they differ.
    Blocks(CallNumbers),
}

/// A buffer of pieces of one size.
#[derive(Clone, Copy)]
pub struct EqualPieces {
    /// Its address.
    pub buffer: *mut c_void,
    /// Number of elements in a piece.
    pub count: i64,
    /// Type of the elements.
    pub datatype: ffi::MPI_Datatype,
}

/// A buffer of pieces of different sizes.
#[derive(Clone, Copy)]
pub struct PairPieces {
    /// Its address.
    pub buffer: *mut c_void,
    /// Number of elements in each piece.
    pub counts: CallNumbers,
    /// Place of each piece, in extents of the datatype.
    pub displacements: CallNumbers,
    /// Type of the elements.
    pub datatype: ffi::MPI_Datatype,
}

/// An array of the program with a number for each rank.
#[derive(Clone, Copy)]
pub enum CallNumbers {
    /// C ints.
    Ints(*const c_int),
    /// `MPI_Count` or `MPI_Aint`, both of 64 bits.
    #[cfg(large_counts)]
    Large(*const i64),
    /// The same number for all ranks.
    Alike(i64),
    /// A number for one rank, and 0 for the others.
    At {
        /// The rank.
        rank: usize,
        /// Its number.
        number: i64,
    },
}

impl From<*mut c_int> for CallNumbers {
    fn from(first: *mut c_int) -> Self {
        Self::Ints(first)
    }
}

impl CallNumbers {
    /// The number of a rank.
    ///
    /// # Safety
    /// The array has a number for this rank.
    pub unsafe fn get(self, rank: usize) -> i64 {
        match self {
            // SAFETY: guaranteed by the caller.
            Self::Ints(first) => i64::from(unsafe { *first.add(rank) }),
            #[cfg(large_counts)]
            // SAFETY: guaranteed by the caller.
            Self::Large(first) => unsafe { *first.add(rank) },
            Self::Alike(number) => number,
            Self::At { rank: only, number } if only == rank => number,
            Self::At { .. } => 0,
        }
    }

    /// True if there is no array.
    pub fn is_null(self) -> bool {
        match self {
            Self::Ints(first) => first.is_null(),
            #[cfg(large_counts)]
            Self::Large(first) => first.is_null(),
            Self::Alike(_) | Self::At { .. } => false,
        }
    }
}

/// True for `MPI_IN_PLACE`.
pub fn is_in_place(buffer: *mut c_void) -> bool {
    buffer.addr() == IN_PLACE
}

impl EqualPieces {
    /// Length of a piece; `None` if the arguments describe none.
    pub fn bytes(&self) -> Option<u64> {
        let count = u64::try_from(self.count).ok()?;
        let bytes = datatype::size(self.datatype)?.checked_mul(count)?;
        // At the address 0, only a datatype of absolute addresses has elements.
        let is_nowhere = self.buffer.is_null() && bytes > 0 && datatype::is_plain(self.datatype);
        (!is_nowhere).then_some(bytes)
    }
}

impl PairPieces {
    /// Length of the piece for or from each rank; `None` if the arguments describe none.
    ///
    /// # Safety
    /// The array of counts has a number for each rank.
    pub unsafe fn lengths(self, procs: Procs) -> impl Iterator<Item = Option<u64>> {
        let size = datatype::size(self.datatype);
        (0..procs.get() as usize).map(move |rank| {
            // SAFETY: guaranteed by the caller.
            let count = u64::try_from(unsafe { self.counts.get(rank) }).ok()?;
            size?.checked_mul(count)
        })
    }

    /// True for arguments that MPI refuses: the call is then passed on.
    pub fn is_wrong(&self, procs: Procs) -> bool {
        if is_in_place(self.buffer) || self.counts.is_null() {
            return true;
        }
        // SAFETY: the program gives a number for each rank.
        let mut lengths = unsafe { self.lengths(procs) };
        lengths.any(|length| length.is_none_or(|bytes| bytes > 0 && self.displacements.is_null()))
    }
}

impl ProgramCall {
    /// The operation of MPI.
    pub fn operation(&self) -> CalledOperation {
        match self.buffers {
            CallBuffers::ByPair {
                by_rank: Some(operation),
                ..
            } => CalledOperation::ByRank(operation),
            _ => self.collective.into(),
        }
    }

    /// Length of a piece; `None` if the arguments are wrong, or the significant buffers contradict each other.
    fn piece(&self, sides: [EqualPieces; 2], is_root: bool) -> Option<u64> {
        use Collective::{Allgather, Alltoall, Bcast, Gather, Scatter};
        let is_significant = match self.collective {
            Bcast => [false, true],
            Scatter => [is_root, true],
            Gather => [true, is_root],
            _ => [true; 2],
        };
        let may_be_elsewhere = match self.collective {
            Alltoall | Allgather => [true, false],
            Gather => [is_root, false],
            Scatter => [false, is_root],
            _ => [false; 2],
        };
        let mut known = None;
        for (side, (is_significant, may_be_elsewhere)) in
            sides.iter().zip(is_significant.into_iter().zip(may_be_elsewhere))
        {
            match is_in_place(side.buffer) {
                _ if !is_significant => {}
                true if may_be_elsewhere => {}
                true => return None,
                false => {
                    let bytes = side.bytes()?;
                    if *known.get_or_insert(bytes) != bytes {
                        return None;
                    }
                }
            }
        }
        known
    }

    /// Length of the data that the call moves, equal on all ranks.
    ///
    /// # Errors
    /// If MPI refuses the arguments.
    pub fn length(&self, member: CommMember) -> Result<CallLength, RefusedArguments> {
        let (procs, rank) = (member.procs.get(), member.rank.0);
        let valid_root = u32::try_from(self.root).ok().filter(|root| *root < procs);
        let root = valid_root.ok_or(RefusedArguments)?;
        let bytes = match self.buffers {
            CallBuffers::ByPair { send, receive, .. } => {
                let is_sent = !is_in_place(send.buffer);
                let is_wrong = receive.is_wrong(member.procs) || (is_sent && send.is_wrong(member.procs));
                return if is_wrong {
                    Err(RefusedArguments)
                } else {
                    Ok(CallLength::ByPair)
                };
            }
            CallBuffers::Equal { send, receive } => self.piece([send, receive], rank == root),
            CallBuffers::Vectors(vectors) => {
                return vectors.length(member, self.collective != Collective::Reduce || rank == root);
            }
            CallBuffers::Without => return Ok(CallLength::Piece(Bytes(0))),
        };
        let pieces = match self.collective {
            Collective::Bcast => 1,
            _ => u64::from(procs),
        };
        Ok(match bytes.ok_or(RefusedArguments)? {
            0 => CallLength::Nothing,
            bytes if bytes.saturating_mul(pieces) > MOST_BYTES => CallLength::TooMuch,
            bytes => CallLength::Piece(Bytes(bytes)),
        })
    }

    /// True if both buffers begin at the same address, or one begins at this rank's piece of the other: MPI forbids it,
    /// and some libraries refuse it.
    pub fn is_aliased(&self, member: CommMember) -> bool {
        let is_root = u32::try_from(self.root).is_ok_and(|root| root == member.rank.0);
        let (send, receive) = match self.buffers {
            CallBuffers::Equal { send, receive } => (send, receive),
            CallBuffers::Vectors(vectors) => {
                let has_both = self.collective != Collective::Reduce || is_root;
                return has_both && vectors.send == vectors.receive;
            }
            CallBuffers::ByPair { .. } | CallBuffers::Without => return false,
        };
        // Elements at the address 0 have absolute addresses.
        if send.buffer.is_null() || receive.buffer.is_null() {
            return false;
        }
        let piece_of_rank = |side: &EqualPieces| {
            let rank = isize::try_from(member.rank.0).unwrap_or(0);
            let count = isize::try_from(side.count).unwrap_or(0);
            let piece = count.wrapping_mul(datatype::extent(side.datatype));
            side.buffer.wrapping_byte_offset(rank.wrapping_mul(piece))
        };
        match self.collective {
            Collective::Alltoall => send.buffer == receive.buffer,
            Collective::Allgather => send.buffer == piece_of_rank(&receive),
            Collective::Gather => is_root && send.buffer == piece_of_rank(&receive),
            Collective::Scatter => is_root && receive.buffer == piece_of_rank(&send),
            _ => false,
        }
    }
}

/// Length of the data that a call moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CallLength {
    /// Pieces of one size.
    Piece(Bytes),
    /// A vector of this length, without gaps.
    Vector(Bytes, CallOperands),
    /// Data that no schedule moves, for this reason.
    Passed(&'static str),
    /// Pieces whose sizes differ from pair to pair.
    ByPair,
    /// No data.
    Nothing,
    /// More bytes than a C int counts.
    TooMuch,
}

/// Arguments that MPI refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedArguments;

impl RefusedArguments {
    /// Reason for passing the call on.
    pub const REASON: &str = "arguments that MPI refuses";
}

impl CallLength {
    /// The class of a call of this length; `None` if its size alone does not tell.
    pub fn class(self, operation: CalledOperation) -> Option<CallClass> {
        match self {
            Self::Piece(size) => Some(CallClass::of_pieces(operation, size)),
            Self::Vector(size, operands) => Some(CallClass {
                operation,
                size: class(size.0),
                dependence: operands.dependence,
            }),
            Self::ByPair | Self::Passed(_) | Self::Nothing | Self::TooMuch => None,
        }
    }

    /// Reason for passing a call on whatever the profile says; `None` if there is none.
    pub fn reason_to_pass(self) -> Option<&'static str> {
        match self {
            Self::Piece(_) | Self::Vector(..) | Self::ByPair => None,
            Self::Passed(reason) => Some(reason),
            Self::Nothing => Some("no data"),
            Self::TooMuch => Some("more than 2 GiB"),
        }
    }
}
