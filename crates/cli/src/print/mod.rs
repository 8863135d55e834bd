//! Output: rows, pictures, notes.

pub mod cell;
pub mod measured_cells;
pub mod notes;
pub mod parameters;
pub mod plot;
pub mod progress_display;
pub mod progress_sentence;
pub mod quantity;
pub mod quote;
pub mod rows;
pub mod svg;
pub mod table;
pub mod verdict;
