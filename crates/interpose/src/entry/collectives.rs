//! The collectives that a schedule may run, with C ints as counts and with large counts.

use std::ffi::{c_int, c_void};

use netsig_base::algorithm::Collective;

use super::export;
use crate::call::{CallBuffers, CallNumbers, EqualPieces, PairPieces, ProgramCall, VectorBuffers, VectorCounts};
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

/// The handles of a reduction.
#[derive(Clone, Copy)]
pub struct ReductionHandles {
    /// Type of the elements.
    pub datatype: Word,
    /// The operation.
    pub operation: Word,
    /// The communicator.
    pub comm: Word,
}

/// Carries out a reduction; `addresses` are those of the vector and of the result.
pub fn reduce(
    collective: Collective,
    addresses: [*mut c_void; 2],
    counts: VectorCounts,
    handles: ReductionHandles,
    root: c_int,
    pass: LibraryCall,
) -> c_int {
    let [send, receive] = addresses;
    let vectors = VectorBuffers {
        send,
        receive,
        counts,
        datatype: handle(handles.datatype),
        operation: handle(handles.operation),
    };
    let call = ProgramCall {
        collective,
        comm: handle(handles.comm),
        root,
        buffers: CallBuffers::Vectors(vectors),
    };
    carry_out(&call, pass)
}

/// Carries out a barrier.
pub fn synchronise(comm: Word, pass: LibraryCall) -> c_int {
    let call = ProgramCall {
        collective: Collective::Barrier,
        comm: handle(comm),
        root: 0,
        buffers: CallBuffers::Without,
    };
    carry_out(&call, pass)
}

/// The functions with counts of one type.
macro_rules! collectives {
    (
        $count:ty, $displacement:ty, $numbers:path,
        $alltoall:ident, $alltoallv:ident, $bcast:ident, $scatter:ident, $gather:ident, $allgather:ident,
        $allreduce:ident, $reduce:ident, $reduce_scatter:ident, $reduce_scatter_block:ident
    ) => {
        export! { $allreduce(send: *const c_void, receive: *mut c_void, n: $count, t: Word, o: Word, comm: Word)
            |pass, send, receive, n, t, o, comm| {
                let counts = VectorCounts::Whole(n.into());
                let handles = ReductionHandles { datatype: t, operation: o, comm };
                reduce(Collective::Allreduce, [send.cast_mut(), receive], counts, handles, 0, pass)
            }
        }
        export! { $reduce(send: *const c_void, receive: *mut c_void, n: $count, t: Word, o: Word, root: c_int, comm: Word)
            |pass, send, receive, n, t, o, root, comm| {
                let counts = VectorCounts::Whole(n.into());
                let handles = ReductionHandles { datatype: t, operation: o, comm };
                reduce(Collective::Reduce, [send.cast_mut(), receive], counts, handles, root, pass)
            }
        }
        export! { $reduce_scatter(send: *const c_void, receive: *mut c_void, n: *const $count, t: Word, o: Word, comm: Word)
            |pass, send, receive, n, t, o, comm| {
                let counts = VectorCounts::Blocks($numbers(n));
                let handles = ReductionHandles { datatype: t, operation: o, comm };
                reduce(Collective::ReduceScatter, [send.cast_mut(), receive], counts, handles, 0, pass)
            }
        }
        export! { $reduce_scatter_block(send: *const c_void, receive: *mut c_void, n: $count, t: Word, o: Word, comm: Word)
            |pass, send, receive, n, t, o, comm| {
                let counts = VectorCounts::EachBlock(n.into());
                let handles = ReductionHandles { datatype: t, operation: o, comm };
                reduce(Collective::ReduceScatterBlock, [send.cast_mut(), receive], counts, handles, 0, pass)
            }
        }
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
    MPI_Allgather,
    MPI_Allreduce,
    MPI_Reduce,
    MPI_Reduce_scatter,
    MPI_Reduce_scatter_block
);

export! { MPI_Barrier(comm: Word) |pass, comm| synchronise(comm, pass) }

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
    MPI_Allgather_c,
    MPI_Allreduce_c,
    MPI_Reduce_c,
    MPI_Reduce_scatter_c,
    MPI_Reduce_scatter_block_c
);
