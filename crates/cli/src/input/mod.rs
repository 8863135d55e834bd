//! The user's input: options, files, data and signals; and the errors of commands.

pub mod args;
pub mod asked;
pub mod claim;
pub mod clusters;
pub mod data;
pub mod destination;
pub mod draft;
pub mod failure;
pub mod files;
pub mod identity;
pub mod interrupt;
pub mod kind;
pub mod network;
pub mod output;
pub mod partial;
pub mod points;
pub mod report;
pub mod standard;
pub mod terminal;
pub mod wish;
