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
//! Programs whose MPI is linked statically do not reach this library. It must have the same path on all
//! hosts. Communicators with several processes on a host are left to the MPI library, because a profile
//! is of one process on each.

mod agreement;
mod call;
mod choice;
mod datatype;
mod entry;
mod envelope;
mod handle;
mod member;
mod next;
mod record;
mod report;
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
