//! What netsig prints: without the control characters of files, which a terminal would obey, and messages
//! without long quotations of files.

use std::io::{self, Write};

use netsig_core::text::shown::{message, printable};

/// Prints a line, or several, on standard error.
pub fn to_stderr(text: &str) {
    let lines: Vec<_> = text.split('\n').map(message).collect();
    // There is nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}

/// Writes a text without control characters.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(out: &mut dyn Write, text: &[u8]) -> io::Result<()> {
    out.write_all(printable(&String::from_utf8_lossy(text)).as_bytes())?;
    out.flush()
}
