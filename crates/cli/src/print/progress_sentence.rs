//! Prints sentences on the state of the work on standard error, unless --quiet is given.

use std::fmt::Display;

use crate::input::verbosity;

/// Prints a sentence on a line of its own.
pub fn print(sentence: impl Display) {
    if !verbosity::is_quiet() {
        eprintln!("{sentence}");
    }
}
