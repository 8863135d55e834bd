//! netsig-measure: measurement plans, their duration and budget, campaigns that carry them out or
//! steer themselves, and a simulated transport with known parameters. The transport over MPI is
//! in netsig-mpi.

pub mod budget;
pub mod campaign;
pub mod clock;
pub mod estimate;
pub mod plan;
mod plogp;
pub mod prediction_scope;
pub mod proposal;
pub mod simulated;
pub mod steer;
pub mod stopping;
pub mod transport;
pub mod trials;
mod work;
