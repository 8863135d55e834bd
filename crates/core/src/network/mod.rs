//! Networks: scenarios that the lab emulates, graphs and trees that only the simulator knows.

pub mod binary_tree;
pub mod description;
pub mod scenario;
pub mod topology;
pub mod tree;
