//! Networks: scenarios that the lab emulates, graphs and trees that only the simulator knows.

pub mod binary_tree;
pub mod description;
pub mod scenario;
pub mod topology;
pub mod tree;

use crate::units::Seconds;

/// What TCP in Linux waits at least for an acknowledgement before it sends again (RFC 6298 asks for
/// a second).
pub const LINUX_RTO: Seconds = Seconds(0.2);
