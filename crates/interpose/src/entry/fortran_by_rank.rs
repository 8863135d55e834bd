//! Fortran entry points for Open MPI of the collectives with a length for each rank.

#![allow(clippy::too_many_arguments, clippy::many_single_char_names, reason = "those of MPI")]

use std::ffi::c_int;

use mpi::ffi;

use super::by_rank::carry_out_by_rank;
use super::collectives::{pair_side, side};
use super::export;
use super::fortran::{Buffer, Integer, buffer, comm, datatype, ended, fortran, integer};
use crate::call::CallNumbers;
use crate::handle::word;
use crate::operation::ByRankOperation;
use crate::session;

fn allgatherv(
    send: Buffer,
    m: Integer,
    s: Integer,
    receive: Buffer,
    n: Integer,
    to: Integer,
    r: Integer,
    c: Integer,
    error: Integer,
) -> c_int {
    let (send, receive) = (buffer(send), buffer(receive));
    let (m, s, r, c) = (integer(m), datatype(s), datatype(r), comm(c));
    let received = pair_side(receive, CallNumbers::Ints(n), CallNumbers::Ints(to), word(r));
    let sent = side(send, m, word(s));
    // SAFETY: the program's own arguments.
    let mut pass = || unsafe { ffi::PMPI_Allgatherv(send, m, s, receive, n, to, r, c) };
    let operation = ByRankOperation::Allgatherv;
    ended(
        carry_out_by_rank(operation, sent, received, 0, word(c), &mut pass),
        error,
    )
}
fortran! { allgatherv(send: Buffer, m: Integer, s: Integer, receive: Buffer, n: Integer, to: Integer, r: Integer, c: Integer, error: Integer)
mpi_allgatherv mpi_allgatherv_ mpi_allgatherv__ MPI_ALLGATHERV ompi_allgatherv_f }

fn gatherv(
    send: Buffer,
    m: Integer,
    s: Integer,
    receive: Buffer,
    n: Integer,
    to: Integer,
    r: Integer,
    root: Integer,
    c: Integer,
    error: Integer,
) -> c_int {
    let (send, receive) = (buffer(send), buffer(receive));
    let (m, s, r, c) = (integer(m), datatype(s), datatype(r), comm(c));
    let root = integer(root);
    let received = pair_side(receive, CallNumbers::Ints(n), CallNumbers::Ints(to), word(r));
    let sent = side(send, m, word(s));
    // SAFETY: the program's own arguments.
    let mut pass = || unsafe { ffi::PMPI_Gatherv(send, m, s, receive, n, to, r, root, c) };
    let operation = ByRankOperation::Gatherv;
    ended(
        carry_out_by_rank(operation, sent, received, root, word(c), &mut pass),
        error,
    )
}
fortran! { gatherv(send: Buffer, m: Integer, s: Integer, receive: Buffer, n: Integer, to: Integer, r: Integer, root: Integer, c: Integer, error: Integer)
mpi_gatherv mpi_gatherv_ mpi_gatherv__ MPI_GATHERV ompi_gatherv_f }

fn scatterv(
    send: Buffer,
    m: Integer,
    from: Integer,
    s: Integer,
    receive: Buffer,
    n: Integer,
    r: Integer,
    root: Integer,
    c: Integer,
    error: Integer,
) -> c_int {
    let (send, receive) = (buffer(send), buffer(receive));
    let (n, s, r, c) = (integer(n), datatype(s), datatype(r), comm(c));
    let root = integer(root);
    let sent = pair_side(send, CallNumbers::Ints(m), CallNumbers::Ints(from), word(s));
    let received = side(receive, n, word(r));
    // SAFETY: the program's own arguments.
    let mut pass = || unsafe { ffi::PMPI_Scatterv(send, m, from, s, receive, n, r, root, c) };
    let operation = ByRankOperation::Scatterv;
    ended(
        carry_out_by_rank(operation, received, sent, root, word(c), &mut pass),
        error,
    )
}
fortran! { scatterv(send: Buffer, m: Integer, from: Integer, s: Integer, receive: Buffer, n: Integer, r: Integer, root: Integer, c: Integer, error: Integer)
mpi_scatterv mpi_scatterv_ mpi_scatterv__ MPI_SCATTERV ompi_scatterv_f }
