//! The user's input: options, files, data and signals; and the errors of commands.

pub mod args;
pub mod cases;
pub mod claim;
pub mod clusters;
pub mod data;
pub mod destination;
pub mod draft;
pub mod failure;
pub mod file_kind;
pub mod files;
pub mod identity;
pub mod interposer_report;
pub mod interrupt;
pub mod loaded_plan;
pub mod network;
pub mod output;
pub mod partial;
pub mod prediction_scope;
pub mod report_sources;
pub mod standard;
pub mod terminal;
pub mod verbosity;
