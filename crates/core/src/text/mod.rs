//! What people write and read: names of variants, and errors with their place in a file.

pub mod file_error;
pub(crate) mod names;
