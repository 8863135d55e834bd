//! What netsig prints: without the control characters of files, which a terminal would obey, and messages
//! without long quotations of files.

use std::io::{self, Write};

use netsig_base::text::shown::message;

use crate::input::interrupt;

/// Prints a line, or several, on standard error. netsig ends if its reader has gone; there is nobody to tell of
/// other failures.
pub fn to_stderr(text: &str) {
    let lines: Vec<_> = text.split('\n').map(message).collect();
    let told = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
    if told.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        interrupt::end_unheard();
    }
}
