//! Simulations by request: a network model with its parameters from settings, a profile and a network,
//! and the points to simulate on it.

mod known;
pub mod model;
pub mod placement;
pub mod point;
mod settings;
pub mod source;

pub use model::ModelChoice;
pub use point::Point;
pub use source::Source;
