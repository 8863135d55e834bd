//! The rank program over the MPI that it was built against.

mod experiments;
#[path = "../../../base/tests/long_form/mod.rs"]
mod long_form;
mod over_mpi;
mod support;
