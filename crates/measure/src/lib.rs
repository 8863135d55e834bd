//! netsig-measure: what to measure (plans, and proposals of plans), how long it takes and how it
//! fits into a budget, how (campaigns), and a transport with a known truth. The transport over MPI is the rank
//! program's.

pub mod budget;
pub mod campaign;
pub mod clock;
pub mod estimate;
pub mod plan;
mod plogp;
pub mod proposal;
pub mod simulated;
pub mod stopping;
pub mod transport;
