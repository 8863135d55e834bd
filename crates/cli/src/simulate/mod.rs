//! Simulates algorithms and programs in GOAL: options, points, results, exports.

pub mod exports;
pub mod gantt;
pub mod goal;
pub mod lanes;
pub mod options;
pub mod points;
pub mod recorders;
pub mod result_rows;
pub mod sweep;
pub mod timeline;
