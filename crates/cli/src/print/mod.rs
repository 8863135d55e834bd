//! Output: rows, pictures, notes.

pub mod bar;
pub mod notes;
pub mod parameters;
pub mod plot;
pub mod quote;
pub mod rows;
pub mod svg;
pub mod table;
