//! Fortran entry points for Open MPI. Its Fortran library calls the `PMPI_` functions, so that calls from Fortran would
//! not reach the C functions of this library. (MPICH's Fortran library calls the C functions.)
//!
//! The first four names of a function follow the rules of different compilers; the module `mpi_f08` calls the last.

#![allow(clippy::too_many_arguments, clippy::many_single_char_names, reason = "those of MPI")]

use std::ffi::{CStr, c_int, c_void};
use std::sync::{PoisonError, RwLock};

use itertools::Itertools as _;
use mpi::ffi;
use netsig_base::algorithm::Collective;

use super::collectives::{ReductionHandles, carry_out_by_pair, equal, pair_side, reduce, side, synchronise};
use super::export;
use crate::attribute::keyval;
use crate::call::{CallNumbers, VectorCounts};
use crate::handle::word;
use crate::loaded::{self, all_symbols};
use crate::session;

/// The address of an integer of Fortran.
pub type Integer = *mut c_int;
/// The address of a buffer of Fortran.
pub type Buffer = *mut c_void;

/// Names of the common blocks whose addresses stand for `MPI_IN_PLACE` and `MPI_BOTTOM`.
const IN_PLACE: [&CStr; 4] = [
    c"mpi_fortran_in_place_",
    c"mpi_fortran_in_place",
    c"mpi_fortran_in_place__",
    c"MPI_FORTRAN_IN_PLACE",
];
const BOTTOM: [&CStr; 4] = [
    c"mpi_fortran_bottom_",
    c"mpi_fortran_bottom",
    c"mpi_fortran_bottom__",
    c"MPI_FORTRAN_BOTTOM",
];

/// C's `MPI_IN_PLACE`.
const C_IN_PLACE: usize = 1;

/// The addresses that stand for `MPI_IN_PLACE` and `MPI_BOTTOM`. A library with private symbols, such as a module of
/// Python, has its own copy of the common blocks.
struct FortranConstants {
    in_place: Vec<usize>,
    bottom: Vec<usize>,
    /// Value of [`loaded::changes`] at the search.
    changes: u64,
}

impl FortranConstants {
    fn of(changes: u64) -> Self {
        let addresses = |names: [&CStr; 4]| {
            let all = names.into_iter().flat_map(all_symbols);
            all.map(<*mut c_void>::addr).sorted().dedup().collect()
        };
        Self {
            in_place: addresses(IN_PLACE),
            bottom: addresses(BOTTOM),
            changes,
        }
    }
}

/// The C form of a buffer.
pub fn buffer(address: Buffer) -> Buffer {
    static FOUND: RwLock<Option<FortranConstants>> = RwLock::new(None);
    let changes = loaded::changes();
    let cached = FOUND.read().unwrap_or_else(PoisonError::into_inner);
    let found = match &*cached {
        Some(known) if known.changes == changes => cached,
        _ => {
            drop(cached);
            let constants = FortranConstants::of(changes);
            *FOUND.write().unwrap_or_else(PoisonError::into_inner) = Some(constants);
            FOUND.read().unwrap_or_else(PoisonError::into_inner)
        }
    };
    let is_one_of = |of: fn(&FortranConstants) -> &[usize]| {
        found
            .as_ref()
            .is_some_and(|constants| of(constants).contains(&address.addr()))
    };
    if is_one_of(|constants| &constants.in_place) {
        std::ptr::without_provenance_mut(C_IN_PLACE)
    } else if is_one_of(|constants| &constants.bottom) {
        std::ptr::null_mut()
    } else {
        address
    }
}

/// The integer at an address of the program.
pub fn integer(address: Integer) -> c_int {
    // SAFETY: Fortran passes the address of an integer.
    unsafe { *address }
}

/// The C handle of a datatype.
pub fn datatype(address: Integer) -> ffi::MPI_Datatype {
    // SAFETY: MPI accepts any integer.
    unsafe { ffi::PMPI_Type_f2c(integer(address)) }
}

/// The C handle of a communicator.
pub fn comm(address: Integer) -> ffi::MPI_Comm {
    // SAFETY: MPI accepts any integer.
    unsafe { ffi::PMPI_Comm_f2c(integer(address)) }
}

/// Stores the error code of a call; the function itself returns nothing that Fortran reads.
pub fn ended(code: c_int, error: Integer) -> c_int {
    if !error.is_null() {
        // SAFETY: Fortran passes the address of an integer.
        unsafe { *error = code };
    }
    code
}

/// Exports a function under its names. Without a session the arguments pass unchanged, since they may belong to another
/// MPI.
macro_rules! fortran {
    ($body:ident($($argument:ident: $type:ty),*) $($name:ident)+) => {
        fortran!(@each $body [$($argument: $type),*] $($name)+);
    };
    (@each $body:ident $arguments:tt $($name:ident)+) => {
        $(fortran!(@one $body $name $arguments);)+
    };
    (@one $body:ident $name:ident [$($argument:ident: $type:ty),*]) => {
        export! { $name($($argument: $type),*) |pass, $($argument),*| match session::current() {
            Some(_) => $body($($argument),*),
            None => pass(),
        } }
    };
}

pub(super) use fortran;

/// A collective with pieces of one size; `$function` is the C function.
macro_rules! rootless {
    ($body:ident, $collective:ident, $function:ident, $($name:ident)+) => {
        fn $body(send: Buffer, m: Integer, s: Integer, receive: Buffer, n: Integer, r: Integer, c: Integer, error: Integer) -> c_int {
            let (send, receive) = (buffer(send), buffer(receive));
            let (m, n, s, r, c) = (integer(m), integer(n), datatype(s), datatype(r), comm(c));
            let (sent, received) = (side(send, m, word(s)), side(receive, n, word(r)));
            // SAFETY: the program's own arguments.
            let mut pass = || unsafe { ffi::$function(send, m, s, receive, n, r, c) };
            ended(equal(Collective::$collective, sent, received, 0, word(c), &mut pass), error)
        }
        fortran! { $body(send: Buffer, m: Integer, s: Integer, receive: Buffer, n: Integer, r: Integer, c: Integer, error: Integer) $($name)+ }
    };
}

macro_rules! rooted {
    ($body:ident, $collective:ident, $function:ident, $($name:ident)+) => {
        fn $body(send: Buffer, m: Integer, s: Integer, receive: Buffer, n: Integer, r: Integer, root: Integer, c: Integer, error: Integer) -> c_int {
            let (send, receive) = (buffer(send), buffer(receive));
            let (m, n, s, r, c) = (integer(m), integer(n), datatype(s), datatype(r), comm(c));
            let root = integer(root);
            let (sent, received) = (side(send, m, word(s)), side(receive, n, word(r)));
            // SAFETY: the program's own arguments.
            let mut pass = || unsafe { ffi::$function(send, m, s, receive, n, r, root, c) };
            ended(equal(Collective::$collective, sent, received, root, word(c), &mut pass), error)
        }
        fortran! { $body(send: Buffer, m: Integer, s: Integer, receive: Buffer, n: Integer, r: Integer, root: Integer, c: Integer, error: Integer) $($name)+ }
    };
}

rootless!(alltoall, Alltoall, PMPI_Alltoall, mpi_alltoall mpi_alltoall_ mpi_alltoall__ MPI_ALLTOALL ompi_alltoall_f);
rootless!(allgather, Allgather, PMPI_Allgather, mpi_allgather mpi_allgather_ mpi_allgather__ MPI_ALLGATHER ompi_allgather_f);
rooted!(scatter, Scatter, PMPI_Scatter, mpi_scatter mpi_scatter_ mpi_scatter__ MPI_SCATTER ompi_scatter_f);
rooted!(gather, Gather, PMPI_Gather, mpi_gather mpi_gather_ mpi_gather__ MPI_GATHER ompi_gather_f);

fn bcast(data: Buffer, n: Integer, t: Integer, root: Integer, c: Integer, error: Integer) -> c_int {
    let data = buffer(data);
    let (n, t, root, c) = (integer(n), datatype(t), integer(root), comm(c));
    let data_side = side(data, n, word(t));
    // SAFETY: the program's own arguments.
    let mut pass = || unsafe { ffi::PMPI_Bcast(data, n, t, root, c) };
    ended(
        equal(Collective::Bcast, data_side, data_side, root, word(c), &mut pass),
        error,
    )
}
fortran! { bcast(data: Buffer, n: Integer, t: Integer, root: Integer, c: Integer, error: Integer)
mpi_bcast mpi_bcast_ mpi_bcast__ MPI_BCAST ompi_bcast_f }

fn alltoallv(
    send: Buffer,
    m: Integer,
    from: Integer,
    s: Integer,
    receive: Buffer,
    n: Integer,
    to: Integer,
    r: Integer,
    c: Integer,
    error: Integer,
) -> c_int {
    let (send, receive) = (buffer(send), buffer(receive));
    let (s, r, c) = (datatype(s), datatype(r), comm(c));
    let sent = pair_side(send, CallNumbers::Ints(m), CallNumbers::Ints(from), word(s));
    let received = pair_side(receive, CallNumbers::Ints(n), CallNumbers::Ints(to), word(r));
    // SAFETY: the program's own arguments.
    let mut pass = || unsafe { ffi::PMPI_Alltoallv(send, m, from, s, receive, n, to, r, c) };
    ended(carry_out_by_pair(sent, received, word(c), &mut pass), error)
}
fortran! { alltoallv(send: Buffer, m: Integer, from: Integer, s: Integer, receive: Buffer, n: Integer, to: Integer, r: Integer, c: Integer, error: Integer)
mpi_alltoallv mpi_alltoallv_ mpi_alltoallv__ MPI_ALLTOALLV ompi_alltoallv_f }

/// The C handles of a reduction, and a function for its arguments.
struct FortranReduction {
    datatype: ffi::MPI_Datatype,
    operation: ffi::MPI_Op,
    comm: ffi::MPI_Comm,
}

impl FortranReduction {
    fn new(t: Integer, o: Integer, c: Integer) -> Self {
        Self {
            datatype: datatype(t),
            // SAFETY: MPI accepts any integer.
            operation: unsafe { ffi::PMPI_Op_f2c(integer(o)) },
            comm: comm(c),
        }
    }

    fn handles(&self) -> ReductionHandles {
        ReductionHandles {
            datatype: word(self.datatype),
            operation: word(self.operation),
            comm: word(self.comm),
        }
    }
}

/// A reduction whose result is on all ranks; `$function` is the C function, `$given` the form of its counts.
macro_rules! reduced {
    ($body:ident, $collective:ident, $function:ident, $counts:ident, $given:expr, $($name:ident)+) => {
        fn $body(send: Buffer, receive: Buffer, n: Integer, t: Integer, o: Integer, c: Integer, error: Integer) -> c_int {
            let (send, receive) = (buffer(send), buffer(receive));
            let given = FortranReduction::new(t, o, c);
            let counts = $given(n);
            // SAFETY: the program's own arguments.
            let mut pass = || unsafe { ffi::$function(send, receive, counts, given.datatype, given.operation, given.comm) };
            let vector_counts = VectorCounts::$counts(counts.into());
            let code = reduce(Collective::$collective, [send, receive], vector_counts, given.handles(), 0, &mut pass);
            ended(code, error)
        }
        fortran! { $body(send: Buffer, receive: Buffer, n: Integer, t: Integer, o: Integer, c: Integer, error: Integer) $($name)+ }
    };
}

reduced!(allreduce, Allreduce, PMPI_Allreduce, Whole, integer, mpi_allreduce mpi_allreduce_ mpi_allreduce__ MPI_ALLREDUCE ompi_allreduce_f);
reduced!(reduce_scatter_block, ReduceScatterBlock, PMPI_Reduce_scatter_block, EachBlock, integer, mpi_reduce_scatter_block mpi_reduce_scatter_block_ mpi_reduce_scatter_block__ MPI_REDUCE_SCATTER_BLOCK ompi_reduce_scatter_block_f);
reduced!(reduce_scatter, ReduceScatter, PMPI_Reduce_scatter, Blocks, as_given, mpi_reduce_scatter mpi_reduce_scatter_ mpi_reduce_scatter__ MPI_REDUCE_SCATTER ompi_reduce_scatter_f);

/// The counts of all ranks.
fn as_given(counts: Integer) -> Integer {
    counts
}

fn reduce_to_root(
    send: Buffer,
    receive: Buffer,
    n: Integer,
    t: Integer,
    o: Integer,
    root: Integer,
    c: Integer,
    error: Integer,
) -> c_int {
    let (send, receive) = (buffer(send), buffer(receive));
    let (n, root) = (integer(n), integer(root));
    let given = FortranReduction::new(t, o, c);
    // SAFETY: the program's own arguments.
    let mut pass = || unsafe { ffi::PMPI_Reduce(send, receive, n, given.datatype, given.operation, root, given.comm) };
    let counts = VectorCounts::Whole(n.into());
    let code = reduce(
        Collective::Reduce,
        [send, receive],
        counts,
        given.handles(),
        root,
        &mut pass,
    );
    ended(code, error)
}
fortran! { reduce_to_root(send: Buffer, receive: Buffer, n: Integer, t: Integer, o: Integer, root: Integer, c: Integer, error: Integer)
mpi_reduce mpi_reduce_ mpi_reduce__ MPI_REDUCE ompi_reduce_f }

fn barrier(c: Integer, error: Integer) -> c_int {
    let c = comm(c);
    // SAFETY: the program's own argument.
    let mut pass = || unsafe { ffi::PMPI_Barrier(c) };
    ended(synchronise(word(c), &mut pass), error)
}
fortran! { barrier(c: Integer, error: Integer) mpi_barrier mpi_barrier_ mpi_barrier__ MPI_BARRIER ompi_barrier_f }

/// Begins the session after the functions of this name.
macro_rules! init {
    ($arguments:tt $($name:ident)+) => {
        $(init!(@one $name $arguments);)+
    };
    (@one $name:ident [$($argument:ident),*]) => {
        export! { $name($($argument: Integer),*) |pass, $($argument),*| {
            pass();
            let [.., error] = [$($argument),*];
            // SAFETY: Fortran passes the address of an integer.
            if error.is_null() || unsafe { *error } == 0 {
                session::begin(keyval);
            }
            0
        } }
    };
}

init!([error] mpi_init mpi_init_ mpi_init__ MPI_INIT ompi_init_f);
init!([wanted, provided, error] mpi_init_thread mpi_init_thread_ mpi_init_thread__ MPI_INIT_THREAD ompi_init_thread_f);

/// Ends the session before the functions of this name.
macro_rules! finalize {
    ($($name:ident)+) => {
        $(export! { $name(error: Integer) |pass, _error| {
            session::end();
            pass()
        } })+
    };
}

finalize!(mpi_finalize mpi_finalize_ mpi_finalize__ MPI_FINALIZE ompi_finalize_f);
