//! The user's input: options, files, data.

pub mod args;
pub mod asked;
pub mod data;
pub mod files;
pub mod filter;
pub mod links;
pub mod points;
