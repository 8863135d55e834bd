//! `libnetsig_interpose.so`, preloaded into unmodified MPI programs: runs the collectives that a profile
//! chooses in place of the MPI library's.
//!
//! A call of the program goes `entry` → `record` (the communicator; `session` says whether a profile is in use) →
//! `calls` (its decisions and times) → `agreement` and `choice` (a new decision, made by one rank) → the MPI
//! library's own function, or `run` (netsig's schedule), which `trial` compares. Whatever is missing or not
//! understood is passed on unchanged.
//!
//! # No harm
//! No panic leaves an entry (`fault`). A program's receives match none of this library's messages (`roll_call`,
//! `world`). Wrong arguments go to the MPI library (`agreement`), and errors in schedules are its errors
//! (`failure`). The report replaces reports alone (`report_file`).
//!
//! # Environment
//! Read by rank 0 of `MPI_COMM_WORLD` in `MPI_Init`, which shares it:
//!
//! | variable | meaning |
//! |---|---|
//! | `NETSIG_INTERPOSE` | `on` (default), `report` (choose, but change nothing), `off` |
//! | `NETSIG_PROFILE` | the profile |
//! | `NETSIG_NETWORK` | the description of a network with several switches; optional |
//! | `NETSIG_REPORT` | the file of the report; optional |
//! | `NETSIG_ALGORITHMS` | `COLLECTIVE ALGORITHM; …`: algorithms that are taken for all sizes in place of a choice |
//!
//! # MPIs
//! Tested with Open MPI 4.1 and 5.0 and with MPICH 4.0, each with a build of its own. Programs for Open MPI 5.0 also run
//! with the build for 4.1, whose binary interface is the same.
//!
//! # Limits
//! Not intercepted: programs whose MPI is linked statically, functions that a program looks up in a library
//! that it loads, and MPI before `MPI_Init` (sessions of MPI 4).
//!
//! Passed on: all calls where a rank does not have this library, came late, or does not see what others have published in
//! `MPI_Init`, as with `OMPI_MCA_pmix_base_collect_data=0` (`roll_call`), where another library
//! intercepts MPI or one for GPUs is loaded before `MPI_Init`, and, unless algorithms are given, where a host
//! has another number of processes than it had for the profile, or is in none of its clusters. Of a profile
//! with clusters, calls are passed on in communicators that lie in another number of clusters than the
//! measured ranks did.
//!
//! The first call of a collective on a communicator waits for all ranks, also where MPI refuses the arguments of the
//! one rank that calls.
//!
//! A program that loads its MPI itself, as Python does, must get the build for that MPI: this library brings
//! its own with it. `netsig run` takes the build that fits `mpirun`.

mod agreement;
mod call;
mod calls;
mod choice;
mod datatype;
mod entry;
mod envelope;
mod failure;
mod fault;
mod handle;
mod job;
mod loaded;
mod member;
mod next;
mod places;
mod record;
mod reduction;
mod report;
mod report_file;
mod roll_call;
mod room;
mod run;
mod scope;
mod session;
mod settings;
mod sides;
mod size_class;
mod store;
mod tools;
mod trial;
mod verdicts;
mod world;

use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Writes a line to standard error in one call, because other ranks may write at the same time.
fn tell(line: &str) {
    // A failure to write to standard error cannot be reported.
    let _ = std::io::stderr().write_all(format!("netsig: {line}\n").as_bytes());
}

/// Locks; what another thread left behind when it panicked is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
