//! The user's input: options, files, data; and how a command fails that cannot use them.

pub mod args;
pub mod asked;
pub mod data;
pub mod failure;
pub mod files;
pub mod filter;
pub mod network;
pub mod output;
pub mod partial;
pub mod points;
