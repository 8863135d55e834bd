//! `libnetsig_interpose.so`, preloaded into unmodified MPI programs: runs the collectives that a profile
//! chooses in place of the MPI library's.
//!
//! A call of the program goes `entry` → `record` (the communicator and its decisions; `session` says whether a
//! profile is in use) → `agreement` and `choice` (a new decision, made by one rank) → the MPI library's own
//! function, or `run` (netsig's schedule). Whatever is missing or not understood is passed on unchanged.
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
//! # Limits
//! Not intercepted: programs whose MPI is linked statically, functions that a program looks up in a library
//! that it loads, and MPI before `MPI_Init` (sessions of MPI 4).
//!
//! Passed on: all calls where a rank does not have this library (`roll_call`), where another library
//! intercepts MPI or one for GPUs is loaded before `MPI_Init`, and, unless algorithms are given, where a host
//! has another number of processes than it had for the profile, or is in none of its clusters. Of a profile
//! with clusters, calls are passed on in communicators that lie in another number of clusters than the
//! measured ranks did.
//!
//! A program that loads its MPI itself, as Python does, must get the build for that MPI: this library brings
//! its own with it. `netsig run` takes the build that fits `mpirun`.

mod agreement;
mod call;
mod choice;
mod datatype;
mod entry;
mod envelope;
mod handle;
mod loaded;
mod member;
mod next;
mod places;
mod record;
mod report;
mod roll_call;
mod room;
mod run;
mod session;
mod settings;
mod sides;
mod size_class;
mod tools;
mod world;

use std::io::Write as _;

/// Writes a line to standard error in one call, because other ranks may write at the same time.
fn tell(line: &str) {
    // A failure to write to standard error cannot be reported.
    let _ = std::io::stderr().write_all(format!("netsig: {line}\n").as_bytes());
}
