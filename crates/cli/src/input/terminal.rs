//! Prints messages without control characters of files, which a terminal would obey, and without long quotations of
//! files.

use std::io::{self, Write};

use netsig_base::text::sanitised::printable_message;

use crate::input::interrupt;

/// Prints a line, or several, on standard error. netsig ends if its reader has gone; other failures cannot be reported.
pub fn to_stderr(text: &str) {
    let lines: Vec<_> = text.split('\n').map(printable_message).collect();
    let written = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
    if written.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        interrupt::end_without_reader();
    }
}
