//! netsig-core: everything about contention that needs no clock, process, file or
//! network: quantities, data, models, their fits, and algorithms as schedules.

pub mod cells;
pub mod collective;
pub mod compare;
pub mod dataset;
pub mod design;
pub mod exchange;
pub mod file_error;
pub mod fit;
pub mod import;
pub mod link;
pub mod list;
pub mod model;
mod names;
pub mod predict;
pub mod profile;
pub mod registry;
pub mod scenario;
pub mod schedule;
pub mod select;
pub mod sim;
pub mod units;
