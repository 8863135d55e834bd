//! Prints notes and warnings on standard error; --quiet silences notes.

use netsig_base::network::Network;
use netsig_base::text::note::Note;

use crate::input::verbosity;

/// True unless --quiet silences the note; it never silences a warning.
pub fn is_shown(note: &Note) -> bool {
    matches!(note, Note::Warning(_)) || !verbosity::is_quiet()
}

/// Prints each note on a line of its own.
pub fn print<'a>(notes: impl IntoIterator<Item = &'a Note>) {
    for note in notes.into_iter().filter(|note| is_shown(note)) {
        eprintln!("netsig: {note}");
    }
}

/// Warns if the machine instead of the network would limit the times of an emulated network, or
/// cannot delay its links.
pub fn warn_if_unfaithful(network: &Network) {
    let limits = netsig_lab::fidelity_warning(network);
    let delays = netsig_lab::delay_warning(network);
    for warning in limits.into_iter().chain(delays) {
        eprintln!("netsig: warning: {warning}");
    }
}
