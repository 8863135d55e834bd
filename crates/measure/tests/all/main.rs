//! Plans, campaigns and clocks, on networks and data with a known truth.

mod budget;
mod campaign;
mod clock;
#[path = "../../../base/tests/seeded/mod.rs"]
mod seeded;
mod steer;
