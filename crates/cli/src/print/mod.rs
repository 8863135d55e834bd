//! Output: rows, pictures, notes.

pub mod measured_cells;
pub mod notes;
pub mod progress_display;
pub mod progress_sentence;
pub mod quote;
pub mod rows;
pub mod verdict;
