//! The collectives with a length for each rank: allgatherv, gatherv and scatterv.

use std::ffi::{c_int, c_void};

use super::collectives::{LibraryCall, pair_side, side};
use super::export;
use crate::by_rank::ByRankCall;
use crate::call::{CallNumbers, EqualPieces, PairPieces};
use crate::handle::{Word, handle};
use crate::operation::ByRankOperation;
use crate::record;

/// Carries out an operation. The array of `pieces` is sent in a scatterv, else received; `piece` is the other side.
pub fn carry_out_by_rank(
    operation: ByRankOperation,
    piece: EqualPieces,
    pieces: PairPieces,
    root: c_int,
    comm: Word,
    pass: LibraryCall,
) -> c_int {
    let call = ByRankCall {
        operation,
        comm: handle(comm),
        root,
        piece,
        pieces,
    };
    record::carry_out_by_rank(&call, pass)
}

/// The functions with counts of one type.
macro_rules! by_rank {
    ($count:ty, $numbers:path, $allgatherv:ident, $gatherv:ident, $scatterv:ident) => {
        export! { $allgatherv(
                send: *const c_void, m: $count, s: Word,
                receive: *mut c_void, n: *const $count, to: *const $count, r: Word, comm: Word)
            |pass, send, m, s, receive, n, to, r, comm| {
                let received = pair_side(receive, $numbers(n), $numbers(to), r);
                carry_out_by_rank(ByRankOperation::Allgatherv, side(send, m, s), received, 0, comm, pass)
            }
        }
        export! { $gatherv(
                send: *const c_void, m: $count, s: Word,
                receive: *mut c_void, n: *const $count, to: *const $count, r: Word, root: c_int, comm: Word)
            |pass, send, m, s, receive, n, to, r, root, comm| {
                let received = pair_side(receive, $numbers(n), $numbers(to), r);
                carry_out_by_rank(ByRankOperation::Gatherv, side(send, m, s), received, root, comm, pass)
            }
        }
        export! { $scatterv(
                send: *const c_void, m: *const $count, from: *const $count, s: Word,
                receive: *mut c_void, n: $count, r: Word, root: c_int, comm: Word)
            |pass, send, m, from, s, receive, n, r, root, comm| {
                let sent = pair_side(send, $numbers(m), $numbers(from), s);
                carry_out_by_rank(ByRankOperation::Scatterv, side(receive, n, r), sent, root, comm, pass)
            }
        }
    };
}

by_rank!(c_int, CallNumbers::Ints, MPI_Allgatherv, MPI_Gatherv, MPI_Scatterv);

#[cfg(large_counts)]
by_rank!(i64, CallNumbers::Large, MPI_Allgatherv_c, MPI_Gatherv_c, MPI_Scatterv_c);
