//! Prints notes and warnings on standard error; --quiet silences notes.

use std::fmt;

use netsig_base::network::Network;
use netsig_base::text::note::Note;

use crate::input::terminal::{MessageLabel, message_to_stderr};
use crate::input::verbosity;

/// Prints each note on a line of its own.
pub fn print<'a>(notes: impl IntoIterator<Item = &'a Note>) {
    for note in notes {
        print_note(note);
    }
}

/// Prints a note. All notes and warnings of netsig take this way; --quiet silences notes, never warnings.
pub fn print_note(note: &Note) {
    if matches!(note, Note::Remark(_)) && verbosity::is_quiet() {
        return;
    }
    let label = match note {
        Note::Remark(_) => MessageLabel::Note,
        Note::Warning(_) => MessageLabel::Warning,
    };
    message_to_stderr(label, note.text());
}

/// Prints a note on an assumption.
pub fn print_remark(text: impl fmt::Display) {
    print_note(&Note::remark(text.to_string()));
}

/// Prints a warning.
pub fn print_warning(text: impl fmt::Display) {
    print_note(&Note::warning(text.to_string()));
}

/// Warns if the machine instead of the network would limit the times of an emulated network, or
/// cannot delay its links.
pub fn warn_if_unfaithful(network: &Network) {
    let limits = netsig_lab::fidelity_warning(network);
    let delays = netsig_lab::delay_warning(network);
    for warning in limits.into_iter().chain(delays) {
        print_warning(warning);
    }
}
