//! Simulates algorithms and programs in GOAL: options, points, results, exports.

pub mod exports;
pub mod goal;
pub mod options;
pub mod points;
pub mod recorders;
pub mod result_rows;
pub mod sweep;
