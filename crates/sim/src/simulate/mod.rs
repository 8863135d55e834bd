//! Simulations by request: a network model with its parameters from settings, a profile and a network,
//! and the points to simulate on it.

pub mod model;
mod parameter_sources;
pub mod placement;
pub mod point;
pub mod profile_floor;
mod settings;
pub mod sim_model;

pub use model::SimModelKind;
pub use point::SimPoint;
pub use sim_model::SimModel;
