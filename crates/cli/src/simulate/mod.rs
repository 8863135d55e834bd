//! Simulates algorithms and programs in GOAL: options, points, results, exports.

pub mod answers;
pub mod exports;
pub mod gantt;
pub mod goal;
pub mod lanes;
pub mod options;
pub mod placement;
pub mod points;
pub mod ports;
pub mod recorders;
pub mod settings;
pub mod source;
pub mod sweep;
pub mod timeline;
