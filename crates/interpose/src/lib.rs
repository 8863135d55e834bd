//! `libnetsig_interpose.so`, preloaded into unmodified MPI programs: runs the algorithms that a profile chooses in
//! place of the MPI library's.
//!
//! A call of the program enters at `entry` and goes to the `record` of its communicator, if a `session` is in progress. A
//! reduction or barrier that is left to the MPI library everywhere is counted alone.
//! `calls` holds the decisions and times of the communicator; `agreement` and `choice` make a new decision on one rank.
//! Then the MPI library's own function runs, or netsig's schedule (`run`), and `trial` compares both. All other calls
//! are passed on unchanged.
//!
//! # No harm
//! No panic leaves an entry (`fault`). A program's receives match none of this library's messages (`roll_call`,
//! `world`). Wrong arguments go to the MPI library (`agreement`), and errors in schedules look like its errors
//! (`failure`). The report replaces only reports (`report_file`).
//!
//! # Environment
//! Rank 0 of `MPI_COMM_WORLD` reads these variables in `MPI_Init` and shares them:
//!
//! | variable | meaning |
//! |---|---|
//! | `NETSIG_INTERPOSE` | `on` (default), `report` (choose, but change nothing), `off` |
//! | `NETSIG_PROFILE` | the profile |
//! | `NETSIG_NETWORK` | the description of a network with several switches; optional |
//! | `NETSIG_REPORT` | the file of the report; optional |
//! | `NETSIG_REDUCTIONS` | `off`, `same-order` (default: results keep their bits), `on` (any order of operands) |
//! | `NETSIG_ALGORITHMS` | `COLLECTIVE ALGORITHM; …`: algorithms that are taken for all sizes in place of a choice |
//!
//! # MPIs
//! Tested with Open MPI 4.1 and 5.0 and with MPICH 4.0, each with its own build. Programs for Open MPI 5.0 also run
//! with the build for 4.1, whose binary interface is the same.
//!
//! # Limits
//! Not intercepted: programs whose MPI is linked statically, functions that a program looks up in a library
//! that it loads, and MPI before `MPI_Init` (sessions of MPI 4).
//!
//! All calls are passed on in these cases:
//!
//! * A rank does not have this library, came late, or does not see the entries that others published in `MPI_Init`, as
//!   with `OMPI_MCA_pmix_base_collect_data=0` (`roll_call`).
//! * Another library intercepts MPI, or a library for GPUs is loaded before `MPI_Init`.
//! * A host has another number of processes than in the profile, or is in none of its clusters, and no algorithms are
//!   given.
//!
//! Under a profile with clusters, calls are passed on in communicators whose number of clusters differs from the
//! measured ranks'.
//!
//! The first call of a collective on a communicator waits for all ranks, even if MPI refuses the arguments of the
//! calling rank.
//!
//! A program that loads its MPI itself, as Python does, must get the build for that MPI, since this library loads the
//! MPI of its build. `netsig run` takes the build that fits `mpirun`.

mod agreement;
mod arrays;
mod attribute;
mod by_rank;
mod call;
mod calls;
mod choice;
mod datatype;
mod decision;
mod entry;
mod envelope;
mod failure;
mod fault;
mod growing_memory;
mod handle;
mod job;
mod loaded;
mod member;
mod next;
mod numbers;
mod operands;
mod operation;
mod order;
mod places;
mod record;
mod reduction;
mod report;
mod report_file;
mod roll_call;
mod run;
mod scope;
mod session;
mod settings;
mod size_class;
mod store;
mod tools;
mod trial;
mod vectors;
mod verdicts;
mod world;

use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Writes a line to standard error in one call, because other ranks may write at the same time.
fn print_line(line: &str) {
    // A failure to write to standard error cannot be reported.
    let _ = std::io::stderr().write_all(format!("netsig: {line}\n").as_bytes());
}

/// Locks a mutex, also after a panic of another thread: its data are usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
