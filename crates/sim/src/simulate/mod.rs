//! Simulations by request: a network model with its parameters from settings, a profile and a network,
//! and the points and programs to simulate on it.

mod goal_program;
pub mod model;
mod parameter_sources;
pub mod placement;
pub mod point;
pub mod profile_floor;
mod settings;
pub mod sim_model;

pub use goal_program::refuse_long_program;
pub use model::SimModelKind;
pub use point::SimPoint;
pub use sim_model::SimModel;
