//! The rank program over the MPI that it was built against.

mod experiments;
mod over_mpi;
mod support;
