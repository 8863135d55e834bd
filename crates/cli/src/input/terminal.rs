//! Prints messages without control characters of files, which a terminal would obey, and without long quotations of
//! files. A terminal shows the label of a message in colour, unless `NO_COLOR` is set or `TERM` is `dumb`.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use itertools::Itertools;
use netsig_base::text::sanitised::printable_message;

use crate::input::interrupt;

/// The label of a message, with its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageLabel {
    /// The command failed.
    Error,
    /// The answer may be wrong.
    Warning,
    /// The answer rests on an assumption.
    Note,
}

/// Prints a line, or several, on standard error. netsig ends if its reader has gone; other failures cannot be reported.
pub fn to_stderr(text: &str) {
    write_line(printable_lines(text));
}

/// Prints a message of netsig after its label, as [`to_stderr`] does.
pub fn message_to_stderr(label: MessageLabel, text: &str) {
    write_line(format_args!("{label} {}", printable_lines(text)));
}

fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable_message).join("\n")
}

/// The stream drops the styles of the line where they are not wanted.
fn write_line(line: impl fmt::Display) {
    let written = writeln!(anstream::stderr().lock(), "{line}");
    if written.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        interrupt::end_without_reader();
    }
}

/// The label with the codes of its style.
impl fmt::Display for MessageLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bold = |colour: AnsiColor| colour.on_default().bold();
        let (before, styled, style) = match self {
            Self::Error => ("", "netsig:", bold(AnsiColor::Red)),
            Self::Warning => ("netsig: ", "warning:", bold(AnsiColor::Yellow)),
            Self::Note => ("netsig: ", "note:", Style::new()),
        };
        write!(f, "{before}{style}{styled}{style:#}")
    }
}
