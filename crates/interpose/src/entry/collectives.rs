//! The collectives that a schedule may run, with C ints as counts and with large counts.

use std::ffi::{c_int, c_void};

use netsig_base::algorithm::Collective;

use super::export;
use crate::call::{CallBuffers, CallNumbers, EqualPieces, PairPieces, ProgramCall};
use crate::handle::{Word, handle};
use crate::record::carry_out;

/// The call of the MPI library itself.
pub type LibraryCall<'a> = &'a mut dyn FnMut() -> c_int;

/// A buffer of pieces of one size.
pub fn side(buffer: *const c_void, count: impl Into<i64>, datatype: Word) -> EqualPieces {
    EqualPieces {
        buffer: buffer.cast_mut(),
        count: count.into(),
        datatype: handle(datatype),
    }
}

/// A buffer of pieces of different sizes.
pub fn pair_side(buffer: *const c_void, counts: CallNumbers, displacements: CallNumbers, datatype: Word) -> PairPieces {
    PairPieces {
        buffer: buffer.cast_mut(),
        counts,
        displacements,
        datatype: handle(datatype),
    }
}

/// Carries out a collective with pieces of one size.
pub fn equal(
    collective: Collective,
    send: EqualPieces,
    receive: EqualPieces,
    root: c_int,
    comm: Word,
    pass: LibraryCall,
) -> c_int {
    let call = ProgramCall {
        collective,
        comm: handle(comm),
        root,
        buffers: CallBuffers::Equal { send, receive },
    };
    carry_out(&call, pass)
}

/// Carries out an alltoallv.
pub fn carry_out_by_pair(send: PairPieces, receive: PairPieces, comm: Word, pass: LibraryCall) -> c_int {
    let call = ProgramCall {
        collective: Collective::Alltoallv,
        comm: handle(comm),
        root: 0,
        buffers: CallBuffers::ByPair {
            by_rank: None,
            send,
            receive,
        },
    };
    carry_out(&call, pass)
}

/// The functions with counts of one type.
macro_rules! collectives {
    (
        $count:ty, $displacement:ty, $numbers:path,
        $alltoall:ident, $alltoallv:ident, $bcast:ident, $scatter:ident, $gather:ident, $allgather:ident
    ) => {
        export! { $alltoall(send: *const c_void, m: $count, s: Word, receive: *mut c_void, n: $count, r: Word, comm: Word)
            |pass, send, m, s, receive, n, r, comm| {
                equal(Collective::Alltoall, side(send, m, s), side(receive, n, r), 0, comm, pass)
            }
        }
        export! { $allgather(send: *const c_void, m: $count, s: Word, receive: *mut c_void, n: $count, r: Word, comm: Word)
            |pass, send, m, s, receive, n, r, comm| {
                equal(Collective::Allgather, side(send, m, s), side(receive, n, r), 0, comm, pass)
            }
        }
        export! { $scatter(send: *const c_void, m: $count, s: Word, receive: *mut c_void, n: $count, r: Word, root: c_int, comm: Word)
            |pass, send, m, s, receive, n, r, root, comm| {
                equal(Collective::Scatter, side(send, m, s), side(receive, n, r), root, comm, pass)
            }
        }
        export! { $gather(send: *const c_void, m: $count, s: Word, receive: *mut c_void, n: $count, r: Word, root: c_int, comm: Word)
            |pass, send, m, s, receive, n, r, root, comm| {
                equal(Collective::Gather, side(send, m, s), side(receive, n, r), root, comm, pass)
            }
        }
        export! { $bcast(buffer: *mut c_void, n: $count, t: Word, root: c_int, comm: Word)
            |pass, buffer, n, t, root, comm| {
                let data_side = side(buffer, n, t);
                equal(Collective::Bcast, data_side, data_side, root, comm, pass)
            }
        }
        export! { $alltoallv(
                send: *const c_void, m: *const $count, from: *const $displacement, s: Word,
                receive: *mut c_void, n: *const $count, to: *const $displacement, r: Word, comm: Word)
            |pass, send, m, from, s, receive, n, to, r, comm| {
                let sent = pair_side(send, $numbers(m), $numbers(from), s);
                let received = pair_side(receive, $numbers(n), $numbers(to), r);
                carry_out_by_pair(sent, received, comm, pass)
            }
        }
    };
}

collectives!(
    c_int,
    c_int,
    CallNumbers::Ints,
    MPI_Alltoall,
    MPI_Alltoallv,
    MPI_Bcast,
    MPI_Scatter,
    MPI_Gather,
    MPI_Allgather
);

#[cfg(large_counts)]
collectives!(
    i64,
    i64,
    CallNumbers::Large,
    MPI_Alltoall_c,
    MPI_Alltoallv_c,
    MPI_Bcast_c,
    MPI_Scatter_c,
    MPI_Gather_c,
    MPI_Allgather_c
);
