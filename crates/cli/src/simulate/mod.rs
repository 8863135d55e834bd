//! Simulates algorithms and programs in GOAL: options, points, results, exports.

pub mod answers;
pub mod exports;
pub mod gantt;
pub mod goal;
pub mod lanes;
pub mod options;
pub mod points;
pub mod recorders;
pub mod sweep;
pub mod timeline;
