//! A call of a collective by the program, in one form for all entry points.

use std::ffi::{c_int, c_void};

use mpi::ffi;
use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Procs};

use crate::datatype;
use crate::member::Member;

/// The address that stands for the receive buffer in place of a send buffer, or the reverse.
#[cfg(open_mpi)]
const IN_PLACE: usize = 1;
#[cfg(not(open_mpi))]
const IN_PLACE: usize = usize::MAX;

/// Largest length of a rank's data, in bytes, for which a schedule is chosen: MPI counts with C ints.
pub const MOST_BYTES: u64 = i32::MAX as u64;

/// A call with its arguments.
pub struct Call {
    /// The operation of MPI.
    pub collective: Collective,
    /// The program's communicator.
    pub comm: ffi::MPI_Comm,
    /// The root, where there is one.
    pub root: c_int,
    /// The buffers.
    pub buffers: Buffers,
}

/// The buffers of a call.
#[derive(Clone, Copy)]
pub enum Buffers {
    /// Pieces of one size; of a broadcast both are the same buffer.
    Equal {
        /// Pieces to send.
        send: Side,
        /// Pieces to receive.
        receive: Side,
    },
    /// Pieces of different sizes.
    ByPair {
        /// Pieces to send.
        send: PairSide,
        /// Pieces to receive.
        receive: PairSide,
    },
}

/// A buffer of pieces of one size.
#[derive(Clone, Copy)]
pub struct Side {
    /// Its address.
    pub buffer: *mut c_void,
    /// Number of elements in a piece.
    pub count: i64,
    /// Type of the elements.
    pub datatype: ffi::MPI_Datatype,
}

/// A buffer of pieces of different sizes.
#[derive(Clone, Copy)]
pub struct PairSide {
    /// Its address.
    pub buffer: *mut c_void,
    /// Number of elements in each piece.
    pub counts: Numbers,
    /// Place of each piece, in extents of the datatype.
    pub displacements: Numbers,
    /// Type of the elements.
    pub datatype: ffi::MPI_Datatype,
}

/// An array of the program with a number for each rank.
#[derive(Clone, Copy)]
pub enum Numbers {
    /// C ints.
    Ints(*const c_int),
    /// `MPI_Count` or `MPI_Aint`, both of 64 bits.
    #[cfg(large_counts)]
    Large(*const i64),
}

impl Numbers {
    /// The number of a rank.
    ///
    /// # Safety
    /// The array has a number for it.
    pub unsafe fn get(self, rank: usize) -> i64 {
        match self {
            // SAFETY: guaranteed by the caller.
            Self::Ints(first) => i64::from(unsafe { *first.add(rank) }),
            #[cfg(large_counts)]
            // SAFETY: guaranteed by the caller.
            Self::Large(first) => unsafe { *first.add(rank) },
        }
    }

    fn is_null(self) -> bool {
        match self {
            Self::Ints(first) => first.is_null(),
            #[cfg(large_counts)]
            Self::Large(first) => first.is_null(),
        }
    }
}

/// True for the address that stands for the other buffer.
pub fn is_in_place(buffer: *mut c_void) -> bool {
    buffer.addr() == IN_PLACE
}

impl Side {
    /// Length of a piece; `None` if the arguments are not those of a piece.
    fn bytes(&self) -> Option<u64> {
        let count = u64::try_from(self.count).ok()?;
        let bytes = datatype::size(self.datatype)?.checked_mul(count)?;
        // Elements at the address 0 have a datatype of absolute addresses.
        let is_nowhere = self.buffer.is_null() && bytes > 0 && datatype::is_plain(self.datatype);
        (!is_nowhere).then_some(bytes)
    }
}

impl PairSide {
    /// Lengths of the pieces for or from the ranks; `None` for arguments that are not those of a piece.
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

    /// True for arguments that MPI refuses, with which the call is passed on.
    fn is_wrong(&self, procs: Procs) -> bool {
        if is_in_place(self.buffer) || self.counts.is_null() {
            return true;
        }
        // SAFETY: the program gives a number for each rank.
        let mut lengths = unsafe { self.lengths(procs) };
        lengths.any(|own| own.is_none_or(|own| own > 0 && self.displacements.is_null()))
    }
}

impl Call {
    /// Length of a piece, of which both buffers tell if both are significant; `None` if the arguments are
    /// wrong.
    fn piece(&self, sides: [Side; 2], is_root: bool) -> Option<u64> {
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

    /// What the call moves, which all ranks know alike.
    ///
    /// # Errors
    /// For arguments that MPI refuses.
    pub fn length(&self, member: Member) -> Result<Length, Refused> {
        let (procs, rank) = (member.procs.get(), member.rank.0);
        let root = u32::try_from(self.root).ok().filter(|root| *root < procs);
        let root = root.ok_or(Refused)?;
        let bytes = match self.buffers {
            Buffers::ByPair { send, receive } => {
                let is_sent = !is_in_place(send.buffer);
                let is_wrong = receive.is_wrong(member.procs) || (is_sent && send.is_wrong(member.procs));
                return if is_wrong { Err(Refused) } else { Ok(Length::ByPair) };
            }
            Buffers::Equal { send, receive } => self.piece([send, receive], rank == root),
        };
        let pieces = match self.collective {
            Collective::Bcast => 1,
            _ => u64::from(procs),
        };
        Ok(match bytes.ok_or(Refused)? {
            0 => Length::Nothing,
            bytes if bytes.saturating_mul(pieces) > MOST_BYTES => Length::TooMuch,
            bytes => Length::Piece(Bytes(bytes)),
        })
    }

    /// True if both buffers begin at the same address, or the own piece does at its place in the other: MPI
    /// forbids it, and some libraries refuse it.
    pub fn is_aliased(&self, member: Member) -> bool {
        let Buffers::Equal { send, receive } = self.buffers else {
            return false;
        };
        // At the address 0 are elements of absolute addresses.
        if send.buffer.is_null() || receive.buffer.is_null() {
            return false;
        }
        let own = |side: &Side| {
            let rank = isize::try_from(member.rank.0).unwrap_or(0);
            let count = isize::try_from(side.count).unwrap_or(0);
            let piece = count.wrapping_mul(datatype::extent(side.datatype));
            side.buffer.wrapping_byte_offset(rank.wrapping_mul(piece))
        };
        let is_root = u32::try_from(self.root).is_ok_and(|root| root == member.rank.0);
        match self.collective {
            Collective::Alltoall => send.buffer == receive.buffer,
            Collective::Allgather => send.buffer == own(&receive),
            Collective::Gather => is_root && send.buffer == own(&receive),
            Collective::Scatter => is_root && receive.buffer == own(&send),
            _ => false,
        }
    }
}

/// What a call moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Pieces of one size.
    Piece(Bytes),
    /// Pieces whose sizes differ from pair to pair.
    ByPair,
    /// No data.
    Nothing,
    /// More than a C int counts.
    TooMuch,
}

/// Arguments that MPI refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl Refused {
    /// Why the call is passed on.
    pub const REASON: &str = "arguments that MPI refuses";
}

impl Length {
    /// Why a call is passed on, whatever the profile says.
    pub fn passed(self) -> Option<&'static str> {
        match self {
            Self::Piece(_) | Self::ByPair => None,
            Self::Nothing => Some("no data"),
            Self::TooMuch => Some("more than 2 GiB"),
        }
    }
}
