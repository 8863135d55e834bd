//! netsig-measure: what to measure (plans), how (campaigns), and a transport with a
//! known truth. The transport over MPI is the rank program's.

pub mod campaign;
pub mod plan;
pub mod simulated;
pub mod transport;
